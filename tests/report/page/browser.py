"""A real browser, without a window."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")


def require_browser() -> None:
    """Without a browser its tests are left out, but not in continuous integration."""
    if CHROMIUM is None or DRIVER is None:
        message = "chromium and chromium-driver are not installed"
        pytest.fail(message) if "CI" in os.environ else pytest.skip(message)


@contextmanager
def browser(width: int = 1280, height: int = 900) -> Iterator[Any]:
    """Chromium with a window of a size, which logs its console and every request."""
    require_browser()
    options = webdriver.ChromeOptions()
    options.binary_location = str(CHROMIUM)
    for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"):
        options.add_argument(word)
    options.add_argument(f"--window-size={width},{height}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(str(DRIVER)))
    try:
        if width < 600:
            size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": True}
            driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        yield driver
    finally:
        driver.quit()


def prefer(driver: Any, scheme: str) -> None:
    """Have the system prefer dark or light."""
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


def requests_made(driver: Any) -> list[str]:
    """The addresses that were asked for since the last call, but for what lies in the page."""
    messages = [json.loads(entry["message"])["message"] for entry in driver.get_log("performance")]
    addresses = [
        message["params"]["request"]["url"]
        for message in messages
        if message["method"] == "Network.requestWillBeSent"
    ]
    return [address for address in addresses if not address.startswith(("data:", "blob:"))]
