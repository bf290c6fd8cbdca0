"""Tabular agents: Q-learning, TempoRL Q-learning, temporally extended epsilon-greedy Q-learning.

Start with `learning.py`, the paper's algorithm 1: how tables decide and learn. `agents.py` has the
hyperparameters, `play.py` the compiled loop for transition tables, `stepping.py` training in any
other discrete environment, `training.py` the trainer, `policy.py` the trained policy. Everything is
compiled with numba; nothing here imports JAX.
"""
