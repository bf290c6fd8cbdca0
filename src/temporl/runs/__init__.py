"""From a plan to finished folders: what runs, stores, locks, verifies, spreads and resumes.

Start with `train.py` (`temporl.train`), which turns arguments into a `RunConfig` (`config.py`) and
that into planned runs (`plan.py`). `workers.py` executes them on all cores, `checkpoints.py` keeps
runs under way, `store.py` and `policies.py` write what is finished, all through `files.py`, which
writes whole folders and checks whatever it reads. Nothing here knows any maths.
"""
