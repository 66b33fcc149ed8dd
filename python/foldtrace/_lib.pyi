from collections.abc import Sequence
from typing import Final

__version__: Final[str]

def run_command(arguments: Sequence[str]) -> int: ...
