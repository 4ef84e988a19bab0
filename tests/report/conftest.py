"""What the tests of the report share: a page with everything on it, hostile names included."""

import numpy as np
import pytest

from onkel.report import Chart, Comparison, ComparisonRow, Fact, Page, Series, Size

EVIL = "</script><script>window.pwned=1</script><img src=x onerror='window.pwned=1'>&\"\u2028"
ALGORITHMS = [
    "Perceptron",
    "OGD",
    "RBP",
    "Forgetron",
    "Projectron",
    "BPA-S",
    "BOGD",
    "FOGD",
    "NOGD",
    "AVM",
]
DATASETS = ["german", "spambase", EVIL]


def comparison_rows() -> list[ComparisonRow]:
    """Ours run from 0.5 to 14 and so sort differently as texts; one of each ten is missing."""
    agreements = ["std", "percent", "differs", "absent", None]
    rows = []
    for d, dataset in enumerate(DATASETS):
        for i, algorithm in enumerate(ALGORITHMS):
            agrees = agreements[(d + i) % 5]
            ours = None if agrees == "absent" else 0.5 + 1.5 * i
            row = ComparisonRow(
                dataset, algorithm, "mistakes", "%", ours, 0.25, 1.1 + 1.5 * i, 0.5, -6.0, -1.2,
                agrees, 0.01 * 7**i, 2.0 * 7**i, 100.0, 120.0 * (i + 1),
            )  # fmt: skip
            if agrees == "differs":
                row.explanation = f"The paper says otherwise. {EVIL} {'unbroken' * 12}"
            rows.append(row)
    return rows


def charts_of(dataset: str) -> list[Chart]:
    seen = np.arange(1, 61) * 800.0
    rates = [(a, 10 + i + 500 / seen**0.5) for i, a in enumerate(ALGORITHMS)]
    seconds = {a: 2.0**i * seen / 1e6 for i, a in enumerate(ALGORITHMS)}
    convergence = [Series(a, seen, y, np.full(60, 0.3)) for a, y in rates]
    time = [Series(a, seen, seconds[a]) for a in ALGORITHMS]
    against = [Series(a, seconds[a], y) for a, y in rates]
    return [
        Chart(
            "Convergence", "instances", "mistakes (%)", False, convergence, "convergence", dataset
        ),
        Chart("Time", "instances", "seconds", False, time, "time", dataset),
        Chart(
            "Against time", "seconds", "mistakes (%)", True, against, "rate_against_time", dataset
        ),
    ]


@pytest.fixture(scope="session")
def full_page() -> Page:
    return Page(
        "Large scale online kernel learning, table 5",
        f"Ours beside the paper's figures. {EVIL}",
        [Fact("Figures compared", "30", "10 algorithms, 3 data sets"), Fact("Agree", "12 of 30")],
        [Comparison(f"Table 5 {EVIL}", comparison_rows(), "Mean and std over 20 permutations.")],
        [chart for name in DATASETS for chart in charts_of(name)],
        [Size(d, a, 100.0 * (i + 1)) for d in DATASETS for i, a in enumerate(ALGORITHMS)],
        {"onkel": "0.1.0", "seeds": "0 … 19", "settings": EVIL},
        [f"A note. {EVIL}"],
    )
