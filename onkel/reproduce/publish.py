"""Reproduction: everything that is kept of a run: CSV files, one page, one README."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from onkel.report import write_report
from onkel.reproduce.comparison import UNITS, Row
from onkel.reproduce.outcome import Outcome
from onkel.reproduce.page import QUICK, page_of
from onkel.reproduce.papers import PAPERS

#: A set of which we have a sample only: its deviations would crowd out all others.
SAMPLED = "kddcup99"
COUNTED = ("std", "percent", "differs", "failed", "absent")

HEAD = """# The papers' tables and figures, run again

Made by one command, which takes the data from the folder named by `ONKEL_DATA`:

    onkel reproduce --all --csv docs/reproduction

A file a table or figure, named after the paper; [index.html](index.html) shows everything. Each row
of a table is one figure that the paper prints, beside ours: mean and standard deviation over
`runs` orders of the rows (or divisions into training and test rows), the difference in the paper's
standard deviations and in per cent of its error, seconds and sizes of both, the whole setting, and
an explanation where we know one.

A figure **agrees** if it lies within 3 of the paper's standard deviations ("std") or, failing that,
within 10 % of the paper's error ("percent"). Of accuracies the *mistakes* are compared, because 10 %
of an accuracy passes almost anything. A printed value counts as known to half its last digit.
"""

SETTINGS = """
## How the settings were found

- **Stated**: what a paper states is used: kernels, budgets, diameters, protocols, scaling.
- **Programs**: LSOKL's steps, and γ and λ of AVM on cod-rna and ijcnn1, are those that the authors'
  programs carry.
- **Searched**: what is open in LSOKL's, SPA's and AVM's table 3, and AVM's γ and λ on covtype, poker
  and kddcup99, was searched on some thousand training rows (`onkel.evaluate.search`), mostly on a
  coarser grid than the paper's, the test rows unseen; AVM's γ and λ on casp on 457 rows. AVM and
  LIBSVM in CSVRG's table are untuned.
- **Chosen because it agrees**: some settings, features and rows were chosen among the possible ones
  because with them the figures agree (most rows say so in the column `note`); for them agreement
  means that the paper's figure can be had, not that it was predicted. They are: the form of the
  features of german, cod-rna, covtype, mnist, parkinsons and cadata, and of casp in AVM's table 5,
  where also ε, and that so few rows were searched; BOGD without rescaling in LSOKL's table 9; the
  budget and FOGD's step for mnist in LSOKL's table 7; the steps, C and G in SPA's table 2, and
  there the raw features of the two Projectrons on cod-rna; Pegasos' λ in SPA's table 3; steps of
  OGD, NOGD and FOGD on cod-rna and ijcnn1, the rows of ijcnn1 and AVM-Logit's λ on cod-rna in AVM's
  table 4; NOGD's step on ijcnn1 in AVM's table 3; γ, λ or B on dna, skin, space_ga, ijcnn1 and a9a
  in NBSGD's tables.
- **Fewer repetitions** than the papers: column `runs` beside `runs_of_paper`; fewer rows: `rows`.
  LIBSVM is scikit-learn's SVC on at most 20,000 training rows, exact ODM is CSVRG with
  diameter 0 on at most 8,000, both run once.
"""


def publish(outcomes: Sequence[Outcome], folder: str | Path) -> list[Path]:
    """Write the tables, the page and the README of a run; the paths written."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    paths = [outcome.to_csv(folder) for outcome in outcomes]
    paths.append(write_report(folder / "index.html", page_of(outcomes)))
    readme = folder / "README.md"
    readme.write_text(readme_of(outcomes), encoding="utf-8", newline="\n")
    return [*paths, readme]


def readme_of(outcomes: Sequence[Outcome]) -> str:
    """The README: counts, worst deviations, where the settings come from."""
    tables = [outcome for outcome in outcomes if outcome.rows]
    figures = [outcome for outcome in outcomes if outcome.points]
    if any(outcome.quick for outcome in outcomes):  # there is nothing to count or to compare
        parts = [HEAD, f"**{QUICK}.** Nothing is counted therefore.", SETTINGS]
    else:
        parts = [HEAD, _counts(tables), _speed(tables), _worst(tables), _trends(figures), SETTINGS]
    return "\n".join(part.strip("\n") + "\n" for part in parts if part)


def _short(outcome: Outcome) -> str:
    return PAPERS[outcome.study.paper].rpartition("(")[2].rstrip(")")


def _counts(tables: Sequence[Outcome]) -> str:
    lines = [
        "## Counts",
        "",
        "| table | | figures | within 3 std | within 10 % | differ | failed | absent |",
        "|---|---|---:|---:|---:|---:|---:|---:|",
    ]
    total = dict.fromkeys(COUNTED, 0)
    for outcome in tables:
        counts = outcome.summary()
        for verdict in COUNTED:
            total[verdict] += counts.get(verdict, 0)
        cells = " | ".join(str(counts.get(verdict, 0)) for verdict in COUNTED)
        name = f"[{_short(outcome)} {outcome.study.number}]({outcome.study.name}.csv)"
        lines.append(f"| {name} | {outcome.study.title} | {len(outcome.rows)} | {cells} |")
    cells = " | ".join(f"**{total[verdict]}**" for verdict in COUNTED)
    lines.append(f"| **all** | | **{sum(total.values())}** | {cells} |")
    ran = total["std"] + total["percent"] + total["differs"]
    agree = total["std"] + total["percent"]
    if ran:
        lines += ["", f"Of {ran} figures with data {agree} agree ({100 * agree / ran:.0f} %)."]
    return "\n".join(lines)


def _speed(tables: Sequence[Outcome]) -> str:
    lines = [
        "## Seconds",
        "",
        "Learning alone, one run of every figure; the papers' machines and programs (Matlab, C++, "
        "Python) are not ours, so this is no comparison of algorithms. Other work shared our two "
        "cores, so that ours are too long rather than too short.",
        "",
        "| table | the paper's seconds / ours | our runs | their minutes of learning and testing |",
        "|---|---:|---:|---:|",
    ]
    for outcome in tables:
        speed = outcome.speed()
        ratio = "" if speed is None else f"{speed:.1f}"
        minutes = f"{outcome.seconds / 60:.1f}"
        name = f"{_short(outcome)} {outcome.study.number}"
        lines.append(f"| {name} | {ratio} | {outcome.runs} | {minutes} |")
    return "\n".join(lines)


def _worst(tables: Sequence[Outcome]) -> str:
    differing = [(o, row) for o in tables for row in o.rows if row.verdict == "differs"]
    if not differing:
        return ""
    sample = [row for _, row in differing if row.dataset == SAMPLED]
    differing = [pair for pair in differing if pair[1].dataset != SAMPLED]
    differing.sort(key=lambda pair: -abs(pair[1].difference_percent or 0.0))
    lines = [
        "## The worst deviations",
        "",
        f"{len(sample)} of the figures that differ are those of {SAMPLED}, of which only the 10 % "
        "sample is here, with other features than the papers'; they are left out below. The other "
        f"{len(differing)}, by their difference in per cent (of accuracies: of the mistakes):",
        "",
        "| table | data set | algorithm | paper | ours | difference | explanation |",
        "|---|---|---|---:|---:|---:|---|",
    ]
    for outcome, row in differing:
        name = f"{_short(outcome)} {outcome.study.number}"
        gap = "" if row.difference_percent is None else f"{row.difference_percent:+.0f} %"
        lines.append(
            f"| {name} | {row.dataset} | {row.algorithm} | {_value(row, row.theirs)} | "
            f"{_value(row, row.ours)} | {gap} | {row.explanation or 'not found'} |"
        )
    return "\n".join(lines)


def _value(row: Row, value: float | None) -> str:
    unit = UNITS.get(row.metric, "")
    return "" if value is None else f"{value:.4g}{' ' + unit if unit else ''}"


def _trends(figures: Sequence[Outcome]) -> str:
    if not figures:
        return ""
    lines = [
        "## The figures",
        "",
        "The papers' figures have no printed values; what the text reads off them is asked of our "
        "points, by the correlation of ranks (beyond 0.5 it holds; on a data set at a time).",
        "",
        "| figure | | statements that hold | those that do not |",
        "|---|---|---:|---|",
    ]
    for outcome in figures:
        holds = sum(trend.holds for trend in outcome.trends)
        exceptions = "; ".join(
            f"{t.claim.algorithm} on {t.dataset}: {t.claim.text} ({t.correlation:+.2f})"
            for t in outcome.trends
            if not t.holds
        )
        name = f"[{_short(outcome)} {outcome.study.number}]({outcome.study.name}.csv)"
        counted = f"{holds} of {len(outcome.trends)}"
        lines.append(f"| {name} | {outcome.study.title} | {counted} | {exceptions} |")
    notes = [f"- {_short(o)} {o.study.number}: {note}" for o in figures for note in o.study.notes]
    return "\n".join([*lines, "", *notes])
