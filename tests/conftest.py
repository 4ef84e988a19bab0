"""What all tests share: a limit of time, and a folder of data, without which tests marked `data` are skipped."""

import gc
import os
import signal
from collections.abc import Iterator

import pytest

from onkel.datasets import available
from onkel.estimators import look
from tests.patience import FOR_A_TEST, time_limit

#: Rooms whose streams are short: with a look of so many rows they go through it and beyond.
SHORT_STREAMS = (
    "agreement", "drift", "estimators", "invariants", "io", "parts", "race", "river", "threads",
)  # fmt: skip
SHORT_LOOK = 16


def pytest_configure(config: pytest.Config) -> None:
    """The tests' data: the folder that ONKEL_DATA names, or `shared/data` beside the checkout.

    What a shell starts in the background ignores interrupts, and so would all that it starts: some tests send them.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    beside = config.rootpath.parent / "shared" / "data"
    if beside.is_dir():
        os.environ.setdefault("ONKEL_DATA", str(beside))


def pytest_runtest_setup(item: pytest.Item) -> None:
    for marker in item.iter_markers("data"):
        present = available()
        missing = [name for name in marker.args if name not in present]
        if missing or not present:
            pytest.skip(f"needs benchmark data ({', '.join(missing) or 'any'}); set ONKEL_DATA")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    with time_limit(FOR_A_TEST):
        return (yield)


@pytest.fixture(scope="module", autouse=True)
def little_to_collect() -> None:
    """What the compiler keeps, gigabytes in the end, is none of the collector's business: some tests ask it often."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="module", autouse=True)
def look_rows(request: pytest.FixtureRequest) -> Iterator[int]:
    """How many rows of a stream a learner looks at first; `tests/look` asks for what users get."""
    rows = SHORT_LOOK if request.path.parent.name in SHORT_STREAMS else look.LOOK_ROWS
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(look, "LOOK_ROWS", rows)
        yield rows
