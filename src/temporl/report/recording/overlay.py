"""Frames with a mark at each decision and a time line below, and the contact sheet."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from matplotlib.font_manager import findfont
from PIL import Image, ImageDraw, ImageFont

from temporl.report.recording.episode import RecordedDecision, Recording

WIDTH = 640
PANEL = 132
"""The height of what is below the picture."""
BORDER = 8
EDGE = 16
TIMES = "\N{MULTIPLICATION SIGN}"
PAPER, INK, QUIET, LINE = "#ffffff", "#1e1b26", "#6b6478", "#e2dfe8"
SHEET_COLUMNS, SHEET_CELL, MOST_KEY_STATES = 4, 300, 24


def font(size: int, *, bold: bool = False) -> ImageFont.FreeTypeFont:
    """The typeface that comes with matplotlib."""
    weight = "bold" if bold else "normal"
    return ImageFont.truetype(findfont(f"DejaVu Sans:{weight}"), size)


@dataclass(frozen=True)
class Film:
    """Draws the frames of a recording."""

    recording: Recording
    title: str
    colour: str

    @cached_property
    def _scale(self) -> float:
        return WIDTH / self.recording.frame(0).width

    @cached_property
    def size(self) -> tuple[int, int]:
        """Width and height of a frame, both even, as video formats require."""
        height = round(self.recording.frame(0).height * self._scale)
        return WIDTH, height // 2 * 2 + PANEL

    @cached_property
    def _starts(self) -> list[int]:
        return [decision.step for decision in self.recording.decisions]

    @property
    def steps(self) -> int:
        """How many steps the episode has."""
        return len(self.recording.rewards)

    def decision_at(self, step: int) -> tuple[int, RecordedDecision]:
        """The decision that is being played at a step, and its number."""
        number = bisect_right(self._starts, step) - 1
        return number, self.recording.decisions[number]

    def draw(self, step: int) -> Image.Image:
        """The frame after a number of steps."""
        width, height = self.size
        canvas = Image.new("RGB", (width, height), PAPER)
        canvas.paste(self._picture(step), (0, 0))
        pen = ImageDraw.Draw(canvas)
        number, decision = self.decision_at(step)
        if decision.step == step and step < self.steps:
            self._mark(pen, number)
        self._words(pen, step, decision)
        self._time_line(pen, step)
        self._skip_values(pen, decision)
        return canvas

    def _picture(self, step: int) -> Image.Image:
        picture = self.recording.frame(step)
        smooth = Image.Resampling.NEAREST if self._scale >= 2 else Image.Resampling.LANCZOS
        return picture.convert("RGB").resize((WIDTH, self.size[1] - PANEL), smooth)

    def _mark(self, pen: ImageDraw.ImageDraw, number: int) -> None:
        """A frame around the picture, and below it the number of the decision."""
        bottom, middle = self.size[1] - PANEL, WIDTH // 2
        pen.rectangle((0, 0, WIDTH - 1, bottom - 1), outline=self.colour, width=BORDER)
        box = (middle - 70, bottom + 10, middle + 70, bottom + 38)
        pen.rounded_rectangle(box, 14, fill=self.colour)
        text = f"decision {number + 1}"
        pen.text((middle, bottom + 24), text, fill=PAPER, font=font(15, bold=True), anchor="mm")

    def _words(self, pen: ImageDraw.ImageDraw, step: int, decision: RecordedDecision) -> None:
        top = self.size[1] - PANEL
        left = max(0, decision.step + decision.played - step)
        earned = sum(self.recording.rewards[:step])
        what = f"{decision.action} {TIMES} {decision.skip}" + (f", {left} to go" if left else "")
        pen.text((EDGE, top + 12), what, fill=INK, font=font(18, bold=True))
        facts = f"{self.title}   step {step} of {self.steps}   return {earned:.4g}"
        pen.text((EDGE, top + 40), facts, fill=QUIET, font=font(12))

    def _time_line(self, pen: ImageDraw.ImageDraw, step: int) -> None:
        """A block for every decision, rewards as strokes below it, and where we are."""
        top, bottom = self.size[1] - 66, self.size[1] - 36
        for number, decision in enumerate(self.recording.decisions):
            shade = self.colour if decision.step <= step else LINE
            start, end = self._place(decision.step), self._place(decision.step + decision.played)
            pen.rectangle((start, top, max(start, end - 1), bottom), fill=shade)
            if number:
                pen.line((start, top, start, bottom), fill=PAPER, width=1)
            if end - start > 22:
                tone = PAPER if decision.step <= step else QUIET
                centre = ((start + end) / 2, (top + bottom) / 2)
                pen.text(centre, str(decision.skip), fill=tone, font=font(12), anchor="mm")
        rewards = np.array(self.recording.rewards)
        largest = max(float(np.abs(rewards).max()), 1e-9)
        for at, reward in enumerate(rewards):
            place, length = self._place(at + 1), round(18 * abs(reward) / largest)
            shade = "#029e73" if reward > 0 else "#d55e00"
            if length:
                pen.line((place, bottom + 6, place, bottom + 6 + length), fill=shade)
        here = self._place(step)
        pen.line((here, top - 6, here, bottom + 6), fill=INK, width=3)

    def _place(self, step: int) -> float:
        return EDGE + (WIDTH - 2 * EDGE) * step / self.steps

    def _skip_values(self, pen: ImageDraw.ImageDraw, decision: RecordedDecision) -> None:
        """Small bars at the upper right: the value of every skip, the chosen one dark."""
        if len(decision.values) < 2:
            return
        values = np.array(list(decision.values.values()))
        spread = max(float(np.ptp(values)), 1e-9)
        bottom = self.size[1] - PANEL + 48
        wide = min(18, 190 // len(values))
        left = WIDTH - EDGE - wide * len(values)
        for number, (skip, value) in enumerate(zip(decision.values, values, strict=True)):
            high = 3 + 28 * (value - values.min()) / spread
            at = left + wide * number
            shade = self.colour if skip == decision.skip else LINE
            pen.rectangle((at, bottom - high, at + wide - 3, bottom), fill=shade)
        pen.text((left - 8, bottom - 6), "skips", fill=QUIET, font=font(11), anchor="rm")


def key_states(recording: Recording) -> list[RecordedDecision]:
    """The decisions to show on one sheet: all, or some at even distances."""
    decisions = recording.decisions
    chosen = np.linspace(0, len(decisions) - 1, min(len(decisions), MOST_KEY_STATES))
    return [decisions[int(number)] for number in chosen]


def contact_sheet(recording: Recording, title: str, colour: str) -> Image.Image:
    """The states in which the agent decided, each with what it decided."""
    shown = key_states(recording)
    picture = recording.frame(0)
    tall = round(picture.height * SHEET_CELL / picture.width)
    columns = min(SHEET_COLUMNS, len(shown))
    rows = -(-len(shown) // columns)
    size = (columns * (SHEET_CELL + EDGE) + EDGE, rows * (tall + 40) + 56)
    sheet = Image.new("RGB", size, PAPER)
    pen = ImageDraw.Draw(sheet)
    count = len(recording.decisions)
    which = "" if len(shown) == count else f"{len(shown)} of "
    words = f"{title}: {which}{count} decisions in {len(recording.rewards)} steps"
    pen.text((EDGE, 16), words, fill=INK, font=font(16, bold=True))
    for number, decision in enumerate(shown):
        left = EDGE + number % columns * (SHEET_CELL + EDGE)
        top = 48 + number // columns * (tall + 40)
        small = recording.frame(decision.step).convert("RGB").resize((SHEET_CELL, tall))
        sheet.paste(small, (left, top))
        pen.rectangle((left, top, left + SHEET_CELL - 1, top + tall - 1), outline=colour, width=2)
        caption = f"step {decision.step}: {decision.action} {TIMES} {decision.skip}"
        pen.text((left, top + tall + 6), caption, fill=INK, font=font(13))
    return sheet
