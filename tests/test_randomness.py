from __future__ import annotations

from itertools import product

from temporl.randomness import Purpose, episode_seed, stream


def test_streams_of_one_seed_are_all_different():
    draws = {stream(0, purpose).random() for purpose in Purpose}
    assert len(draws) == len(Purpose)


def test_a_stream_is_the_same_each_time():
    assert stream(3, Purpose.ENVIRONMENT).random(5).tolist() == (
        stream(3, Purpose.ENVIRONMENT).random(5).tolist()
    )


def test_what_a_seed_means_does_not_change():
    """These numbers are part of the library's promise: results of old versions stay valid."""
    assert [int(purpose) for purpose in Purpose] == [0, 1, 2, 3, 4]
    assert stream(0, Purpose.EXPLORATION).random() == 0.9429375528828794
    assert episode_seed(0, Purpose.ENVIRONMENT, 0) == 3953331965


def test_episodes_seeds_and_purposes_give_different_seeds():
    seeds = {
        episode_seed(seed, purpose, episode)
        for seed, purpose, episode in product(range(10), Purpose, range(20))
    }
    assert len(seeds) == 10 * len(Purpose) * 20
