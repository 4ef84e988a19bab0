"""The command line: `onkel describe`, `train`, `predict`, `export`, `evaluate`, `compare`, `datasets` and others.

One file a command; `app.py` puts them together, `options.py` holds what several of them share.
"""

from __future__ import annotations

import io
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

    for stream in (sys.stdout, sys.stderr):
        if sys.platform == "win32" and isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8")  # labels may be of any script
    sys.exit(run(arguments))
