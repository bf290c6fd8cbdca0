"""At the edge: what only some users need. Nothing but the command line depends on it.

`cluster.py` executes runs on a Ray cluster, `estimates.py` predicts their time and disk space,
`tuning.py` searches for hyperparameters with Optuna.
"""
