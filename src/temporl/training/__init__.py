"""From an agent and an environment to a trained agent. Knows no files.

Start with `learner.py`: one step of training with networks, as pure functions. `device.py` and
`host.py` drive it, the one in compiled environments, the other in any Gymnasium environment, and
`deep.py` chooses between them. `trainer.py` is the interface for tables and networks alike,
`outcome.py` what training returns, `checkpointer.py` all that it knows of interruptions.
"""
