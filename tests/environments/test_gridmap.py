from __future__ import annotations

from collections import deque

import pytest

from temporl.environments import GridMap
from temporl.environments.gridmap import GOAL, PIT, START
from temporl.environments.registry import MAPS
from temporl.errors import BadInput

NORTH, EAST, SOUTH, WEST = (-1, 0), (0, 1), (1, 0), (0, -1)


def named(name: str) -> GridMap:
    return GridMap.read(MAPS / f"{name}.txt")


def cells(grid: GridMap, kind: str) -> set[tuple[int, int]]:
    return {grid.position(state) for state, cell in enumerate(grid) if cell == kind}


def block(rows, columns) -> set[tuple[int, int]]:
    return {(row, column) for row in rows for column in columns}


def shortest_path(grid: GridMap) -> int:
    """The number of moves from the start to the goal without a pit, by breadth-first search."""
    kinds = list(grid)
    queue = deque([(kinds.index(START), 0)])
    seen = {kinds.index(START)}
    while queue:
        state, moves = queue.popleft()
        if kinds[state] == GOAL:
            return moves
        for move in (NORTH, EAST, SOUTH, WEST):
            following = grid.neighbours(*move)[state]
            if following not in seen and kinds[following] != PIT:
                seen.add(following)
                queue.append((following, moves + 1))
    raise AssertionError("the goal cannot be reached")


@pytest.mark.parametrize(
    ("name", "pits", "goal", "moves"),
    [
        ("cliff", block(range(3), range(2, 8)), (0, 9), 15),
        ("bridge", block((0, 1, 4, 5), range(2, 8)), (0, 9), 13),
        ("zigzag", block(range(4), (2, 3)) | block(range(2, 6), (6, 7)), (5, 9), 20),
    ],
)
def test_the_worlds_of_the_paper(name, pits, goal, moves):
    grid = named(name)
    assert grid.shape == (6, 10)
    assert cells(grid, START) == {(0, 0)}
    assert cells(grid, GOAL) == {goal}
    assert cells(grid, PIT) == pits
    assert shortest_path(grid) == moves


def test_the_open_world():
    """Start top centre, goal further down and to the left, nothing else."""
    grid = named("open")
    assert grid.shape == (23, 23)
    assert cells(grid, START) == {(0, 11)}
    assert cells(grid, PIT) == set()
    ((row, column),) = cells(grid, GOAL)
    assert row > 0
    assert column < 11


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("", "empty"),
        ("\n\n", "empty"),
        ("   \n", "empty"),
        ("...\n..G", "no start"),
        ("S..\n...", "no goal"),
        ("S.G\n..", "line 2 has 2 cells"),
        ("S.G\n...\n....", "line 3 has 4 cells"),
        ("S.G\n.?.", r"line 2, column 2 is '\?'"),
        ("S.G\n.s.", "line 2, column 2 is 's'"),
        ("S.G\n. .", "line 2, column 2 is ' '"),
        ("S.G\n\n...", "line 2 has 0 cells"),
    ],
)
def test_what_is_no_map_is_refused_with_the_place(text, place):
    with pytest.raises(BadInput, match=place) as caught:
        GridMap.parse(text, source="my.txt")
    message = str(caught.value)
    assert "my.txt" in message
    assert "\n" not in message


@pytest.mark.parametrize("text", ["S.G\n...", "S.G\r\n...\r\n", "\nS.G  \n...\n\n"])
def test_line_ends_and_empty_lines_around_a_map_do_not_matter(text):
    assert GridMap.parse(text).rows == ("S.G", "...")


def test_a_map_reads_back_what_it_writes():
    grid = named("zigzag")
    assert GridMap.parse(str(grid)) == grid


def test_files_that_cannot_be_read_are_refused_by_name(tmp_path):
    for path in (tmp_path / "none.txt", tmp_path):
        with pytest.raises(BadInput, match="cannot be read"):
            GridMap.read(path)
    picture = tmp_path / "picture.txt"
    picture.write_bytes(b"\xff\xfe\x00S.G")
    with pytest.raises(BadInput, match=r"picture\.txt"):
        GridMap.read(picture)


def test_walls_and_borders_stop_a_move():
    grid = GridMap.parse("S#G\n...")
    assert grid.neighbours(*EAST)[0] == 0
    assert grid.neighbours(*NORTH)[0] == 0
    assert grid.neighbours(*WEST)[0] == 0
    assert grid.neighbours(*SOUTH)[0] == 3
    assert grid.neighbours(*NORTH)[4] == 4
    assert grid.neighbours(*EAST)[5] == 5
    assert grid.neighbours(*NORTH)[5] == 2


def test_a_goal_can_be_moved():
    moved = named("cliff").with_goal(5, 0)
    assert cells(moved, GOAL) == {(5, 0)}
    assert moved.rows[0] == "S.XXXXXX.."


@pytest.mark.parametrize("cell", [(0, 0), (6, 0), (0, 10), (-1, 3)])
def test_a_goal_outside_the_map_or_on_the_start_is_refused(cell):
    with pytest.raises(BadInput) as caught:
        named("cliff").with_goal(*cell)
    assert caught.value.field == "goal"
