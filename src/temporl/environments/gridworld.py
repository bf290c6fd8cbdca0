"""A gridworld as a Gymnasium environment."""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.spaces import Discrete
from jaxtyping import Float, UInt8

from temporl.environments.gridmap import FLOOR, GOAL, PIT, START, WALL, GridMap
from temporl.environments.transitions import TransitionTable
from temporl.environments.types import Environment
from temporl.errors import BadInput, require_range
from temporl.types import Record

MOVES = {"up": (-1, 0), "right": (0, 1), "down": (1, 0), "left": (0, -1)}
COLOURS = {
    START: (189, 189, 189),
    GOAL: (102, 102, 255),
    PIT: (38, 38, 38),
    WALL: (120, 94, 72),
    FLOOR: (250, 250, 250),
}
AGENT_COLOUR = (204, 120, 188)
CELL_PIXELS = 32

Outcomes = list[tuple[float, int, float, bool]]


@lru_cache(maxsize=16)
def grid_transitions(grid: GridMap, probabilities: tuple[float, ...]) -> TransitionTable:
    """What every move does: it goes ahead, or to the left or right of that, with probabilities."""
    cells = np.array(list(grid))
    moves = np.stack([grid.neighbours(*move) for move in MOVES.values()], axis=1)
    turns = [np.roll(moves, turn, axis=1) for turn in (0, 1, -1)]
    next_state = np.stack(turns[: len(probabilities)], axis=2)
    cumulative = np.cumsum(probabilities)
    cumulative[-1] = 1.0
    starts = np.flatnonzero(cells == START)
    start_cumulative = np.cumsum(np.full(len(starts), 1.0 / len(starts)))
    start_cumulative[-1] = 1.0
    return TransitionTable(
        next_state=next_state,
        reward=1.0 * (cells == GOAL)[next_state] - 1.0 * (cells == PIT)[next_state],
        terminated=((cells == GOAL) | (cells == PIT))[next_state],
        cumulative=np.ascontiguousarray(np.broadcast_to(cumulative, next_state.shape)),
        starts=starts,
        start_cumulative=start_cumulative,
    )


class GridWorld(Environment):
    """Walk from a start to a goal: +1 there, -1 in a pit, both terminal; nothing else is rewarded.

    Args:
        map: The map as text, or a `GridMap`.
        slip: The probability that a move goes to one of the two sides instead (half each).
        goal: Row and column for the goal, if it is to be elsewhere than on the map.
        render_mode: `"ansi"` for text, `"rgb_array"` for a picture.
    """

    metadata: Record = {  # noqa: RUF012 (Gymnasium declares it so)
        "render_modes": ["ansi", "rgb_array"],
        "render_fps": 4,
    }

    def __init__(
        self,
        map: str | GridMap,  # noqa: A002 (what users call it)
        slip: float = 0.0,
        goal: tuple[int, int] | None = None,
        render_mode: str | None = None,
    ) -> None:
        grid = GridMap.parse(map) if isinstance(map, str) else map
        require_range("slip", slip, 0.0, 1.0)
        if render_mode not in (None, "ansi", "rgb_array"):
            raise BadInput("render_mode", render_mode, "allowed: 'ansi', 'rgb_array'")
        self.map = grid if goal is None else grid.with_goal(*goal)
        self.render_mode = render_mode
        starts = np.array([cell == START for cell in self.map], dtype=np.float64)
        self.observation_space = Discrete(len(starts))
        self.action_space = Discrete(len(MOVES))
        self.initial_state_distrib: Float[np.ndarray, " state"] = starts / starts.sum()
        self._probabilities = (1.0 - slip, slip / 2, slip / 2) if slip > 0.0 else (1.0,)
        self.transitions = grid_transitions(self.map, self._probabilities)
        self._state = int(self.transitions.starts[0])

    @cached_property
    def P(self) -> dict[int, dict[int, Outcomes]]:  # noqa: N802 (toy-text environments call it so)
        """All outcomes of every action in every state, in the form of Gymnasium's toy-text."""
        table = self.transitions
        columns = [c.tolist() for c in (table.next_state, table.reward, table.terminated)]
        return {
            state: {
                action: list(zip(self._probabilities, *outcomes, strict=True))
                for action, outcomes in enumerate(zip(*actions, strict=True))
            }
            for state, actions in enumerate(zip(*columns, strict=True))
        }

    def reset(
        self,
        *,
        seed: int | None = None,
        options: Record | None = None,  # noqa: ARG002 (part of Gymnasium's interface)
    ) -> tuple[int, Record]:
        """Put the agent on a start."""
        super().reset(seed=seed)
        table, index = self.transitions, 0
        if len(table.starts) > 1:
            draw = self.np_random.random()
            index = int(np.searchsorted(table.start_cumulative, draw, side="right"))
        self._state = int(table.starts[index])
        return self._state, {}

    def step(self, action: int) -> tuple[int, float, bool, bool, Record]:
        """Move; where moves may slip, one random number decides whereto."""
        table, outcome = self.transitions, 0
        if len(self._probabilities) > 1:
            draw = self.np_random.random()
            outcome = int(np.searchsorted(table.cumulative[0, 0], draw, side="right"))
        at = (self._state, int(action), outcome)
        self._state = int(table.next_state[at])
        return self._state, float(table.reward[at]), bool(table.terminated[at]), False, {}

    def render(self) -> Any:
        """The map with the agent on it."""
        if self.render_mode == "ansi":
            return self._as_text()
        if self.render_mode == "rgb_array":
            return self._as_picture()
        gym.logger.warn("render_mode is None: make the environment with 'ansi' or 'rgb_array'")
        return None

    def _as_text(self) -> str:
        row, column = self.map.position(self._state)
        lines = [list(line) for line in self.map.rows]
        lines[row][column] = "A"
        return "\n".join("".join(line) for line in lines) + "\n"

    def _as_picture(self) -> UInt8[np.ndarray, "height width colour"]:
        cells = np.array([COLOURS[cell] for cell in self.map], dtype=np.uint8)
        cells = cells.reshape(*self.map.shape, 3)
        picture = cells.repeat(CELL_PIXELS, axis=0).repeat(CELL_PIXELS, axis=1)
        picture[::CELL_PIXELS, :] = picture[:, ::CELL_PIXELS] = 210
        row, column = self.map.position(self._state)
        offsets = np.arange(CELL_PIXELS) - (CELL_PIXELS - 1) / 2
        disc = offsets[:, None] ** 2 + offsets[None, :] ** 2 <= (CELL_PIXELS * 0.3) ** 2
        top, left = row * CELL_PIXELS, column * CELL_PIXELS
        picture[top : top + CELL_PIXELS, left : left + CELL_PIXELS][disc] = AGENT_COLOUR
        return picture
