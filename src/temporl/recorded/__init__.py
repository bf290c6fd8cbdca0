"""Learning when to act from recorded episodes, on top of an agent that already knows what to do.

Start with `learning.py` (`learn_skips`). `behaviour.py` is what it needs of the agent, `targets.py`
what it learns from recorded steps, `policy.py` what it returns; `tolerance.py` (`keep_return`)
chooses how eager to commit by playing, and `collecting.py` records fresh episodes.

The behaviour is frozen, so that nothing has to be explored and no value chases another. What an
action played for j steps is worth follows from the recording and the behaviour's own values, and
the skip network is fitted to that.
"""

from temporl.recorded.behaviour import FrozenBehaviour, behaviour_of
from temporl.recorded.collecting import collect_episodes
from temporl.recorded.episodes import Episode, minari_episodes
from temporl.recorded.learning import learn_skips
from temporl.recorded.policy import SkipPolicy, load_skip_policy, save_skip_policy
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
