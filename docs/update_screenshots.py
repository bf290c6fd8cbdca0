"""Bring the pictures of the report page up to date, by Chromium, from a results folder.

    python -m docs.update_screenshots runs --scene ZigZag-v0
    python -m docs.update_screenshots runs --contact-sheet runs/featurized/t-dqn-...

The desktop is light and shows charts, the phone is dark and shows a map. The contact sheet is what
`temporl watch` makes of a run.
"""

from __future__ import annotations

import argparse
import base64
import tempfile
from pathlib import Path
from typing import Any

from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait
from tests.report.page.browser import browser, prefer

from temporl.cli import main as temporl
from temporl.report.page import write_page

IMAGES = Path(__file__).parent / "images"
DESKTOP, PHONE = (1280, 1400), (390, 844)


def shown_scene(driver: Any, page: Path, title: str, scheme: str) -> Any:
    """The part of the page about one environment, with everything drawn."""
    prefer(driver, scheme)
    driver.get(page.as_uri())
    scenes = driver.find_elements(By.CSS_SELECTOR, ".scene")
    (scene,) = [s for s in scenes if s.find_element(By.TAG_NAME, "h2").text.startswith(title)][:1]
    driver.execute_script("arguments[0].scrollIntoView({behavior: 'instant'})", scene)
    WebDriverWait(driver, 60).until(lambda _: scene.get_attribute("data-complete") is not None)
    return scene


def save_picture(driver: Any, path: Path) -> None:
    """Save what is in the window."""
    taken = driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})
    path.write_bytes(base64.b64decode(taken["data"]))
    print(path)


def update(runs: Path, title: str, images: Path = IMAGES) -> None:
    """Write the page about a results folder, and photograph it twice."""
    with tempfile.TemporaryDirectory() as place:
        page = write_page(runs, Path(place) / "report.html")
        with browser(*DESKTOP) as driver:
            shown_scene(driver, page, title, "light")
            save_picture(driver, images / "report-desktop.png")
        with browser(*PHONE) as driver:
            scene = shown_scene(driver, page, title, "dark")
            for world in scene.find_elements(By.CSS_SELECTOR, ".world"):
                driver.execute_script("arguments[0].scrollIntoView({behavior: 'instant'})", world)
            save_picture(driver, images / "report-phone.png")


def update_contact_sheet(run: Path, images: Path = IMAGES) -> None:
    """Film an episode of a run, and keep the sheet of the states in which it decided."""
    with tempfile.TemporaryDirectory() as place:
        film = Path(place) / "episode.gif"
        if temporl(["watch", str(run), "--out", str(film)]) == 0:
            (images / "contact-sheet.png").write_bytes(film.with_suffix(".png").read_bytes())
            print(images / "contact-sheet.png")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("runs", type=Path)
    parser.add_argument("--scene", default="ZigZag-v0", help="how the title of a scene begins")
    parser.add_argument("--contact-sheet", type=Path, metavar="RUN")
    asked = parser.parse_args()
    update(asked.runs, asked.scene)
    if asked.contact_sheet is not None:
        update_contact_sheet(asked.contact_sheet)
