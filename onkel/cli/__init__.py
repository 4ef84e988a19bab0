"""The command line: `onkel describe`, `train`, `predict`, `evaluate`, `compare`, `datasets`, `reproduce`, `demo`.

One file a command; `app.py` puts them together, `options.py` holds what several of them share.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> None:
    """The entry point; leaves with 0, 1 (data or model), 2 (usage) or 130 (interrupted)."""
    try:
        import rich  # noqa: F401
        import typer  # noqa: F401
    except ImportError:
        print(
            "onkel: the command line needs typer and rich: pip install 'onkel[cli]'",
            file=sys.stderr,
        )
        sys.exit(1)
    from onkel.cli.app import run

    sys.exit(run(arguments))
