"""The model card of a policy: what it is, how good it is, and how it was made."""

from __future__ import annotations

import json
from shlex import quote

import numpy as np

from temporl.runs.config import RunConfig
from temporl.training.outcome import Trained, last_evaluations


def model_card(config: RunConfig, seed: int, trained: Trained, version: str) -> str:
    """A page in Markdown that can be shared with the policy."""
    environment = config.environment
    options = f" with `{json.dumps(environment.options)}`" if environment.options else ""
    played = f"{trained.steps:,} steps in {trained.episodes:,} episodes"
    return f"""# {config.agent_label} on {environment.label}

A policy that decides what to do and for how many steps, trained with temporl {version}.

- environment: `{environment.name}`{options}
- trained for {played}, seed {seed}
- {_scores(trained)}

Load it; nothing in this folder is code:

```python
import temporl

policy = temporl.load("path/to/the/folder/above")
action, skip = policy.decide(observation)
```

Make it again:

```
{command(config, seed)}
```
"""


def _scores(trained: Trained) -> str:
    evaluations = trained.evaluations
    if not len(evaluations.returns):
        return "not evaluated while it was trained"
    late = last_evaluations(len(evaluations.returns))
    earned, steps, decisions = (
        float(np.mean(column[late]))
        for column in (evaluations.returns, evaluations.lengths, evaluations.decisions)
    )
    count = len(evaluations.returns[late])
    return (
        f"mean of its last {count} greedy episodes: return {earned:.4g},"
        f" {decisions:.4g} decisions in {steps:.4g} steps"
    )


def command(config: RunConfig, seed: int) -> str:
    """The command line that trains the same run again."""
    data = config.to_data()
    words = [f"temporl train {config.agent_name} --env {config.environment.name}"]
    if config.environment.options:
        pairs = [f"{key}={json.dumps(value)}" for key, value in config.environment.options.items()]
        words.append("--env-options " + " ".join(quote(pair) for pair in pairs))
    if config.environment.step_limit is not None:
        words.append(f"--step-limit {config.environment.step_limit}")
    names = ("episodes", "steps", "evaluate_every", "evaluation_starts", "driver")
    budget = {name: data.get(name) for name in names}
    words += [
        f"--{name.replace('_', '-')} {_value(value)}"
        for name, value in (budget | {"seed": seed} | data["options"]).items()
        if value is not None
    ]
    return " \\\n  ".join(words)


def _value(value: object) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else quote(str(value))
