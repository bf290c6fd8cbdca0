"""Recorded episodes: a video, a contact sheet, and the same as data (JSON).

Start with `episode.py` (`record_episode`); `overlay.py` draws the frames, `files.py` writes them.
"""

from temporl.report.recording.episode import RecordedDecision, Recording, record_episode
from temporl.report.recording.files import write_recording

__all__ = ["RecordedDecision", "Recording", "record_episode", "write_recording"]
