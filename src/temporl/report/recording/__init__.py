"""Recorded episodes: what happened, as a video, a contact sheet and notes.

Start with `episode.py` (`record_episode`); `overlay.py` draws the frames, `files.py` writes them.
"""

from temporl.report.recording.episode import DecisionNote, Recording, record_episode
from temporl.report.recording.files import write_recording

__all__ = ["DecisionNote", "Recording", "record_episode", "write_recording"]
