import os
import signal

from hypothesis import HealthCheck, settings
from tests.shapes import check_shapes

check_shapes()  # before the library is imported

from temporl.runs.workers import compiler_settings  # noqa: E402

os.environ.update(compiler_settings())

# A shell that runs the tests in the background has them ignore interrupts, and so would all the
# processes that they start and interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Compiling on first use takes seconds, which is no sign of a slow test. In continuous integration
# the same examples are tried each time; elsewhere new ones.
settings.register_profile(
    "suite",
    deadline=None,
    max_examples=40,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize="CI" in os.environ,
)
settings.load_profile("suite")
