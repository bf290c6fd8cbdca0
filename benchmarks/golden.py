"""Whether a rebuild changes no bits: the same short runs by two versions, compared.

    python benchmarks/golden.py                               this checkout beside its last commit
    python benchmarks/golden.py --before ../baseline          beside another checkout
    python benchmarks/golden.py --before v0.1.0 --only t-dqn  beside a revision, some cases only

Every array of a policy and every column of its evaluations is compared by its SHA-256. Digests of
networks depend on the processor, so both versions run here and none is written down. Versions are
used by their command line and public names alone; revisions get a worktree for the time.
"""

from __future__ import annotations

import argparse
import glob
import hashlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyarrow.parquet import ParquetFile
from safetensors.numpy import load_file

ROOT = Path(__file__).resolve().parent.parent
PATIENCE = 600.0
"""Seconds after which a process is given up."""
Digests = dict[str, str]

ZIGZAG = "--env temporl/ZigZag-v0 --episodes 500"
SLIPPERY = "--env temporl/ZigZag-v0 --env-options slip=0.2"
BLACKJACK = "--env Blackjack-v1 --step-limit 20"
SMALL = "--hidden 32 32 --batch-size 32"
RARE = "--loss huber --clip-gradient 1 --target-every 20 --train-every 2 --learning-starts 100"
FEATURES = f"""dqn --env CartPole-v1, dqn --env MountainCar-v0 --evaluation-starts 3,
    t-dqn --env MountainCar-v0, t-dqn --env CartPole-v1 --architecture context,
    t-dqn --env Acrobot-v1 --step-limit 100 --architecture shared,
    t-dqn --env CartPole-v1 --connections skip --skips powers-of-two --skip-epsilon 0.3,
    t-dqn --env CartPole-v1 --evaluation-starts 3 --epsilon linear --epsilon-steps 300 {RARE},
    dar --env Acrobot-v1 --step-limit 100, ez-dqn --env CartPole-v1"""
CONTINUOUS = "ddpg, t-ddpg, t-ddpg --architecture context, figar, td3, t-td3, sac, t-sac"
PENDULUM = f"--env Pendulum-v1 --steps 400 --evaluate-every 200 --warm-up 100 {SMALL}"
IMAGES = "dqn, t-dqn --architecture shared, t-dqn --architecture context, dar, ez-dqn"
FRAMES = "--learning-starts 100 --buffer-size 1000 --hidden 32"
BOARD = f"--env gymnax/Breakout-MinAtar {FRAMES}"
COMMANDS = (  # the group, agents with options of their own, and options that all of them have
    ("tables compiled", "q, t-q, ez-q, t-q --connections skip, t-q --epsilon log", ZIGZAG),
    ("tables compiled", "t-q --skips powers-of-two --max-skip 8 --greedy-skip-ties random", ZIGZAG),
    ("tables compiled", "t-q --skip-epsilon 0.3 --skip-ties shortest --tie-tolerance 0.01", ZIGZAG),
    ("tables compiled", "q, t-q, ez-q", f"{SLIPPERY} --steps 5000"),
    ("tables compiled", "t-q --connections skip --padding committed", f"{SLIPPERY} --episodes 500"),
    ("tables compiled", "q, t-q, ez-q", "--env FrozenLake-v1 --episodes 500"),
    ("tables compiled", "q, t-q, ez-q", "--env Taxi-v4 --steps 20000"),
    ("tables stepped", "q, t-q, ez-q", f"{BLACKJACK} --episodes 500"),
    ("tables stepped", "q, t-q, ez-q", f"{BLACKJACK} --steps 1000"),
    ("device", FEATURES, f"--driver device --steps 1200 --evaluate-every 300 {SMALL}"),
    ("device", CONTINUOUS, f"--driver device {PENDULUM}"),
    ("device", IMAGES, f"--driver device {BOARD} --steps 400 --evaluate-every 200"),
    ("host", FEATURES, f"--driver host --steps 500 --evaluate-every 250 {SMALL}"),
    ("host", "dqn, t-dqn", f"--env LunarLander-v3 --steps 500 --evaluate-every 250 {SMALL}"),
    ("host", "dqn, t-dqn", f"--env FrozenLake-v1 --steps 500 --evaluate-every 250 {SMALL}"),
    ("host", CONTINUOUS, f"--driver host {PENDULUM}"),
    ("host", IMAGES, f"--driver host {BOARD} --steps 400 --evaluate-every 200"),
    (
        "host",
        "dqn, t-dqn",
        f"--env ALE/Freeway-v5 --step-limit 120 --steps 300 --evaluate-every 150 {FRAMES}",
    ),
    # These take seconds, so that there is time to interrupt them in the midst of learning.
    ("resume", "t-q", f"{SLIPPERY} --episodes 1000000 --evaluate-every 1000"),
    ("resume", "t-q", f"{BLACKJACK} --episodes 40000 --evaluate-every 1000"),
    ("resume", "t-dqn", f"--env CartPole-v1 --steps 40000 --buffer-size 2000 {SMALL}"),
    ("resume", "t-dqn", f"--env LunarLander-v3 --steps 8000 --buffer-size 2000 {SMALL}"),
    ("resume", "t-dqn", f"{BOARD} --steps 5000"),
)
PRELUDE = """
import hashlib, gymnasium as gym, numpy as np, temporl
from temporl.recorded import collect_episodes, learn_skips
from temporl.sb3 import CommittedModel
from temporl.wrappers import CommittedActions, VectorCommittedActions

def trained(agent, env, **options):
    return temporl.load(temporl.train(agent, env, workers=1, progress=False, **options).path)

small, heard = {"steps": 1000, "hidden": (32, 32), "batch_size": 32, "evaluate_every": 0}, []
"""
SNIPPETS = {
    "collect_episodes and learn_skips of a dqn": """
policy = trained("dqn", "CartPole-v1", **small)
episodes = collect_episodes(policy, "CartPole-v1", 500, max_skip=4, epsilon=0.1)
for episode in episodes:
    heard += [episode.observations, episode.actions, episode.rewards, episode.terminated]
for targets in ("outcomes", "advantages"):
    skipping = learn_skips(policy, episodes, max_skip=4, updates=300, targets=targets)
    for seen in episodes[0].observations:
        heard += [*skipping.decide(seen), list(skipping.skip_values(seen).values())]
""",
    "CommittedActions in random play": """
env, over = CommittedActions(gym.make("CartPole-v1"), (1, 2, 4), gamma=0.9), True
env.action_space.seed(0)
for number in range(300):
    if over:
        heard.append(env.reset(seed=number)[0])
    *answer, info = env.step(env.action_space.sample())
    over = answer[2] or answer[3]
    heard += [*answer, info["steps_played"], info["discount"]]
    for step in info["intermediate"]:
        heard += [step.observation, step.reward, step.decided]
        ended = step.terminated or step.truncated
        heard.append(0 if ended else step.remaining)  # 0.1 always said 0 at an end
""",
    "VectorCommittedActions in random play": """
env = VectorCommittedActions(gym.make_vec("CartPole-v1", num_envs=3), (1, 2, 4), gamma=0.9)
env.action_space.seed(0)
heard.append(env.reset(seed=0)[0])
for _ in range(300):
    *answer, info = env.step(env.action_space.sample())
    heard += [*answer, info["free"], info["steps_played"], info["discount"]]
""",
    "evaluate of a t-q with max_skip": """
policy = trained("t-q", "temporl/ZigZag-v0", episodes=300, env_options={"slip": 0.2})
world = lambda: gym.make("temporl/ZigZag-v0", slip=0.2)
for max_skip in (None, 1, 2, 5):
    outcome = temporl.evaluate(policy, world, 10, step_limit=100, max_skip=max_skip)
    heard += [outcome.returns, outcome.lengths, outcome.decisions]
""",
    "CommittedModel of a t-dqn": """
model = CommittedModel(trained("t-dqn", "CartPole-v1", **small))
env, state, begins = gym.make_vec("CartPole-v1", num_envs=3), None, np.ones(3, bool)
seen, _ = env.reset(seed=0)
for _ in range(200):
    actions, state = model.predict(seen, state, begins)
    seen, _, terminated, truncated, _ = env.step(actions)
    begins = terminated | truncated
    heard += [actions, seen, begins, model.decisions]
""",
}
ENDING = """
digest = hashlib.sha256()
for value in map(np.asarray, heard):
    assert value.dtype != object, "its bytes are addresses"
    digest.update(f"{value.dtype} {value.shape} ".encode() + value.tobytes())
print(digest.hexdigest())
"""


class Trouble(Exception):
    """A case is not the same in both versions: the word for it, and more words."""


@dataclass(frozen=True)
class Version:
    """A checkout, and a temporary folder for what it makes."""

    name: str
    checkout: Path
    place: Path

    def start(self, arguments: list[str], folder: Path) -> subprocess.Popen[str]:
        """Start Python with this version's library before the one that is installed."""
        # Machine code has a folder of its own: none of it is stale, and none is left behind.
        kernels = str(self.place / f"{self.name}-kernels")
        more = {"PYTHONPATH": str(self.checkout / "src"), "NUMBA_CACHE_DIR": kernels}
        pipes: Any = dict.fromkeys(("stdout", "stderr"), subprocess.PIPE)
        command = [sys.executable, *arguments]
        return subprocess.Popen(command, cwd=folder, env=os.environ | more, text=True, **pipes)

    def finish(self, process: subprocess.Popen[str], allowed: tuple[int, ...] = (0,)) -> str:
        """Wait for a process; what it printed."""
        try:
            said, complaint = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            raise Trouble("failed", f"{self.name}: no end after {PATIENCE:.0f} s") from None
        if process.returncode not in allowed:
            last = (complaint or said).strip().rpartition("\n")[2]
            raise Trouble("failed", f"{self.name}: exit code {process.returncode}: {last}")
        return said.strip()

    def require_own_library(self) -> None:
        """Make sure that this checkout is imported, and not the library that is installed."""
        found = self.finish(
            self.start(["-c", "import temporl; print(temporl.__file__)"], self.place)
        )
        assert Path(found).is_relative_to(self.checkout), f"{found} is not {self.name}"

    def outcome(self, group: str, text: str) -> tuple[Digests, str]:
        """Digests of all that a snippet or a command computes, and a remark."""
        folder = Path(tempfile.mkdtemp(dir=self.place))
        if group == "snippet":
            code = f"{PRELUDE}{text}{ENDING}"
            return {"its digest": self.finish(self.start(["-c", code], folder))}, ""
        train = f"-m temporl train {text} --workers 1 --seeds 1 --out".split()
        self.finish(self.start([*train, "whole"], folder))
        whole = digests(folder / "whole")
        if group != "resume":
            return whole, ""
        train += ["resumed", "--checkpoint-minutes", "0"]
        remark = self.interrupt(train, folder)
        self.finish(self.start(train, folder))
        require_same(whole, digests(folder / "resumed"), f"{self.name}, {remark}: ")
        return whole, f" ({self.name}: {remark})"

    def interrupt(self, train: list[str], folder: Path) -> str:
        """Interrupt training once something was learned and written down; how that went."""
        process, until = self.start(train, folder), time.monotonic() + PATIENCE
        # The first checkpoint may be one of step 0, which is not worth resuming.
        written = f"{folder}/**/*.partial/checkpoint-[1-9]*"
        while process.poll() is None and time.monotonic() < until:
            found = glob.glob(written, recursive=True)
            time.sleep(0.2 if found else 0.01)  # a run learns a lot in that time
            if found:
                process.send_signal(signal.SIGINT)
                break
        self.finish(process, (0, 128 + signal.SIGINT))
        steps = [int(path.rpartition("-")[2]) for path in glob.glob(written, recursive=True)]
        return f"resumed at step {max(steps):,}" if steps else "not interrupted"


def digests(out: Path) -> Digests:
    """The SHA-256 of every array of the only policy in a folder and of every evaluated column."""
    (evaluations,) = out.rglob("evaluations.parquet")
    arrays = load_file(evaluations.parent / "policy" / "arrays.safetensors")
    table = ParquetFile(evaluations).read()
    if not arrays or not table.num_rows:
        raise Trouble("failed", "there is nothing to compare")
    everything = arrays | {f"column {name}": table[name].to_numpy() for name in table.column_names}
    return {
        name: hashlib.sha256(f"{name} {a.dtype} {a.shape} ".encode() + a.tobytes()).hexdigest()
        for name, a in everything.items()
    }


def require_same(one: Digests, other: Digests, where: str = "") -> None:
    """Name what two outcomes do not have in common."""
    differing = sorted({name for name, _ in one.items() ^ other.items()})
    if differing:
        raise Trouble("DIFFERENT", where + ", ".join(differing))


def compare(before: Version, present: Version, group: str, text: str) -> tuple[str, str]:
    """A word about a case, and the rest of its line."""
    began = time.monotonic()
    try:
        expected, earlier = before.outcome(group, text)
        halfway = time.monotonic()
        found, later = present.outcome(group, text)
        require_same(expected, found)
    except Trouble as trouble:
        word, reason = trouble.args
        return word, reason
    times = f"{halfway - began:.1f} and {time.monotonic() - halfway:.1f} s"
    return "same", f"{times}{earlier}{later}"


@contextmanager
def checkout(given: str, place: Path) -> Iterator[Path]:
    """The folder that is given, or a worktree of the revision that is."""
    if Path(given).is_dir():
        yield Path(given).resolve()
        return
    git = ["git", "-C", str(ROOT), "worktree"]
    subprocess.run([*git, "add", "--quiet", "--detach", str(place), given], check=True)
    try:
        yield place
    finally:
        subprocess.run([*git, "remove", "--force", str(place)], check=True)


def all_cases() -> dict[str, tuple[str, str]]:
    """The group and the text of every case, by its name."""
    commands = [
        (group, f"{agent.strip()} {options}")
        for group, agents, options in COMMANDS
        for agent in agents.split(",")
    ]
    trained = {f"{group}: {text}": (group, text) for group, text in commands}
    return trained | {f"snippet: {name}": ("snippet", text) for name, text in SNIPPETS.items()}


def compare_all(before: Version, present: Version, only: str, jobs: int) -> bool:
    """Print a line for each case, and a summary; whether all are the same."""
    began, words = time.monotonic(), []
    for version in (before, present):
        version.require_own_library()
    chosen = {name: case for name, case in all_cases().items() if only in name}
    pool = ThreadPoolExecutor(jobs)
    try:
        outcomes = pool.map(lambda case: compare(before, present, *case), chosen.values())
        for name, (word, rest) in zip(chosen, outcomes, strict=True):
            print(f"{word:9}  {name}: {rest}", flush=True)
            words.append(word)
    finally:
        pool.shutdown(cancel_futures=True)
    counts = ", ".join(f"{words.count(word)} {word}" for word in ("same", "DIFFERENT", "failed"))
    print(f"{len(words)} cases: {counts}; {time.monotonic() - began:.0f} s")
    return set(words) == {"same"}


def main() -> None:
    """Compare two versions case by case."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--before", default="HEAD", help="a checkout's folder, or a revision")
    parser.add_argument("--present", default=str(ROOT), help="the same for the version to judge")
    parser.add_argument("--only", default="", help="only cases with this in their line")
    parser.add_argument("--jobs", type=int, default=2, help="how many cases at a time")
    given = parser.parse_args()
    # Shells start background jobs with interrupts ignored, and so would be all that follows.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with (
        tempfile.TemporaryDirectory(prefix="temporl-golden-") as folder,
        checkout(given.before, Path(folder) / "before") as old,
        checkout(given.present, Path(folder) / "present") as new,
    ):
        before = Version("before", old, Path(folder))
        present = Version("present", new, Path(folder))
        sys.exit(not compare_all(before, present, given.only, given.jobs))


if __name__ == "__main__":
    main()
