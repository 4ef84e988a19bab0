"""The lock of a model: readers share it, a writer has it alone, and nobody waits for ever."""

from __future__ import annotations

import signal
import threading
import time
from typing import Any

import pytest

from onkel.engine.lock import ModelLock
from tests.systems import posix

PATIENCE = 30.0


def in_a_thread(job: Any) -> threading.Thread:
    thread = threading.Thread(target=job, daemon=True)
    thread.start()
    return thread


def test_readers_share() -> None:
    lock, both = ModelLock(), threading.Barrier(2)

    def read() -> None:
        with lock.reading:
            both.wait(PATIENCE)  # breaks unless both are inside

    threads = [in_a_thread(read), in_a_thread(read)]
    for thread in threads:
        thread.join(PATIENCE)
    assert not both.broken


def test_a_writer_is_alone() -> None:
    lock, inside, most = ModelLock(), [], []

    def write() -> None:
        for _ in range(200):
            with lock.writing:
                inside.append(1)
                most.append(len(inside))
                time.sleep(0)
                inside.pop()

    def read() -> None:
        for _ in range(200):
            with lock.reading:
                most.append(1 + len(inside))  # a writer inside would make it 2

    threads = [in_a_thread(job) for job in (write, write, read, read)]
    for thread in threads:
        thread.join(PATIENCE)
        assert not thread.is_alive()
    assert max(most) == 1


def test_a_writer_that_comes_back_at_once_lets_readers_in() -> None:
    lock, over = ModelLock(), threading.Event()

    def write() -> None:
        while not over.is_set():
            with lock.writing:
                time.sleep(0.001)

    writer = in_a_thread(write)
    began = time.monotonic()
    for _ in range(20):
        with lock.reading:
            pass
    over.set()
    writer.join(PATIENCE)
    assert time.monotonic() - began < PATIENCE


def test_readers_do_not_keep_a_writer_out() -> None:
    lock, over = ModelLock(), threading.Event()

    def read() -> None:
        while not over.is_set():
            with lock.reading:
                time.sleep(0.001)

    readers = [in_a_thread(read) for _ in range(3)]
    done = threading.Event()

    def write() -> None:
        for _ in range(20):
            with lock.writing:
                pass
        done.set()

    in_a_thread(write)
    assert done.wait(PATIENCE)
    over.set()
    for reader in readers:
        reader.join(PATIENCE)
        assert not reader.is_alive()


def test_a_thread_does_not_wait_for_itself() -> None:
    lock = ModelLock()

    def nest() -> None:
        with lock.writing, lock.reading, lock.reading:
            pass
        with lock.reading, lock.writing:
            pass
        with lock.writing:
            pass

    thread = in_a_thread(nest)
    thread.join(PATIENCE)
    assert not thread.is_alive()


@posix
def test_an_interrupted_writer_leaves_the_lock_to_readers() -> None:
    """Who came after it to read waited for it: it never writes, and they go in all the same."""
    lock = ModelLock()
    inside, leave, second = threading.Event(), threading.Event(), threading.Event()

    def read_first() -> None:
        with lock.reading:
            inside.set()
            leave.wait(PATIENCE)

    def read_second() -> None:
        with lock.reading:
            second.set()

    def interrupt_the_writer() -> None:
        time.sleep(0.2)
        in_a_thread(read_second)
        time.sleep(0.2)
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    in_a_thread(read_first)
    assert inside.wait(PATIENCE)
    in_a_thread(interrupt_the_writer)
    with pytest.raises(KeyboardInterrupt):
        lock.start_writing()
    assert second.wait(5.0)
    leave.set()
