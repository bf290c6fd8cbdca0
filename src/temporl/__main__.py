"""`python -m temporl` is `temporl`."""

import sys

from temporl.cli import main

if __name__ == "__main__":
    sys.exit(main())
