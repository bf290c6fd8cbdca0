"""The same runs on a Ray cluster (extra `ray`): pure data goes out, finished files come back.

A run whose worker or node dies is sent out again; one that fails by itself is not. Every run that
comes back is put into its place at once, so that a driver that dies has lost only what was under
way.
"""

from __future__ import annotations

import json
import os
import socket
import tempfile
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from temporl.errors import BadInput, RunFailed
from temporl.runs.checkpoints import working
from temporl.runs.config import run_identity
from temporl.runs.files import MANIFEST
from temporl.runs.interruption import Interruption, interruptible
from temporl.runs.plan import PlannedRun, execute, failure_reason
from temporl.runs.progress import ProgressDisplay
from temporl.runs.store import add_run, course_file, working_folder
from temporl.runs.workers import Failure, compiler_settings, run_threads
from temporl.training.outcome import ProgressReport

RETRIES = 20
"""How often a run is sent out again because its worker or its node died."""
SECONDS_TO_ANSWER = 5.0
COURSE = "course"
AHEAD = 2
"""Runs that are sent out for each core: one that it works on, and one that waits."""


def require_ray() -> None:
    """Raise if Ray is not installed, before anything is started."""
    if find_spec("ray") is None:
        raise BadInput("ray", "", "install it first: pip install -e '.[ray]'")


def require_cluster(address: str) -> None:
    """Raise if no cluster answers at an address; Ray itself would keep trying for many minutes."""
    host, _, port = address.rpartition(":")
    if address == "local" or "://" in address:
        return
    if not host or not port.isdecimal():
        raise BadInput("ray", address, "allowed: 'local', or host:port as 'ray start' prints it")
    try:
        socket.create_connection((host, int(port)), timeout=SECONDS_TO_ANSWER).close()
    except (OSError, OverflowError) as error:
        raise BadInput("ray", address, f"no cluster answers there: {error}") from error


def execute_remotely(data: str) -> dict[str, bytes] | str:
    """Execute a run on a machine of the cluster: its files by name, or why it failed.

    Nothing of that machine is kept; the files are written where the sweep was started.
    """
    with tempfile.TemporaryDirectory(prefix="temporl-") as place:
        run = PlannedRun.from_data(json.loads(data) | {"folder": str(Path(place) / "run")})
        try:
            execute(run)
        except Exception as error:  # an environment may raise anything
            return failure_reason(error)
        files = {
            str(path.relative_to(run.folder)): path.read_bytes()
            for path in run.folder.rglob("*")
            if path.is_file()
        }
        return files | {COURSE: course_file(run.folder).read_bytes()}


def complete_on_ray(
    missing: Sequence[PlannedRun], address: str, display: ProgressDisplay
) -> list[Failure]:
    """Execute runs on a cluster, and return those that failed; the others are on disk here."""
    require_ray()
    require_cluster(address)
    import ray

    if not missing:
        return []
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # it would report usage over the network
    # By its name: without one Ray joins whatever cluster this machine was last part of.
    alone = {"_node_ip_address": "127.0.0.1", "include_dashboard": False}
    more = alone if address == "local" else {}
    try:
        ray.init(address, log_to_driver=False, logging_level="ERROR", **more)
    except Exception as error:  # some of Ray's own have no other type
        reason = str(error).partition("\n")[0]
        raise BadInput("ray", address, f"no cluster answers there: {reason}") from error
    try:
        with interruptible() as interruption:
            failures = _collect(missing, display, interruption)
    finally:
        ray.shutdown()
    interruption.leave()
    return failures


def _collect(
    missing: Sequence[PlannedRun], display: ProgressDisplay, interruption: Interruption
) -> list[Failure]:
    """Send runs out, a few ahead of the cores there are, and take in what comes back."""
    import ray

    remote = ray.remote(num_cpus=1, max_retries=RETRIES, retry_exceptions=False)(execute_remotely)
    waiting = list(reversed(missing))
    under_way: dict[Any, PlannedRun] = {}
    failures: list[Failure] = []
    while (waiting or under_way) and not interruption.requested:
        room = AHEAD * max(1, int(ray.cluster_resources().get("CPU", 1)))
        while waiting and len(under_way) < room:
            run = waiting.pop()
            settings = {"env_vars": compiler_settings(run_threads(run))}
            begun = remote.options(runtime_env=settings).remote(json.dumps(run.to_data()))
            under_way[begun] = run
        done, _ = ray.wait(list(under_way), timeout=1.0)
        for reference in done:
            run = under_way.pop(reference)
            with display.run() as on_progress:
                try:
                    _take_in(run, ray.get(reference))
                    on_progress(ProgressReport(1.0, run.config.steps or 0, {}))
                except ray.exceptions.RayError as error:
                    reason = f"its worker died more than {RETRIES} times: {type(error).__name__}"
                    failures.append(Failure(run, reason))
                except RunFailed as error:
                    failures.append(Failure(run, str(error)))
    for reference in under_way:
        ray.cancel(reference, force=True)
    return failures


def _take_in(run: PlannedRun, files: dict[str, bytes] | str) -> None:
    """Put what came back into its place."""
    if isinstance(files, str):
        raise RunFailed(files)
    files.pop(MANIFEST)  # it is made anew from what arrived
    course = files.pop(COURSE)
    # As wherever runs are made: alone, and clearing away what a process that died was writing.
    with working(working_folder(run.folder), run.plan(), None, Interruption()):
        add_run(run.folder, files, run_identity(run.plan()), course)
