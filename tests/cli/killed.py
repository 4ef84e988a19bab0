"""A process that forks runs of the command line, to be killed at any moment: imports and machine code are paid once.

Reads lines of JSON, each the arguments of a run; answers each with the number of the run's process, and with how
it ended: 0 if it came to its end, else minus the signal that killed it.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


class Runs:
    """The other side: starts runs in the process that forks them, and kills them."""

    def __init__(self, warm_up: list[Any]) -> None:
        environment = os.environ | {"PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1"}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.cli.killed", *map(str, warm_up)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, cwd=ROOT, text=True,
        )  # fmt: skip
        assert self._answer() == 0  # ready

    def __enter__(self) -> Runs:
        return self

    def __exit__(self, *error: object) -> None:
        self._process.communicate()  # the end of its input is its end

    def run(self, arguments: list[Any], kill_after: float | None = None) -> bool:
        """Whether it came to its end before it was killed, after so many seconds; never, if None."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps([str(each) for each in arguments]) + "\n")
        self._process.stdin.flush()
        pid = self._answer()
        if kill_after is not None:
            time.sleep(kill_after)
            os.kill(
                pid, signal.SIGKILL
            )  # which may have ended already: nobody has waited for it yet
        self._process.stdin.write("wait\n")
        self._process.stdin.flush()
        status = self._answer()
        assert status in (0, -signal.SIGKILL), f"the run failed with {status}"
        return status == 0

    def _answer(self) -> int:
        assert self._process.stdout is not None
        return int(self._process.stdout.readline())


def serve(warm_up: list[str]) -> None:
    from onkel.cli.app import run

    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what runs print is not for the other side
    if run(warm_up):
        raise SystemExit("the warm-up failed")
    print(0, file=answers, flush=True)
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            os._exit(run(json.loads(line)))
        print(pid, file=answers, flush=True)
        sys.stdin.readline()  # "wait": only now may the number be given to another process
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), file=answers, flush=True)


if __name__ == "__main__":
    serve(sys.argv[1:])
