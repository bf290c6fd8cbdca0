"""temporl."""
