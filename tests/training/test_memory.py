"""Training takes no more memory after many steps than after some."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from tests.agents.small import small
from tests.direct import train_deep

from temporl.environments import EnvironmentSpec

STEPS = {"device": 60_000, "host": 8_000}
MOST_GROWTH = 8 * 2**20


def resident_bytes() -> int:
    """How much memory this process has now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads what Linux tells")
@pytest.mark.parametrize("driver", STEPS)
def test_memory_is_flat_once_the_ring_is_full(driver):
    seen: list[int] = []
    steps = STEPS[driver]
    train_deep(
        small("t-dqn-concat", buffer_size=1000),
        EnvironmentSpec("CartPole-v1"),
        driver=driver,
        seed=0,
        steps=steps,
        evaluate_every=steps // 20,
        on_progress=lambda _: seen.append(resident_bytes()),
    )
    assert len(seen) == 20
    assert seen[-1] - seen[4] < MOST_GROWTH
