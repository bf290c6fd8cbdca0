from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from temporl.skipping import extend, target


def test_a_target_is_reward_plus_discounted_value():
    assert target(1.0, 0.5, 4.0) == 3.0
    assert target(-1.0, 0.0, 100.0) == -1.0


def test_three_steps_by_hand():
    """Rewards 1, 2, 4 at gamma 0.5: 1 + 0.5 * 2 + 0.25 * 4 = 3, and a discount of 0.5**3."""
    reward, discount = 0.0, 1.0
    for step_reward in (4.0, 2.0, 1.0):
        reward, discount = extend(step_reward, 0.5, reward, discount)
    assert (reward, discount) == (3.0, 0.125)


@given(
    st.lists(st.floats(-10, 10), min_size=1, max_size=12), st.floats(0, 1), st.sampled_from([0, 1])
)
def test_extending_sums_discounted_rewards(rewards, gamma, alive):
    reward, discount = 0.0, float(alive)
    for step_reward in reversed(rewards):
        reward, discount = extend(step_reward, gamma, reward, discount)
    assert reward == pytest.approx(sum(gamma**k * r for k, r in enumerate(rewards)), abs=1e-9)
    assert discount == pytest.approx(alive * gamma ** len(rewards), abs=1e-12)
