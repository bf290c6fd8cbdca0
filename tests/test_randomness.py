from __future__ import annotations

from itertools import product

import numpy as np
from tests.agreement import oracle

from temporl.randomness import Purpose, episode_seed, generator, stream, uniform


def draws(seed: int, purpose: Purpose, count: int) -> list[float]:
    drawn = stream(seed, purpose)
    return [uniform(drawn) for _ in range(count)]


def test_streams_of_one_seed_are_all_different():
    assert len({draws(0, purpose, 1)[0] for purpose in Purpose}) == len(Purpose)
    assert generator(0, Purpose.BOOTSTRAP).random() != generator(1, Purpose.BOOTSTRAP).random()


def test_a_stream_is_the_same_each_time():
    assert draws(3, Purpose.ENVIRONMENT, 5) == draws(3, Purpose.ENVIRONMENT, 5)


def test_the_scrambling_is_the_published_one():
    """The first outputs of SplitMix64 from a counter of 1234567, as published."""
    expected = [6457827717110365317, 3203168211198807973, 9817491932198370423]
    drawn = np.array([1234567], dtype=np.uint64)
    assert [uniform(drawn) for _ in expected] == [(bits >> 11) / 2**53 for bits in expected]


def test_plain_python_draws_the_same_numbers():
    plain = oracle.Stream(5, Purpose.EVALUATION)
    assert draws(5, Purpose.EVALUATION, 100) == [plain.random() for _ in range(100)]


def test_numbers_are_uniform():
    """Counts in 100 equal parts: chi-square with 99 degrees of freedom is below 180."""
    counts = np.histogram(draws(0, Purpose.EXPLORATION, 20_000), bins=100, range=(0, 1))[0]
    assert counts.sum() == 20_000
    assert ((counts - 200) ** 2 / 200).sum() < 180


def test_what_a_seed_means_does_not_change():
    """These numbers are part of the library's promise: results of old versions stay valid."""
    assert [int(purpose) for purpose in Purpose] == [0, 1, 2, 3, 4, 5, 6]
    assert draws(0, Purpose.EXPLORATION, 1) == [0.17226275731701635]
    assert episode_seed(0, Purpose.ENVIRONMENT, 0) == 3953331965


def test_episodes_seeds_and_purposes_give_different_seeds():
    seeds = {
        episode_seed(seed, purpose, episode)
        for seed, purpose, episode in product(range(10), Purpose, range(20))
    }
    assert len(seeds) == 10 * len(Purpose) * 20
