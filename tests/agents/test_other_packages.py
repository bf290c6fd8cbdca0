"""An agent of another package, from its installation to its report; the package is an example."""

from __future__ import annotations

import importlib
import inspect
import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from types import ModuleType
from typing import Any

import gymnasium as gym
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from tests.agents.small import PLANE
from tests.direct import train_deep
from tests.replay.quick import quick

import temporl
from temporl.agents import agent as protocol
from temporl.agents import agent_from, agent_options, make_agent
from temporl.agents import skips as skip_protocol
from temporl.cli import main
from temporl.environments import EnvironmentSpec
from temporl.environments.device import GymnaxEnvironment
from temporl.errors import BadInput
from temporl.replay import Batch
from temporl.runs.plan import PlannedRun
from temporl.skipping import Connection

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples/ute-agent"
MODULE = EXAMPLE / "src/ute_agent/__init__.py"
PAGE = (ROOT / "docs/adding-an-agent.md").read_text()
NAME = "ute_agent:UTEDQN"
SMALL: dict[str, Any] = {"hidden": (8,), "batch_size": 4, "max_skip": 3}
SEEN = np.array([0.3, -0.2], np.float32)


def blocks(language: str) -> list[str]:
    """The page's blocks of code in a language."""
    found = re.findall(r"^```(\w*)\n(.*?)^```", PAGE, flags=re.DOTALL | re.MULTILINE)
    return [code for tag, code in found if tag == language]


@pytest.fixture(scope="module")
def installed(tmp_path_factory) -> Path:
    """The folder that pip has installed the package to."""
    folder = tmp_path_factory.mktemp("package")
    shutil.copytree(EXAMPLE, folder / "source", ignore=shutil.ignore_patterns("__pycache__"))
    offline = ["--quiet", "--no-index", "--no-deps", "--no-build-isolation", "--no-compile"]
    words = ["install", *offline, "--target", folder / "site", folder / "source"]
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", *words]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder / "site"


@pytest.fixture(scope="module")
def ute(installed) -> Iterator[ModuleType]:
    """The installed module, which is forgotten afterwards."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(installed)
        yield importlib.import_module("ute_agent")
        patch.delitem(sys.modules, "ute_agent")


@pytest.fixture(scope="module")
def ute_agent(ute) -> Callable[..., Any]:
    """What makes small agents."""
    return lambda **options: agent_from(ute.UTEDQN, SMALL | options)


def connections(count: int = 4) -> Connection:
    """Random connections of three skips; terminal ones, so that their rewards are the targets."""
    random = np.random.default_rng(1)
    seen, following = random.normal(size=(2, count, 2)).astype(np.float32)
    return Connection(
        jnp.asarray(seen),
        jnp.asarray(random.integers(3, size=count), jnp.int32),
        jnp.asarray(1 + np.arange(count) % 3, jnp.int32),
        jnp.asarray(random.normal(size=count), jnp.float32),
        jnp.zeros(count),
        jnp.asarray(following),
    )


def begun(agent: Any) -> tuple[Any, Any]:
    """The arrays that an agent draws, and the state in which it begins to learn."""
    params = agent.draw(np.random.default_rng(0), PLANE)
    return params, agent.init(params)


def test_the_page_shows_the_package():
    assert MODULE.read_text() in blocks("python")


def test_the_page_lists_methods_that_there_are():
    kind = None
    for name, methods in re.findall(r"^\| (`\w+`)? ?\| (`.*?`) \|", PAGE, flags=re.MULTILINE):
        kind = name.strip("`") or kind
        declared = vars(protocol).get(kind) or vars(skip_protocol)[kind]
        for method in methods.split(", "):
            assert hasattr(declared, method.strip("`")), (kind, method)
    assert kind == "SkipChooser"


def test_the_way_to_value_skips_is_short(ute):
    assert len(inspect.getsourcelines(ute.EnsembleValues)[0]) <= 60


def test_estimates_are_the_values_of_every_member(ute_agent):
    agent, single = ute_agent(members=4), make_agent("t-dqn", **SMALL)
    params, _ = begun(agent)
    rows = np.stack([SEEN, 2 * SEEN])
    for seen, action in ((SEEN, np.int64(2)), (rows, np.array([0, 1]))):
        estimates = agent.valuation.estimates(params, seen, action)
        alone = [params._replace(skip=member) for member in params.skip]
        expected = [single.values_of_skips(each, seen, action) for each in alone]
        assert type(estimates) is np.ndarray
        assert np.array_equal(estimates, expected)
        compiled = agent.valuation.estimates(*jax.tree.map(jnp.asarray, (params, seen, action)))
        assert isinstance(compiled, jax.Array)
        np.testing.assert_allclose(compiled, estimates, atol=1e-6)
        values = agent.values_of_skips(params, seen, action)
        np.testing.assert_allclose(values, np.mean(expected, axis=0), atol=1e-6)
    assert len(np.unique(agent.valuation.estimates(params, SEEN, np.int64(0))[:, 0])) == 4


def test_one_member_that_sees_everything_learns_as_tempo_dqn_does(ute_agent):
    agent = ute_agent(members=1, mask_probability=1.0, uncertainty=3.0)
    single = make_agent("t-dqn", **SMALL, skip_epsilon=0.0)
    batch, key = Batch(connections(), connections()), jax.random.key(0)
    (params, state), (expected, other) = begun(agent), begun(single)
    assert agent.greedy(params, SEEN, ()) == single.greedy(expected, SEEN, ())
    for _ in range(2):
        state, metrics = quick(agent.update)(state, batch, key)
        other, wanted = quick(single.update)(other, batch, key)
    for name, value in wanted.items():
        assert float(metrics[name]) == pytest.approx(float(value), rel=1e-5)
    for ours, theirs in zip(
        jax.tree.leaves(agent.params(state)), jax.tree.leaves(single.params(other)), strict=True
    ):
        np.testing.assert_allclose(ours, theirs, atol=1e-5)


def test_a_member_learns_from_a_random_part_of_the_connections(ute_agent):
    """By hand: the sum of the squared errors of some connections, of each as often as it should."""
    agent = ute_agent(members=1, mask_probability=0.7)
    params, state = begun(agent)
    played = connections()
    values = agent.values_of_skips(params, played.observation, played.action)
    errors = np.asarray((values[np.arange(4), played.skip - 1] - played.reward) ** 2)
    sums = {
        part: errors[list(part)].sum() / 4
        for size in range(5)
        for part in combinations(range(4), size)
    }
    loss = jax.vmap(
        lambda key: agent.valuation.loss(params, state.behaviour, Batch(None, played), key)
    )
    seen = np.zeros(4)
    for one in np.asarray(quick(loss)(jax.random.split(jax.random.key(0), 400))):
        part = min(sums, key=lambda part: abs(sums[part] - one))
        assert sums[part] == pytest.approx(one, rel=1e-4, abs=1e-6)
        seen[list(part)] += 1
    np.testing.assert_allclose(seen / 400, 0.7, atol=0.1)


@pytest.mark.parametrize(("probability", "differ"), [(0.5, True), (1.0, False)])
def test_members_that_begin_alike_differ_by_what_they_see(ute_agent, probability, differ):
    agent = ute_agent(members=3, mask_probability=probability)
    params, _ = begun(agent)
    state = agent.init(params._replace(skip=params.skip[:1] * 3))
    batch = Batch(connections(), connections(16))
    state, _ = quick(agent.update)(state, batch, jax.random.key(0))
    heads = [np.asarray(member.head.weight) for member in state.skip]
    for one, other in combinations(heads, 2):
        assert np.array_equal(one, other) != differ


DISAGREEING = np.array([[1.0, 1.0, 0.0], [1.0, 1.2, 4.0]], np.float32)
"""Means 1, 1.1 and 2, standard deviations 0, 0.1 and 2."""


@pytest.mark.parametrize(
    ("uncertainty", "length"), [(0.0, 9), (1.0, 9), (-0.4, 9), (-0.5, 4), (-0.9, 4), (-2.0, 1)]
)
def test_what_members_disagree_about_is_avoided_or_sought(ute_agent, uncertainty, length):
    chooser = ute_agent(skips="1,4,9", max_skip=None, uncertainty=uncertainty).chooser
    assert chooser.greedy(DISAGREEING) == length
    assert chooser.greedy(jnp.asarray(DISAGREEING)) == length
    chosen = chooser.explore(jnp.asarray(DISAGREEING), jax.random.key(0), jnp.float32(0), False)
    assert chosen == length


def test_numpy_and_jax_choose_alike(ute_agent):
    chooser = ute_agent(members=5, max_skip=6, uncertainty=-0.7).chooser
    estimates = np.random.default_rng(0).normal(size=(200, 5, 6)).astype(np.float32)
    chosen = [int(chooser.greedy(one)) for one in estimates]
    assert quick(jax.vmap(chooser.greedy))(estimates).tolist() == chosen
    assert set(chosen) == set(range(1, 7))


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("members", 0),
        ("members", 2.5),
        ("uncertainty", np.nan),
        ("uncertainty", "much"),
        ("mask_probability", 0.0),
        ("mask_probability", 1.5),
        ("skip_epsilon", 2.0),
    ],
)
def test_options_that_make_no_sense_are_refused(ute_agent, option, value):
    with pytest.raises(BadInput) as caught:
        ute_agent(**{option: value})
    assert caught.value.field == option


def test_both_drivers_give_the_same_bits(ute_agent):
    """CartPole, the same environment on the device and on the host."""

    def trained(driver: str) -> Any:
        on_host = driver == "host"
        return train_deep(
            ute_agent(members=2, hidden=(16,), batch_size=16),
            EnvironmentSpec("CartPole-v1", {}, 30),
            driver=driver,
            seed=0,
            steps=400,
            evaluate_every=0,
            make=(lambda: gym.wrappers.TimeLimit(GymnaxEnvironment("CartPole-v1"), 30))
            if on_host
            else None,
        )

    device, host = trained("device"), trained("host")
    for one, other in zip(
        jax.tree.leaves(device.policy.params), jax.tree.leaves(host.policy.params), strict=True
    ):
        assert np.array_equal(one, other)


STRANGER = """
import sys, temporl
from temporl.cli import main
from temporl.errors import BadInput

run = sys.argv[1]
assert main(["verify", "runs"]) == 0
assert main(["evaluate", run]) == 2
assert main(["resume", "runs"]) == 2
assert main(["report", run]) == 0
try:
    temporl.load(run)
except BadInput as error:
    print(error, file=sys.stderr)
assert "ute_agent" not in sys.modules
print(temporl.load(run, trust=True).decide([0.0, 0.1, 0.0, -0.1]).skip)
assert "ute_agent" in sys.modules
"""


@pytest.mark.usefixtures("ute")
def test_the_page_from_its_commands_to_its_policy(installed, tmp_path, monkeypatch, capfd):
    """Train in two workers, evaluate, verify, report; then the same in Python, and in a sweep."""
    monkeypatch.chdir(tmp_path)
    commands = [shlex.split(line) for line in blocks("")[0].splitlines()]
    assert commands.pop(0) == ["pip", "install", "./examples/ute-agent"]
    printed = {}
    for program, command, *words in commands:
        assert program == "temporl"
        found = [str(path) for word in words if "*" in word for path in tmp_path.glob(word)]
        words = [*found, *(word for word in words if "*" not in word)]
        if "--help" in words:
            with pytest.raises(SystemExit):
                main([command, *words])
        else:
            assert main([command, *words]) == 0
        printed[command, "--help" in words] = capfd.readouterr().out
    assert "Number of skip networks." in printed["train", True]
    assert "mean of 2 seeds" in printed["train", False]
    assert "20 episodes" in printed["evaluate", False]
    assert printed["verify", False] == "runs: 2 sound\n"
    page = (tmp_path / "runs/report.html").read_text()
    assert "UTEDQN" in page

    (run,) = tmp_path.glob("runs/CartPole-v1/UTEDQN-*")
    before = {path: path.stat().st_mtime_ns for path in run.glob("seed-*/*")}
    options = json.loads((run / "seed-0/config.json").read_text())["options"]
    assert (options["members"], options["uncertainty"]) == (5, -0.5)

    (script,) = blocks("py")
    names: dict[str, Any] = {}
    exec(compile(script, "adding-an-agent.md", "exec"), names)
    assert names["run"].path.resolve() == run
    assert names["policy"].skip_values(np.zeros(4)).keys() == set(range(1, 11))

    sweep = {"name": "CartPole-v1", "agents": [NAME], "environments": ["CartPole-v1"], "seeds": 3}
    lines = [f"{key} = {json.dumps(value)}" for key, value in {**sweep, "steps": 5000}.items()]
    table = [f'[options."{NAME}"]', "members = 5", "uncertainty = -0.5"]
    (tmp_path / "sweep.toml").write_text("\n".join([*lines, *table]))
    assert main(["sweep", "sweep.toml", "--workers", "1"]) == 0
    assert {path.name for path in run.glob("seed-*")} == {"seed-0", "seed-1", "seed-2"}
    assert {path: path.stat().st_mtime_ns for path in before} == before

    begun = PlannedRun(names["run"].config, 3, run / "seed-3")
    (run / "seed-3.partial").mkdir()
    (run / "seed-3.partial/plan.json").write_text(json.dumps(begun.plan()))
    done = subprocess.run(
        [sys.executable, "-c", STRANGER, run.relative_to(tmp_path)],
        env={"PYTHONPATH": str(installed), "PATH": ""},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "runs: 1 interrupted, 3 not judged\n" in done.stdout
    assert 1 <= int(done.stdout.splitlines()[-1]) <= 10
    refusals = [line for line in done.stderr.splitlines() if NAME in line]
    assert len(refusals) == 3
    assert all("add --trust" in line for line in refusals)


@pytest.mark.parametrize(
    ("name", "options"), [("TempoSoftDQN", {"temperature": 0.5}), ("LeavingDQN", {"margin": 0.1})]
)
def test_agents_of_a_file_in_the_current_folder(name, options, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "my_agents", raising=False)
    (tmp_path / "my_agents.py").write_text("\n".join(blocks("python")[1:]))
    run = temporl.train(
        f"my_agents:{name}",
        lambda: gym.make("CartPole-v1"),
        steps=150,
        evaluate_every=0,
        progress=False,
        **SMALL | options,
    )
    assert run.policy().decide(np.zeros(4)).skip in (1, 2, 3)
    assert agent_options(temporl.load(run.path).agent).items() >= options.items()
    monkeypatch.delitem(sys.modules, "my_agents")
    with pytest.raises(BadInput, match="my_agents"):
        temporl.load(run.path)
