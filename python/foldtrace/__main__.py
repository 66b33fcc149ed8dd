"""The command `foldtrace`, also as `python -m foldtrace`."""

import signal
import sys
from typing import NoReturn

from foldtrace._lib import run_command


def main() -> NoReturn:
    """Runs the command with the arguments of the process, and ends the process."""
    # The command handles signals by itself. Python's handler would report Ctrl-C a second time.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(run_command(["foldtrace", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
