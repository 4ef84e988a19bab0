"""Worker processes, and the queue of jobs that they share.

Workers are programs of their own that speak JSON lines, not forks or spawned copies of the caller:
a script needs no `if __name__ == "__main__"`, and a worker that dies takes one job with it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from contextlib import suppress
from queue import Queue
from typing import Any

from onkel.evaluate.job import Job
from onkel.evaluate.kept_arrays import FOLDER_VARIABLE
from onkel.evaluate.perform import versions
from onkel.evaluate.results import Record

THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


class JobQueue:
    """Jobs by data set: a worker goes on with its set, then takes the one with most jobs left."""

    def __init__(self, jobs: list[Job]) -> None:
        self._lock = threading.Lock()
        self._closed = False
        self._groups: dict[Any, list[Job]] = {}
        for job in jobs:
            self._groups.setdefault((job.data.name, job.data.content), []).append(job)
        for group in self._groups.values():
            # backwards, as they are taken from the end; jobs on rows in the same order together
            group.sort(key=lambda job: (repr(job.data), job.protocol, job.seed), reverse=True)
        self._held: dict[Any, Any] = {}

    def take(self, worker: Any) -> Job | None:
        with self._lock:
            if self._closed or not self._groups:
                return None
            chosen = self._held.get(worker)
            if chosen not in self._groups:
                others = set(self._held.values())
                free = [name for name in self._groups if name not in others]
                chosen = max(free or self._groups, key=lambda name: len(self._groups[name]))
            self._held[worker] = chosen
            group = self._groups[chosen]
            job = group.pop()
            if not group:
                del self._groups[chosen]
            return job

    def close(self) -> None:
        with self._lock:
            self._closed = True


class Worker:
    """A process, and the thread that feeds it; a process that dies is replaced."""

    def __init__(self, queue: JobQueue, answers: Queue[Any], folder: str, warm_up: bool) -> None:
        self.queue, self.answers, self.warm_up = queue, answers, warm_up
        path = os.pathsep.join(place for place in sys.path if place)
        self.environment = os.environ | {FOLDER_VARIABLE: folder, "PYTHONPATH": path}
        self.environment |= dict.fromkeys(THREAD_VARIABLES, "1")
        self.process: subprocess.Popen[str] | None = None
        self.stopping = False
        self.lock = threading.Lock()  # so that none is started while all are stopped
        self.thread = threading.Thread(target=self._feed, daemon=True)
        self.thread.start()

    def _feed(self) -> None:
        try:
            while (job := self.queue.take(self)) is not None:
                record = self._ask(job)
                if self.stopping:
                    return
                self.answers.put(record)
        except BaseException as error:
            self.answers.put(error)

    def _ask(self, job: Job) -> Record:
        process = self._running()
        if process is None or process.stdin is None or process.stdout is None:
            return Record(job, failure="stopped")
        try:
            process.stdin.write(json.dumps({"job": job.to_dict(), "warm_up": self.warm_up}) + "\n")
            process.stdin.flush()
            answer = process.stdout.readline()
        except (OSError, ValueError):  # its end of the pipe is closed
            answer = ""
        if answer.endswith("\n"):
            return Record.from_dict(json.loads(answer))
        with self.lock:
            self.process = None
        process.kill()
        code = process.wait()
        failure = f"the worker process died (exit code {code}); out of memory?"
        return Record(job, versions=versions(), failure=failure)

    def _running(self) -> subprocess.Popen[str] | None:
        with self.lock:
            if self.process is None and not self.stopping:
                self.process = subprocess.Popen(
                    [sys.executable, "-m", "onkel.evaluate.worker"],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    env=self.environment,
                    text=True,
                    encoding="utf-8",
                    # Ctrl-C in a terminal is for the parent, which then stops its workers
                    process_group=0 if os.name == "posix" else None,
                )
            return self.process

    def stop(self) -> None:
        with self.lock:
            self.stopping = True
            process = self.process
        if process is not None:
            process.terminate()
            process.wait()
        self.thread.join(timeout=10)
        if process is not None:
            for pipe in (process.stdin, process.stdout):
                with suppress(OSError):  # a broken pipe has nothing left to flush
                    pipe.close()  # type: ignore[union-attr]
