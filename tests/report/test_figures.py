from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from pkgutil import resolve_name

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.image import imread
from matplotlib.patches import Circle
from tests.report import sweep
from tests.worlds import grid

import temporl
from temporl.environments import GridMap, GridWorld
from temporl.experiments import EXPERIMENTS, Experiment, experiment_named
from temporl.report.cells import collect
from temporl.report.figures import draw_figures, policy_picture
from temporl.report.figures.curves import chosen_evaluations
from temporl.report.figures.maps import draw_map, draw_policy
from temporl.report.figures.paths import greedy_path, reachable_states
from temporl.report.figures.style import AGENT_COLOURS
from temporl.report.figures.values import known_values
from temporl.report.tables import table_rows

SMALL = {
    "gridworlds": sweep.small(
        experiment_named("gridworlds"), 200, lambda cell: cell.schedule != "log"
    ),
    "skip-length": sweep.small(
        experiment_named("skip-length"), 30, lambda cell: cell.max_skip in (1, 2, 7)
    ),
    "exploration": sweep.small(experiment_named("exploration"), 30),
    "exploration-sensitivity": sweep.small(experiment_named("exploration-sensitivity"), 5),
}
PICTURES = {
    "gridworlds": ["curves-linear", "curves-constant", "policies", "values", "hero"],
    "skip-length": ["skip-length"],
    "exploration": ["curves", "policies"],
    "exploration-sensitivity": ["sensitivity"],
}


def assert_picture(path: Path) -> None:
    assert path.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    pixels = imread(path)
    assert min(pixels.shape[:2]) > 300
    assert len(np.unique((pixels * 255) @ np.array([1, 2**8, 2**16, 0]))) > 20


def drawn(name: str, out: Path) -> list[Path]:
    experiment = SMALL[name]
    results = collect(experiment, out, sweep.SEEDS)
    return draw_figures(experiment, results, table_rows(experiment, results), out / name)


@pytest.mark.parametrize("name", SMALL)
def test_every_experiment_has_its_pictures(name, tmp_path):
    sweep.run(SMALL[name], tmp_path)
    paths = drawn(name, tmp_path)
    assert [path.name for path in paths] == [f"{stem}.png" for stem in PICTURES[name]]
    for path in paths:
        assert path.parent == tmp_path / name
        assert_picture(path)


def test_an_experiment_nobody_thought_of_gets_curves(tmp_path):
    cells = SMALL["exploration"].cells[:1]
    experiment = Experiment("new", "A new one", 1, cells, ("episodes_to_95_percent",))
    sweep.run(experiment, tmp_path, seeds=1)
    results = collect(experiment, tmp_path, 1)
    (path,) = draw_figures(experiment, results, [], tmp_path)
    assert path.name == "curves.png"
    assert_picture(path)


def test_without_runs_there_is_nothing_to_draw(tmp_path):
    assert draw_figures(SMALL["gridworlds"], [], [], tmp_path) == []
    assert list(tmp_path.iterdir()) == []


def test_curves_show_first_and_last_evaluation_and_few_between():
    points = chosen_evaluations(10_000)
    assert points[:5].tolist() == [0, 1, 2, 3, 4]
    assert points[-1] == 9_999
    assert len(points) <= 400
    assert (np.diff(points) > 0).all()
    assert chosen_evaluations(1).tolist() == [0]


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    out = tmp_path_factory.mktemp("trained")
    worlds = {"zigzag": ("t-q", {}), "slippery": ("t-q", {"slip": 0.2}), "steps": ("q", {})}
    return {
        name: temporl.train(
            agent,
            "temporl/ZigZag-v0",
            episodes=1_000,
            env_options=options,
            out=out / name,
            progress=False,
        )
        for name, (agent, options) in worlds.items()
    }


@pytest.mark.parametrize("name", ["zigzag", "slippery", "steps"])
def test_a_greedy_path_is_the_episode_that_evaluate_plays(trained, name):
    run = trained[name]
    for seed in range(3):
        path = greedy_path(run.policy(), run.config.environment, seed)
        played = temporl.evaluate(run.policy(), run.config.environment, episodes=1, seed=seed)
        assert len(path) == played.decisions[0]
        assert sum(stretch.steps for stretch in path) == played.lengths[0]
        assert all(stretch.steps == stretch.decision.skip for stretch in path[:-1])
        assert 1 <= path[-1].steps <= path[-1].decision.skip
        for before, after in pairwise(path):
            assert before.states[-1] == after.states[0]


def test_looking_at_a_path_changes_nothing(trained):
    policy = trained["steps"].policy()
    before = policy.ties.copy()
    path = greedy_path(policy, "temporl/ZigZag-v0")
    assert policy.ties == before
    assert greedy_path(policy, "temporl/ZigZag-v0") == path


class Eastward:
    """Goes right, three steps at a time."""

    def decide(self, observation):
        return temporl.Decision(1, 3)


def test_a_path_by_hand_with_the_last_skip_cut_by_the_goal():
    path = greedy_path(Eastward(), grid("S....G"))
    assert [stretch.states for stretch in path] == [(0, 1, 2, 3), (3, 4, 5)]
    assert [stretch.decision.skip for stretch in path] == [3, 3]
    assert path[-1].steps == 2


def test_a_path_against_a_wall_ends_with_the_step_limit():
    path = greedy_path(Eastward(), grid("S.#G", step_limit=7))
    assert [stretch.states for stretch in path] == [(0, 1, 1, 1), (1, 1, 1, 1), (1, 1)]


def test_a_drawn_path_stays_within_its_axes():
    world = GridMap.parse("S....G")
    axes = Figure().add_subplot()
    draw_map(axes, world)
    draw_policy(axes, world, greedy_path(Eastward(), grid("S....G")), "t-q")
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    circles = [patch for patch in axes.patches if isinstance(patch, Circle)]
    assert len(circles) == 4  # two key states and two labels
    for patch in axes.patches:
        box = patch.get_path().get_extents(patch.get_patch_transform())
        assert left <= box.x0 <= box.x1 <= right
        assert top <= box.y0 <= box.y1 <= bottom


def test_states_behind_walls_and_terminal_states_are_not_reachable():
    world = GridWorld("S.#.\n.X#.\nG.#.")
    assert reachable_states(world) == [0, 1, 4]


def test_known_values_leave_out_what_was_never_visited(trained):
    run = trained["zigzag"]
    world = run.config.environment.make().unwrapped
    values = known_values(world, run.policy())
    cells = list(world.map)
    assert values
    assert not {"X", "G"} & {cells[state] for state in values}
    # The goal is one step below its neighbour.
    assert values[4 * 10 + 9] == pytest.approx(1.0)
    assert max(values.values()) <= 1.0


OWN_MAPS = {
    "small": "SG",
    "walls": "S..#.\n.#.#.\n.#...\n...#G",
    "long": "S" + 29 * "." + "G",
    "several starts": "S..S\n....\nX#G.",
}


@pytest.mark.parametrize(
    ("name", "agent"), [("small", "q"), ("walls", "t-q"), ("long", "t-q"), ("several starts", "q")]
)
def test_any_policy_on_any_map_has_a_picture(name, agent, tmp_path):
    text = tmp_path / "map.txt"
    text.write_text(OWN_MAPS[name])
    run = temporl.train(agent, str(text), episodes=20, out=tmp_path, progress=False)
    path = tmp_path / "policy.png"
    assert policy_picture(run.policy(), GridMap.read(text), path, "my map", agent) == path
    assert_picture(path)


def test_every_agent_has_a_colour_of_its_own_among_those_it_is_compared_with():
    """On the same environment: what dqn is for one, td3 is for another."""
    for name, experiment in EXPERIMENTS.items():
        for place in {cell.environment for cell in experiment.cells}:
            agents = {cell.agent for cell in experiment.cells if cell.environment == place}
            assert len({AGENT_COLOURS[agent] for agent in agents}) == len(agents), (name, place)
    assert set(AGENT_COLOURS) <= set(temporl.AGENTS)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_figure_of_an_experiment_is_a_function(name):
    assert all(callable(resolve_name(figure)) for figure in EXPERIMENTS[name].figures)
