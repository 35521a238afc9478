"""`python -m kgscore` is the command line."""

import sys

from kgscore.cli import main

if __name__ == "__main__":
    sys.exit(main())
