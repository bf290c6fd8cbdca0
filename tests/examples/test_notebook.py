"""The example notebook runs from top to bottom."""

from __future__ import annotations

import warnings
from pathlib import Path

NOTEBOOK = Path(__file__).parents[2] / "examples" / "results.ipynb"


def test_the_notebook_runs(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the notebook's own machinery
        import nbformat
        from nbclient import NotebookClient

        notebook = nbformat.read(NOTEBOOK, as_version=4)
        folder = {"metadata": {"path": str(tmp_path)}}
        NotebookClient(notebook, timeout=300, resources=folder).execute()
    assert (tmp_path / "runs" / "ZigZag-v0").is_dir()
    pictures = [
        output
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if "image/png" in output.get("data", {})
    ]
    assert len(pictures) == 1
