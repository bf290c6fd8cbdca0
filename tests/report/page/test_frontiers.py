"""Pictures of `temporl frontier` on the page."""

from __future__ import annotations

import base64

import pytest

import temporl
from temporl.errors import DamagedFile
from temporl.report.page import page_text


@pytest.fixture
def run(tmp_path):
    run = {"episodes": 50, "progress": False, "workers": 1, "out": tmp_path}
    return temporl.train("frugal-q", "temporl/ZigZag-v0", **run)


def test_a_frontier_beside_the_seeds_is_shown_and_named(run, tmp_path):
    assert "at other prices" not in page_text(tmp_path)
    picture = b"\x89PNG\r\n" + b"picture"
    (run.path / "frontier.png").write_bytes(picture)
    page = page_text(tmp_path)
    assert base64.b64encode(picture).decode() in page
    assert "frugal-q: return against decisions" in page


def test_what_is_no_picture_is_not_shown_and_a_link_is_refused(run, tmp_path):
    (run.path / "frontier.png").write_bytes(b"<script>")
    assert "at other prices" not in page_text(tmp_path)
    (run.path / "frontier.png").unlink()
    (run.path / "frontier.png").symlink_to("/etc/hostname")
    with pytest.raises(DamagedFile, match=r"frontier\.png"):
        page_text(tmp_path)
