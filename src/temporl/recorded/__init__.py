"""Learning when to act from recorded episodes, on top of an agent that already knows what to do.

Start with `learning.py` (`learn_skips`). `behaviour.py` is what it needs of the agent, `targets.py`
computes its targets from recorded steps, `skip_policy.py` is what it returns.
`tolerance.py` (`keep_return`) finds by playing how readily a policy may commit; `episodes.py` holds
what is recorded, and records episodes.

The behaviour is frozen, so that nothing has to be explored and targets do not move. They follow
from the recording and the behaviour's own values, and the skip network is fitted to them.
"""

from temporl.recorded.behaviour import FrozenBehaviour, behaviour_of
from temporl.recorded.episodes import Episode, collect_episodes, minari_episodes
from temporl.recorded.learning import learn_skips
from temporl.recorded.skip_policy import SkipPolicy, load_skip_policy, save_skip_policy
from temporl.recorded.tolerance import keep_return

__all__ = [
    "Episode",
    "FrozenBehaviour",
    "SkipPolicy",
    "behaviour_of",
    "collect_episodes",
    "keep_return",
    "learn_skips",
    "load_skip_policy",
    "minari_episodes",
    "save_skip_policy",
]
