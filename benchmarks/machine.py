"""What was measured on, and when."""

from __future__ import annotations

import platform
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from temporl.runs.workers import default_workers


def print_machine(*packages: str) -> None:
    """Print date, cores, processor and versions; packages that are missing are left out."""
    cpu = platform.processor() or platform.machine()
    information = Path("/proc/cpuinfo")
    if information.is_file():
        models = [line for line in information.read_text().splitlines() if "model name" in line]
        cpu = models[0].partition(":")[2].strip() if models else cpu
    versions = [f"Python {platform.python_version()}"]
    for package in ("temporl", *packages):
        try:
            versions.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            continue
    print(f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC, {default_workers()} cores, {cpu}")
    print(", ".join(versions) + "\n", flush=True)
