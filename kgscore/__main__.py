"""Entry point of `python -m kgscore`."""

import sys

from kgscore.cli import main

if __name__ == "__main__":
    sys.exit(main())
