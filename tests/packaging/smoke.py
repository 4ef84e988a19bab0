"""A try of an installed onkel, far from its sources: ``make package`` runs it alone, and among the tests."""

from __future__ import annotations

import re
import sys
import tempfile
from importlib.metadata import metadata, version
from pathlib import Path

import numpy as np

import onkel
from onkel.io import load, save
from onkel.stream import open_stream


def test_this_is_an_installed_onkel() -> None:
    place = Path(onkel.__file__)
    assert "site-packages" in place.parts, f"this is {place}, not an installed onkel"
    assert version("onkel") == onkel.__version__
    for name in ("py.typed", "datasets/registry.json", "report/assets/page.html"):
        assert (place.parent / name).is_file(), f"{name} is not in the package"
    shown = metadata("onkel").get_payload()
    assert (
        shown.startswith("# onkel")
        and metadata("onkel")["Description-Content-Type"] == "text/markdown"
    )
    assert not re.search(r"\]\((?!https?://|#)", shown), "a link that leads nowhere"


def main() -> None:
    test_this_is_an_installed_onkel()
    random = np.random.default_rng(0)
    X = random.uniform(-1, 1, (1500, 2))
    y = np.where(X[:, 0] * X[:, 1] > 0, "same", "other")
    for learner in (onkel.FOGDClassifier, onkel.AVMClassifier, onkel.BSGDClassifier):
        model = learner(random_state=0)
        for rows, labels in open_stream((X, y), chunk_rows=300):
            model.partial_fit(rows, labels)
        assert model.score(X, y) > 0.9, learner
        with tempfile.TemporaryDirectory() as folder:
            save(model, Path(folder) / "model.onkel")
            again = load(Path(folder) / "model.onkel")
        assert np.array_equal(again.predict_proba(X), model.predict_proba(X))
    table = {"word": ["a", "b", None] * 500, "number": X[:, 0]}
    whole = onkel.make_stream_pipeline(onkel.TableEncoder(), onkel.FOGDRegressor(random_state=0))
    assert whole.partial_fit(table, X[:, 0] ** 2).predict(table).shape == (1500,)
    extras = {"jinja2", "matplotlib", "onnx", "pandas", "pyarrow", "rich", "river", "typer"}
    assert not extras & set(sys.modules), extras & set(sys.modules)
    print(f"onkel {onkel.__version__} works where it is installed")


if __name__ == "__main__":
    main()
