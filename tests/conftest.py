from hypothesis import HealthCheck, settings

# Compiling on first use takes seconds, which is no sign of a slow test.
settings.register_profile(
    "suite", deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("suite")
