"""Threads that share pieces of work which compiled code, BLAS or NumPy do without Python's lock.

What the pieces are never depends on how many threads there are, nor what a piece writes on who does it: so the
results are those of one thread, bit for bit. The one that asks does pieces like the others, and goes on when nobody
is at any of them any more, whatever happened: an error, or an interrupt.

Helpers are daemon threads of the process, made when they are first asked for, idle between two jobs. One that comes
too late finds no piece left, and nobody waits for it.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Collection, Hashable, Set
from queue import SimpleQueue
from threading import Lock, Thread, get_ident, local
from typing import Any, Self

#: Work for which it is worth to wake a helper, in multiplications of a matrix product: some tenths of a millisecond.
WORTH_SHARING = 2_000_000
#: Seconds after which one who waits looks again: an interrupt may have swallowed the call.
LOOK_AGAIN = 0.05


class Crew:
    """The helpers of a process."""

    def __init__(self) -> None:
        self.jobs: SimpleQueue[Job] = SimpleQueue()
        #: Threads that have a job going, helpers not counted: they share the cores.
        self.callers: set[int] = set()
        self._lock, self._size = Lock(), 0
        #: Helpers that are idle, less the invitations that nobody has answered yet.
        self._spare = 0

    def invite(self, job: Job, helpers: int) -> None:
        """Ask so many to help with a job; there is never more than one more of them than were ever asked at once."""
        if helpers == 0:
            return
        with self._lock:
            self._spare -= helpers
            missing = max(0, min(-self._spare, helpers + 1 - self._size))
            self._size += missing
            self._spare += missing
        for _ in range(missing):
            Thread(target=self._help, name="onkel-helper", daemon=True).start()
        for _ in range(helpers):
            self.jobs.put(job)

    def _help(self) -> None:
        while True:
            self.jobs.get().help()
            with self._lock:
                self._spare += 1


_crew, _mine = Crew(), local()


def _start_anew() -> None:
    """A child process has no helpers, and a lock that was held is held for ever."""
    global _crew
    _crew = Crew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_start_anew)


class Allowing:
    """``with Allowing(count):`` jobs of this thread may be shared by count() threads, itself included.

    Nothing is counted before there is a job that is worth sharing.
    """

    def __init__(self, count: Callable[[], int]) -> None:
        self._count, self._counted = count, 0

    def __enter__(self) -> None:
        self._before = getattr(_mine, "allowing", None)
        _mine.allowing = self

    def __exit__(self, *reason: object) -> None:
        _mine.allowing = self._before

    def n_threads(self) -> int:
        self._counted = self._counted or self._count()
        return self._counted


def allowed_threads() -> int:
    """How many threads may share a job of this thread; a helper has none to help it."""
    allowed = getattr(_mine, "allowing", None)
    return 1 if allowed is None else allowed.n_threads()


def is_worth_sharing(size: float) -> bool:
    """Whether work of so many multiplications takes longer than to wake a helper, several times over."""
    return size >= WORTH_SHARING


def share(work: Callable[[Any], None], pieces: Collection[Any], size: float) -> None:
    """Do all pieces, in any order, in as many threads as are allowed; on one where the whole is of no great size."""
    worth = len(pieces) > 1 and is_worth_sharing(size)
    n_threads = min(allowed_threads(), len(pieces)) if worth else 1
    if n_threads <= 1:
        for piece in pieces:
            work(piece)
        return
    with Job(work, n_threads - 1) as job:
        job.add(pieces, n_threads - 1)
        job.finish()


class Job:
    """Pieces that the caller and some helpers take one after the other.

    Some are the caller's own, which helpers take when nothing else is left: what a thread has in its cache is nearer
    to it than to others.
    """

    def __init__(self, work: Callable[[Any], None], helpers: int) -> None:
        self._work, self._most = work, helpers
        self._lock, self._call = Lock(), Lock()
        self._left: deque[Any] = deque()
        self._own: deque[Any] = deque()
        self._done: set[Hashable] = set()
        self._begun: set[Hashable] = set()  # by helpers who are still at it
        self._invited = 0  # helpers that will come or are here
        self._error: BaseException | None = None

    def __enter__(self) -> Self:
        _crew.callers.add(get_ident())
        return self

    def __exit__(self, kind: Any, *reason: object) -> None:
        try:
            self.drop()
        finally:
            _crew.callers.discard(get_ident())
            # Its arrays would else wait for the garbage collector: it may know this job.
            del self._work
        if kind is None:
            self._raise_error()

    # -- what the caller does ------------------------------------------------------------------

    def add(self, pieces: Collection[Any], helpers: int, own: bool = False) -> None:
        """More pieces, no two alike, for which so many should help, if they are not here already."""
        others = len(_crew.callers) - 1
        with self._lock:
            (self._own if own else self._left).extend(pieces)
            missing = min(helpers, self._most - others) - self._invited
            wanted = max(0, min(len(pieces), missing))
            self._invited += wanted
        _crew.invite(self, wanted)

    @property
    def is_alone(self) -> bool:
        """Whether nobody helps, because others who have a job going have all threads."""
        return not self._invited and self._most < len(_crew.callers)

    def finish(self, piece: Any = None) -> None:
        """Go on when a piece is done, or all of them: until then do what nobody has taken."""
        while not self._is_done(piece):
            self._raise_error()
            if not self._take():
                self._wait(lambda: self._error is not None or self._is_done(piece))

    def _is_done(self, piece: Any) -> bool:
        if piece is not None:
            return piece in self._done
        return not (self._own or self._left or self._begun)

    def _take(self) -> bool:
        """Do the next piece, if there is one."""
        with self._lock:
            pieces = self._own or self._left
            if not pieces:
                return False
            piece = pieces.popleft()
        self._work(piece)
        self._done.add(piece)
        return True

    def _wait(self, is_over: Callable[[], bool]) -> None:
        """Sleep until a helper calls, or for a while."""
        # From now on the lock is held, and a helper lets go of it.
        self._call.acquire(blocking=False)
        if not is_over():
            self._call.acquire(timeout=LOOK_AGAIN)

    def _raise_error(self) -> None:
        error, self._error = self._error, None
        if error is not None:
            try:
                raise error
            finally:
                del error  # which knows this frame

    def drop(self) -> None:
        """Forget all pieces: see :meth:`withdraw`."""
        self._surely(self._forget)

    def withdraw(self, pieces: Set[Hashable]) -> None:
        """Forget these pieces, done or not; go on when nobody is at one of them: an interrupt waits, too."""
        self._surely(lambda: self._forget(pieces))

    def _surely(self, forget: Callable[[], None]) -> None:
        interrupt = None
        while True:
            try:
                forget()
                break
            except BaseException as caught:  # by the handler of a signal: nothing here fails twice
                interrupt = caught
        if interrupt is not None:
            try:
                raise interrupt
            finally:
                del interrupt  # which knows this frame

    def _forget(self, pieces: Set[Hashable] | None = None) -> None:
        with self._lock:
            if pieces is None:
                pieces = {*self._own, *self._left, *self._begun, *self._done}
            self._own, self._left = (
                deque(piece for piece in left if piece not in pieces)
                for left in (self._own, self._left)
            )
        while self._is_at_one_of(pieces):
            self._wait(lambda: not self._is_at_one_of(pieces))
        with self._lock:
            self._done -= pieces

    def _is_at_one_of(self, pieces: Set[Hashable]) -> bool:
        """Whether a helper is."""
        with self._lock:
            return not self._begun.isdisjoint(pieces)

    # -- what a helper does --------------------------------------------------------------------

    def help(self) -> None:
        """Do pieces until there are none."""
        while True:
            with self._lock:
                pieces = self._left or self._own
                if not pieces or self._error is not None:
                    self._invited -= 1
                    return
                self._begun.add(pieces[0])  # first: who finds none left sees that this is begun
                piece = pieces.popleft()
            error = None
            try:
                self._work(piece)
            except BaseException as caught:
                error = caught
            with self._lock:
                if error is None:
                    self._done.add(piece)
                else:
                    self._error = error
                self._begun.discard(piece)
                if self._call.locked():
                    self._call.release()
            del error  # which knows this frame
