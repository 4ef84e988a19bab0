"""The demonstration: one million points of a synthetic stream, one pass, six learners.

The stream is `onkel.datasets.gaussian_mixture`, whose best possible mistake rate is known exactly. Every
point is first predicted and then learned (the prequential protocol), so no rate in the table was
measured on points that had been learned before.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TextIO

import numpy as np
from numpy.typing import NDArray

from onkel.datasets import gaussian_mixture, gaussian_mixture_bayes_rate
from onkel.evaluate import Look, Run, prequential

CLASSES = (-1, 1)
GAMMA = 0.4  # as in the SPA paper
POINTS = 100  # of a curve

# Okabe and Ito's colours, which stay apart for colour-blind readers; the dashes help in print.
STYLES = [
    ("#0072B2", "-"),
    ("#D55E00", "-"),
    ("#009E73", "-"),
    ("#CC79A7", "-"),
    ("#E69F00", "--"),
    ("#56B4E9", "--"),
]


def make_learners(instances: int) -> dict[str, Callable[[], Any]]:
    """One constructor a learner. γ and SPA's loss cap are the SPA paper's; sizes are kept small."""
    import onkel

    common: dict[str, Any] = {"kernel": "rbf", "gamma": GAMMA, "average": True, "random_state": 0}
    # A row is taken in with probability 0.5 / sampling at most: 2,500 vectors whatever the length.
    sampling = max(instances / 5000, 0.5)
    # With a rate below the number of rows the model grows, here by at most 2 rows in 10,000.
    rate = 0.98 * instances
    return {
        "AVM": lambda: onkel.AVMClassifier(diameter=1.0, regularization=1e-3, **common),
        "SPA": lambda: onkel.SPAClassifier(step=0.01, loss_cap=0.5, sampling=sampling, **common),
        "FOGD": lambda: onkel.FOGDClassifier(step=0.2, n_components=100, **common),
        "NOGD": lambda: onkel.NOGDClassifier(step=0.2, budget=200, rank=40, **common),
        "BSGD": lambda: onkel.BSGDClassifier(
            budget=100, maintenance="merging", regularization=1e-3, **(common | {"average": False})
        ),
        "NBSGD": lambda: onkel.NBSGDClassifier(
            budget=200,
            maintenance="projection",
            maintenance_rate=rate,
            regularization=1e-3,
            **common,
        ),
    }


def learn(name: str, learner: Any, X: NDArray[Any], y: NDArray[Any], display: "Display") -> Run:
    """Learn the stream in one pass, the machine code made beforehand."""
    display.say(f"{name}: compiling")

    def show(look: Look) -> None:
        display.show(name, look, len(y))

    return prequential(learner, (X, y), classes=CLASSES, points=POINTS, on_progress=show)


def describe_size(run: Run) -> str:
    """The number of support vectors, or of features where the map is explicit."""
    unit = "features" if run.learner.startswith("FOGD") else "vectors"
    return f"{run.metrics['size']:,} {unit}"


class Display:
    """Live progress: on a terminal one line redrawn in place, elsewhere four lines a learner."""

    def __init__(self, out: TextIO) -> None:
        self.out = out
        self.live = out.isatty()
        self.quarters = 0

    def say(self, text: str) -> None:
        self.quarters = 0
        if self.live:
            self.out.write(f"\r\x1b[K{text} ...")
            self.out.flush()

    def show(self, name: str, look: Look, instances: int) -> None:
        share = look.seen / instances
        speed = look.seen / max(look.seconds, 1e-9)
        text = (
            f"{name:<6} {share:4.0%} {look.seen:>11,} rows  "
            f"{look.rate:7.2%} mistakes  {speed:>11,.0f} rows/s"
        )
        if self.live:
            filled = round(24 * share)
            bar = "█" * filled + "░" * (24 - filled)
            self.out.write(f"\r\x1b[K{bar} {text}" + ("\n" if share == 1 else ""))
            self.out.flush()
        elif int(4 * share) > self.quarters:
            self.quarters = int(4 * share)
            print(text, file=self.out, flush=True)


def table(runs: dict[str, Run], bayes: float) -> str:
    """The figures of all runs, best mistake rate first, and the Bayes rate below."""
    head = f"{'learner':<14}{'mistakes':>10}{'model size':>18}{'seconds':>10}{'rows/second':>14}"
    lines = [head, "-" * len(head)]
    for name, run in sorted(runs.items(), key=lambda item: item[1].metrics["mistake_rate"]):
        rate, seconds = run.metrics["mistake_rate"], run.metrics["seconds"]
        speed = run.metrics["seen"] / max(seconds, 1e-9)
        size = describe_size(run)
        lines.append(f"{name:<14}{rate:>10.2%}{size:>18}{seconds:>10.2f}{speed:>14,.0f}")
    lines.append(f"{'Bayes-optimal':<14}{bayes:>10.2%}")
    return "\n".join(lines)


def picture(runs: dict[str, Run], bayes: float, path: Path) -> bool:
    """Draw mistake rate against instances seen; False where matplotlib is not installed."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        return False
    figure = Figure(figsize=(8, 5), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    styles = dict(zip(runs, STYLES))
    for name, run in sorted(runs.items(), key=lambda item: -item[1].metrics["mistake_rate"]):
        color, dashes = styles[name]
        label = f"{name}  {run.metrics['mistake_rate']:.2%}"
        rate = 100 * np.array(run.curve["rate"])
        axes.plot(run.curve["seen"], rate, dashes, color=color, label=label)
    axes.axhline(100 * bayes, color="black", linestyle=":", label=f"Bayes-optimal  {bayes:.2%}")
    axes.set_xscale("log")
    # The first few rows may cost anything up to 100 %; what matters happens below blind guessing.
    highest = max(max(run.curve["rate"]) for run in runs.values())
    axes.set_ylim(100 * bayes - 1, min(45, 100 * highest + 1))
    axes.set_xlabel("instances seen")
    axes.set_ylabel("mistakes so far (%)")
    axes.set_title("One pass over the gaussian mixture, each row predicted before it is learned")
    axes.grid(True, which="major", alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)
    figure.savefig(path, dpi=150)
    return True


def demonstrate(instances: int, output: Path, seed: int) -> None:
    """Learn so many rows with each learner, print their table, draw their curves."""
    X, y = gaussian_mixture(instances, seed)
    X = X.astype(np.float32)
    bayes = gaussian_mixture_bayes_rate()
    print(f"Gaussian mixture, {instances:,} rows, one pass; predict first, then learn.")
    print("Compilation is done beforehand, and not in the times.\n")
    display = Display(sys.stdout)
    makers = make_learners(instances)
    runs = {name: learn(name, make(), X, y, display) for name, make in makers.items()}
    print("\n" + table(runs, bayes))
    if picture(runs, bayes, output):
        print(f"\nPicture: {output}")
    else:
        print("\nNo picture: matplotlib is missing (pip install 'onkel[plot]').")
