"""Threads that share pieces: all are done, once; errors and interrupts wait until nobody is at work."""

from __future__ import annotations

import gc
import os
import signal
import threading
import time
import weakref
from collections import Counter
from typing import Any

import pytest

from onkel.parallel import crew
from onkel.parallel.crew import Allowing, Job, allowed_threads, share
from tests.patience import FOR_AN_ANSWER

LARGE = crew.WORTH_SHARING


def shared_by(n_threads: int, work: Any, pieces: Any, size: float = LARGE) -> None:
    with Allowing(lambda: n_threads):
        share(work, pieces, size)


class Meeting:
    """A piece of work that ends when so many threads are at one each."""

    def __init__(self, parties: int) -> None:
        self.barrier = threading.Barrier(parties)
        self.threads: set[int] = set()

    def __call__(self, piece: Any) -> None:
        self.barrier.wait(FOR_AN_ANSWER)
        self.threads.add(threading.get_ident())


@pytest.mark.parametrize("n_threads", [1, 2, 3, 7])
def test_every_piece_is_done_once(n_threads: int) -> None:
    for n_pieces in (0, 1, 2, 50):
        done: list[int] = []
        shared_by(n_threads, done.append, range(n_pieces))
        assert Counter(done) == Counter(range(n_pieces))


@pytest.mark.parametrize("n_threads", [2, 3])
def test_so_many_threads_are_at_work_at_once(n_threads: int) -> None:
    meeting = Meeting(n_threads)  # which would not end with fewer
    shared_by(n_threads, meeting, range(n_threads))
    assert len(meeting.threads) == n_threads
    assert threading.get_ident() in meeting.threads


@pytest.mark.parametrize(("n_threads", "size"), [(1, LARGE), (4, LARGE - 1)])
def test_one_thread_or_little_work_stays_here(n_threads: int, size: float) -> None:
    threads = set()
    shared_by(n_threads, lambda piece: threads.add(threading.get_ident()), range(9), size)
    assert threads == {threading.get_ident()}


def test_threads_are_counted_when_they_are_needed() -> None:
    counted = []

    def count() -> int:
        counted.append(1)
        return 2

    with Allowing(count):
        share(lambda piece: None, range(3), LARGE - 1)
        assert counted == []
        for _ in range(3):
            share(lambda piece: None, range(3), LARGE)
        assert counted == [1]
        with Allowing(lambda: 5):
            assert allowed_threads() == 5
        assert allowed_threads() == 2
    assert allowed_threads() == 1


def test_what_is_shared_inside_a_piece_stays_there() -> None:
    found: list[tuple[int, int]] = []
    meeting = Meeting(2)

    def work(piece: int) -> None:
        meeting(piece)
        if threading.current_thread() is not threading.main_thread():
            share(lambda inner: found.append((allowed_threads(), inner)), range(5), LARGE)

    shared_by(2, work, range(2))
    assert found == [(1, inner) for inner in range(5)]


@pytest.mark.parametrize("in_helper", [False, True])
def test_an_error_comes_out_when_nobody_is_at_work(in_helper: bool) -> None:
    meeting, finished = Meeting(2), []

    def work(piece: int) -> None:
        meeting(piece)
        helps = threading.current_thread() is not threading.main_thread()
        if helps is in_helper:
            raise KeyError("no more")
        time.sleep(0.05)
        finished.append(piece)

    with pytest.raises(KeyError, match="no more"):
        shared_by(2, work, [0, 1])
    assert len(finished) == 1
    shared_by(2, lambda piece: finished.append(piece), range(4))  # and the crew goes on
    assert len(finished) == 5


@pytest.mark.parametrize("times", [1, 2])
def test_an_interrupt_waits_for_the_helpers(times: int) -> None:
    """Also a second one that comes while the first waits."""
    at_work, finished = threading.Event(), []

    def work(piece: int) -> None:
        if threading.current_thread() is not threading.main_thread():
            at_work.set()
            for _ in range(times):
                time.sleep(0.1)
                signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
            time.sleep(0.2)
            finished.append(piece)
        else:
            assert at_work.wait(FOR_AN_ANSWER)

    with pytest.raises(KeyboardInterrupt):
        shared_by(2, work, [0, 1])
        time.sleep(FOR_AN_ANSWER)
    assert len(finished) == 1


def test_pieces_that_come_later_are_helped_with() -> None:
    done: list[int] = []
    with Job(done.append, 1) as job:
        for number in range(20):
            job.add([number], 1)
            job.finish(number)
            assert number in done
    assert sorted(done) == list(range(20))


def test_what_was_dropped_is_not_done_but_may_come_again() -> None:
    done: list[int] = []
    with Job(done.append, 0) as job:
        job.add([1, 2], 0)
        job.finish(1)
        job.drop()
        assert done == [1]
        job.add([1], 0)
        job.finish(1)
    assert done == [1, 1]


def test_what_is_withdrawn_is_not_done_any_more() -> None:
    """Nobody is at it when the caller goes on; the rest stays."""
    begun, go_on = threading.Event(), threading.Event()
    done: list[str] = []

    def work(piece: str) -> None:
        if piece == "slow":
            begun.set()
            assert go_on.wait(FOR_AN_ANSWER)
        done.append(piece)

    with Job(work, 1) as job:
        job.add(["early"], 0)
        job.finish("early")
        job.add(["slow", "late", "kept"], 1)
        assert begun.wait(FOR_AN_ANSWER)
        threading.Timer(0.1, go_on.set).start()
        job.withdraw({"early", "slow", "late"})
        assert done[:2] == ["early", "slow"]
        job.finish("kept")
        assert done == ["early", "slow", "kept"]
        job.add(["early"], 0)
        job.finish("early")
    assert done == ["early", "slow", "kept", "early"]


def test_the_callers_own_pieces_are_its_first_and_the_helpers_last() -> None:
    done: list[str] = []
    with Job(done.append, 1) as job:
        job.add(["any", "other"], 0)
        job.add(["own", "rest"], 0, own=True)
        job.finish("own")
        assert done == ["own"]
        helped = threading.Thread(target=job.help)
        helped.start()
        helped.join(FOR_AN_ANSWER)
        assert done == ["own", "any", "other", "rest"]
        job.add(["own"], 0, own=True)
        job.withdraw({"own"})
        job.finish()
    assert len(done) == 4


def test_a_job_that_is_over_keeps_nothing() -> None:
    """Large arrays must not wait for the garbage collector."""

    class Large:
        def __init__(self) -> None:
            self.job = Job(self.work, 1)

        def work(self, piece: int) -> None:
            pass

    large = Large()
    with large.job:
        large.job.add(range(9), 1)
        large.job.finish()
    kept, patience = weakref.ref(large), time.monotonic() + FOR_AN_ANSWER
    gc.disable()
    try:
        del large
        while kept() is not None and time.monotonic() < patience:
            time.sleep(0.001)  # a helper may be about to leave
        assert kept() is None
    finally:
        gc.enable()


def test_callers_share_the_cores() -> None:
    """Two threads that may use two each get by with two: none helps the other."""
    inside, leave, helped = threading.Event(), threading.Event(), set()

    def hold(piece: int) -> None:
        inside.set()
        leave.wait(FOR_AN_ANSWER)

    other = threading.Thread(target=shared_by, args=(2, hold, range(2)), daemon=True)
    other.start()
    assert inside.wait(FOR_AN_ANSWER)
    shared_by(2, lambda piece: helped.add(threading.get_ident()), range(20))
    leave.set()
    other.join(FOR_AN_ANSWER)
    assert helped == {threading.get_ident()}


def test_there_are_no_more_helpers_than_are_needed() -> None:
    for _ in range(200):
        shared_by(3, lambda piece: None, range(6))
    helpers = [t for t in threading.enumerate() if t.name == "onkel-helper"]
    assert len(helpers) <= 7  # of the tests above, which asked for 6 and one more


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_child_has_helpers_of_its_own() -> None:
    shared_by(2, Meeting(2), range(2))
    child = os.fork()
    if child == 0:
        shared_by(2, Meeting(2), range(2))
        os._exit(7)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
