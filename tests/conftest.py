"""What all tests share: tests marked `data` are skipped only when their data sets are absent."""

import pytest

from onkel.datasets import available


def pytest_runtest_setup(item: pytest.Item) -> None:
    for marker in item.iter_markers("data"):
        present = available()
        missing = [name for name in marker.args if name not in present]
        if missing or not present:
            pytest.skip(f"needs benchmark data ({', '.join(missing) or 'any'}); set ONKEL_DATA")
