"""A worker process: jobs come in as lines of JSON, records go out as lines of JSON.

Started by `onkel.evaluate.processes` as `python -m onkel.evaluate.worker`. It stops, in the middle of a job
too, when its input ends: then the process that started it is gone, and nobody waits for the answer.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from queue import Queue


def main() -> None:
    # Whatever a library prints must not get between the records.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    tasks: Queue[str] = Queue()
    threading.Thread(target=_receive, args=(tasks,), daemon=True).start()
    from onkel.evaluate.job import Job
    from onkel.evaluate.perform import perform

    while True:
        task = json.loads(tasks.get())
        record = perform(Job.from_dict(task["job"]), task["warm_up"])
        answers.write(json.dumps(record.to_dict()) + "\n")
        answers.flush()


def _receive(tasks: Queue[str]) -> None:
    for line in sys.stdin:
        tasks.put(line)
    os._exit(0)  # the whole process, whatever its main thread is doing


if __name__ == "__main__":
    main()
