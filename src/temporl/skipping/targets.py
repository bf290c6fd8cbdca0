"""Every target in the library is `reward + discount * value`.

One function is one equation, written for one sample.
"""

from __future__ import annotations

from temporl.compilation import compiled


@compiled
def target(reward: float, discount: float, value: float) -> float:
    """What a value should become: `reward + discount * value`.

    Eq. 3 of the paper with the reward and discount of one step, Eq. 4 with those of a connection.
    The discount is data: 0 where the episode terminated, `gamma**length` otherwise.
    """
    return reward + discount * value


@compiled
def extend(step_reward: float, gamma: float, reward: float, discount: float) -> tuple[float, float]:
    """Lengthen a connection by one step at its start.

    `sum_k gamma^k r_k` over `length + 1` steps is `r_0 + gamma * (the sum over the last length)`;
    the discount gains one more factor of gamma, and stays 0 where the episode terminated.
    """
    return step_reward + gamma * reward, gamma * discount
