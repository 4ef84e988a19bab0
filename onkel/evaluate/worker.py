"""A worker process: jobs come in as lines of JSON, records go out as lines of JSON.

Started by `onkel.evaluate.pool` as `python -m onkel.evaluate.worker`. It stops when its input ends, that
is also when the process that started it is gone.
"""

from __future__ import annotations

import json
import os
import sys


def main() -> None:
    # Whatever a library prints must not get between the records.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    from onkel.evaluate.job import Job
    from onkel.evaluate.perform import perform

    for line in sys.stdin:
        task = json.loads(line)
        record = perform(Job.from_dict(task["job"]), task["warm_up"])
        answers.write(json.dumps(record.to_dict()) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
