"""The command `linclass`."""

import sys


def main() -> int:
    """Run the command, or say that its libraries are not installed."""
    try:
        from linclass_study.command.__main__ import main as command
    except ModuleNotFoundError as error:
        print(
            f"linclass: the package '{error.name}' is not installed; run pip install 'linclass[study]'",
            file=sys.stderr,
        )
        return 2
    return command()
