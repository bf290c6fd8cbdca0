"""The report page as a reader meets it: in a real browser."""

from __future__ import annotations

import json
import shutil
import time

import pytest
from axe_core_python.base import AXE_SCRIPT
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait
from tests.report.page.browser import browser, prefer, requests_made
from tests.report.page.folders import HOSTILE, small_folder

from temporl.report.page import write_page


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    folder = small_folder(tmp_path_factory.mktemp("runs"))
    return write_page(folder, folder / "report.html")


@pytest.fixture(scope="module")
def driver(page):
    with browser() as driver:
        driver.get(page.as_uri())
        scene(driver)
        yield driver


def scene(driver):
    """The environment's part of the page, with everything drawn."""
    section = driver.find_element(By.CSS_SELECTOR, ".scene")
    driver.execute_script("arguments[0].scrollIntoView({behavior: 'instant'})", section)
    wait = WebDriverWait(driver, 60)
    wait.until(lambda _: section.get_attribute("data-filled"))
    wait.until(lambda _: section.get_attribute("data-complete") is not None)
    return section


def chart(driver, name):
    """The traces and layout of a chart as they are drawn."""
    section = driver.find_element(By.CSS_SELECTOR, ".scene")
    WebDriverWait(driver, 60).until(lambda _: section.get_attribute("data-complete") is not None)
    return driver.execute_script(
        "const c = document.querySelector(`[data-chart=${arguments[0]}]`);"
        "return {lines: c.data.map(t => ({name: t.name, x: t.x, y: t.y})),"
        " title: c.layout.xaxis.title.text, kind: c._fullLayout.xaxis.type,"
        " range: c._fullLayout.xaxis.range, label: c.getAttribute('aria-label')}",
        name,
    )


def names(driver, name="return"):
    return {line["name"] for line in chart(driver, name)["lines"]}


def test_it_loads_in_silence_and_asks_the_network_for_nothing(page):
    with browser() as driver:
        driver.get(page.as_uri())
        scene(driver)
        time.sleep(0.3)
        assert driver.get_log("browser") == []
        assert requests_made(driver) == [page.as_uri()]


def test_tables_match_table_json_and_names_stay_text(driver, page):
    rows = json.loads((page.parent / "gridworlds" / "table.json").read_text())
    cells = driver.find_elements(By.CSS_SELECTOR, "table.results td.value")
    assert [cell.text.split("\n")[0] for cell in cells] == [f"{row['value']:.3f}" for row in rows]
    assert "✓ published 0.92" in cells[0].text
    assert "✗ published 0.57" in cells[1].text
    shown = driver.find_element(By.CSS_SELECTOR, "table.results").text
    assert HOSTILE in shown
    assert driver.title != "broken in"


def test_curves_can_be_switched_off_and_on(driver):
    section = scene(driver)
    assert {"q", "t-q"} <= names(driver)
    button = section.find_element(By.XPATH, ".//button[text()='q']")
    button.click()
    assert button.get_attribute("aria-pressed") == "false"
    assert "q" not in names(driver)
    assert "q" not in names(driver, "decisions")
    button.send_keys(Keys.ENTER)
    assert "q" in names(driver)


def test_the_axis_can_be_switched(driver):
    section = scene(driver)
    ends = {}
    for name in ("steps", "episodes", "decisions", "seconds"):
        section.find_element(By.CSS_SELECTOR, f"input[value={name}]").click()
        drawn = chart(driver, "return")
        ends[name] = max(line["x"][-1] for line in drawn["lines"] if line["name"] == "t-q")
    assert ends["episodes"] == pytest.approx(400, rel=0.01)
    assert ends["decisions"] < ends["steps"]
    assert 0 < ends["seconds"] < 60
    assert chart(driver, "return")["title"] == "seconds"
    section.find_element(By.CSS_SELECTOR, "input.log").click()
    assert chart(driver, "return")["kind"] == "log"
    section.find_element(By.CSS_SELECTOR, "input.log").click()
    section.find_element(By.CSS_SELECTOR, "input[value=steps]").click()


def test_seeds_are_shown_on_demand(driver):
    section = scene(driver)
    assert "t-q, seeds" not in names(driver)
    section.find_element(By.CSS_SELECTOR, "input.seeds").click()
    assert "t-q, seeds" in names(driver)
    section.find_element(By.CSS_SELECTOR, "input.seeds").click()


def test_the_keyboard_zooms_and_goes_back(driver):
    scene(driver)
    place = driver.find_element(By.CSS_SELECTOR, "[data-chart=return]")
    whole = chart(driver, "return")["range"]
    place.send_keys("+")
    near = chart(driver, "return")["range"]
    assert near[1] - near[0] < whole[1] - whole[0]
    place.send_keys(Keys.ARROW_RIGHT)
    assert chart(driver, "return")["range"][0] > near[0]
    place.send_keys("0")
    assert chart(driver, "return")["range"] == pytest.approx(whole)


def test_charts_say_what_they_show(driver):
    scene(driver)
    assert "t-q ends at 1" in chart(driver, "return")["label"]
    assert "steps" in chart(driver, "skips")["label"]


def test_skips_are_shown_as_they_develop(driver):
    section = scene(driver)
    choice = Select(section.find_element(By.CSS_SELECTOR, "select.watched"))
    assert [option.text for option in choice.options] == ["q", "t-q"]
    assert choice.first_selected_option.text == "t-q"
    label = chart(driver, "development")["label"]
    assert "Decisions of t-q over training. At first:" in label
    assert "At the end:" in label
    drawn = driver.execute_script(
        "const {x, y, z} = document.querySelector('[data-chart=development]').data[0];"
        "return {x, y, z}"
    )
    assert len(drawn["x"]) == len(drawn["z"][0]) + 1
    assert drawn["x"] == sorted(drawn["x"])
    for moment in zip(*drawn["z"], strict=True):
        assert sum(moment) == pytest.approx(1, abs=0.01)
    choice.select_by_visible_text("q")
    assert "100 % last 1 step." in chart(driver, "development")["label"]
    choice.select_by_visible_text("t-q")


def test_wall_time_that_was_not_recorded_is_said_to_be_missing(page, tmp_path):
    older = tmp_path / "runs"
    shutil.copytree(page.parent, older)
    for course in older.rglob("t-q-*/course"):
        shutil.rmtree(course)
    with browser() as driver:
        driver.get(write_page(older, older / "report.html").as_uri())
        section = scene(driver)
        switch = section.find_element(By.CSS_SELECTOR, "input[value=seconds]")
        assert switch.find_element(By.XPATH, "..").text == "wall time (not recorded for t-q)"
        switch.click()
        assert {"q"} <= names(driver)
        assert "t-q" not in names(driver)
    for course in older.rglob("course"):
        shutil.rmtree(course)
    with browser() as driver:
        driver.get(write_page(older, older / "report.html").as_uri())
        switch = scene(driver).find_element(By.CSS_SELECTOR, "input[value=seconds]")
        assert switch.find_element(By.XPATH, "..").text == "wall time (not recorded)"
        assert not switch.is_enabled()


def test_a_grid_cell_answers(driver):
    section = scene(driver)
    inspector = section.find_element(By.CSS_SELECTOR, ".world .inspector")
    cell = section.find_element(By.CSS_SELECTOR, "[data-state='10']")
    driver.execute_script(
        "arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", cell
    )
    cell.click()
    assert "Row 1, column 0" in inspector.text
    values = inspector.find_elements(By.CSS_SELECTOR, ".bars .number")
    assert len(values) == 4 + 7
    cell.send_keys(Keys.ARROW_RIGHT)
    assert "Row 1, column 1" in inspector.text
    assert driver.switch_to.active_element.get_attribute("data-state") == "11"


def test_the_slider_goes_through_training(driver):
    section = scene(driver)
    slider = section.find_element(By.CSS_SELECTOR, ".world input[type=range]")
    assert slider.get_attribute("aria-valuetext") == "after 400 episodes"
    at_the_end = section.find_element(By.CSS_SELECTOR, ".world .inspector").text
    slider.send_keys(Keys.HOME)
    assert slider.get_attribute("aria-valuetext") == "after 0 episodes"
    before = section.find_element(By.CSS_SELECTOR, ".world .inspector").text
    assert before != at_the_end
    assert "1.000" not in before
    slider.send_keys(Keys.END)


def test_a_click_on_a_decision_moves_the_video(driver, page):
    section = scene(driver)
    notes = json.loads(next(page.parent.rglob("videos/*.json")).read_text())
    video = section.find_element(By.CSS_SELECTOR, "video")
    driver.execute_script(
        "arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", video
    )
    WebDriverWait(driver, 10).until(lambda _: video.get_property("readyState") >= 2)
    blocks = section.find_elements(By.CSS_SELECTOR, ".timeline button")
    assert len(blocks) == len(notes["decisions"])
    blocks[2].click()
    step = notes["decisions"][2]["step"]
    frame = int(video.get_property("currentTime") * notes["frames_per_second"])
    assert frame == step
    said = section.find_element(By.CSS_SELECTOR, ".recording .inspector").text
    assert f"Decision 3, step {step}" in said


def test_the_time_line_follows_the_video(driver, page):
    section = scene(driver)
    notes = json.loads(next(page.parent.rglob("videos/*.json")).read_text())
    last = notes["decisions"][-1]["step"]
    video = section.find_element(By.CSS_SELECTOR, "video")
    place = (last + 0.5) / notes["frames_per_second"]
    driver.execute_script("arguments[0].currentTime = arguments[1]", video, place)
    said = section.find_element(By.CSS_SELECTOR, ".recording .inspector")
    WebDriverWait(driver, 5).until(lambda _: f"step {last}" in said.text)


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (1280, "dark"), (390, "dark")])
def test_nothing_serious_hinders_anybody(page, width, scheme):
    with browser(width) as driver:
        prefer(driver, scheme)
        driver.get(page.as_uri())
        scene(driver)
        driver.execute_script(AXE_SCRIPT)
        found = driver.execute_async_script("axe.run().then(arguments[arguments.length - 1])")
        serious = [
            (violation["id"], [node["html"][:120] for node in violation["nodes"]][:3])
            for violation in found["violations"]
            if violation["impact"] in ("serious", "critical")
        ]
        assert serious == []


def test_a_phone_need_not_scroll_sideways(page):
    with browser(390, 844) as driver:
        driver.get(page.as_uri())
        scene(driver)
        assert driver.execute_script("return document.documentElement.scrollWidth") <= 390


def test_dark_and_light_can_be_chosen(driver):
    prefer(driver, "light")

    def paper():
        return driver.execute_script("return getComputedStyle(document.body).backgroundColor")

    light = paper()
    driver.find_element(By.ID, "theme").click()
    assert paper() != light
    driver.find_element(By.ID, "theme").click()
    assert paper() == light
