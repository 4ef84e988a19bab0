"""The recipe for Spark in docs/scaling.md, word for word; skipped where there is no pyspark or no Java."""

import re
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from onkel import FourierRidgeClassifier

PAGE = Path(__file__).parents[2] / "docs" / "scaling.md"


def recipe() -> str:
    blocks = re.findall(r"```python spark\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    return next(block for block in blocks if "mapInArrow" in block)


def test_the_recipe_is_python() -> None:
    compile(recipe(), str(PAGE), "exec")


@pytest.mark.skipif(shutil.which("java") is None, reason="Spark needs Java")
def test_the_recipe_gives_the_model_of_one_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sql = pytest.importorskip("pyspark.sql")
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)  # the workers', too
    import pandas as pd

    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 3))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    (tmp_path / "rows").mkdir()
    frame = pd.DataFrame(X, columns=list("abc")).assign(y=y)
    for i in range(4):
        frame[i::4].to_parquet(tmp_path / "rows" / f"{i}.parquet")
    machine = sql.SparkSession.builder.master("local[2]")
    spark = machine.config("spark.driver.memory", "4g").getOrCreate()  # a model has 64 MB
    try:
        known: dict[str, Any] = {"spark": spark}
        exec(recipe().replace('"rows"', repr(str(tmp_path / "rows"))), known)
    finally:
        spark.stop()
    model = known["model"]
    assert model.t_ == 3000
    alone = FourierRidgeClassifier(random_state=0, gamma=model.gamma_).fit(X, y)
    np.testing.assert_allclose(model.decision_function(X), alone.decision_function(X), atol=1e-6)
