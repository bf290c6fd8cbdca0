"""Recorded episodes: what happened, as a video, a contact sheet and notes."""

from temporl.report.recording.episode import DecisionNote, Recording, record_episode
from temporl.report.recording.files import write_recording

__all__ = ["DecisionNote", "Recording", "record_episode", "write_recording"]
