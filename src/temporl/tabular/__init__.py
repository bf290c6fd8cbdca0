"""Tabular agents: Q-learning, TempoRL Q-learning, temporally extended epsilon-greedy Q-learning.

`agents` has their hyperparameters, `learning` the inside of the paper's algorithm,
`compiled_training` and `stepping` the two loops around it, `policy` what they leave behind.
"""
