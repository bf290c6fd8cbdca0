"""The check of shapes is at work while the tests run."""

from __future__ import annotations

import ast
import inspect

import jax.numpy as jnp
import pytest
from jaxtyping import TypeCheckError
from tests.shapes import functions_with_shapes

from temporl.agents.dqn import select
from temporl.tabular import learning


def test_an_array_of_another_shape_is_refused():
    values, choice = jnp.zeros((3, 2)), jnp.zeros(3, int)
    assert select(values, choice).shape == (3,)
    with pytest.raises(TypeCheckError, match=r"select[^$]*values"):
        select(jnp.zeros(3), choice)


def test_so_is_an_answer_of_another_shape(monkeypatch):
    monkeypatch.setattr(jnp, "sum", lambda *_, **__: jnp.zeros((2, 2)))
    with pytest.raises(TypeCheckError, match="return value"):
        select(jnp.zeros((3, 2)), jnp.zeros(3, int))


def test_annotations_stay_as_they_are_written():
    hints = inspect.get_annotations(select)
    assert list(hints) == ["values", "choice", "return"]


def test_compiled_functions_are_left_alone():
    tree = ast.parse(inspect.getsource(learning))
    assert "Float" in inspect.getsource(learning)
    assert not list(functions_with_shapes(tree))
