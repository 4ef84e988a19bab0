"""The pages of the API, made from what the public rooms export; the build fails where a public name has none."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from sphinx.errors import ExtensionError

import onkel

HERE = Path(__file__).parent / "api"
#: The rooms in the order of the index; others come at the end, called by their names.
ROOMS = {
    "drift": "Streams that change",
    "tables": "Tables and pipelines",
    "stream": "Streams",
    "datasets": "Data sets",
    "evaluate": "Evaluation",
    "dask": "Learners on a cluster",
    "plot": "Pictures",
    "river": "Models of river",
    "report": "Reports",
    "reproduce": "The papers, reproduced",
    "io": "Model files",
    "kernels": "Kernels",
    "losses": "Losses",
    "rules": "Rules",
    "budgets": "Budgets",
    "tasks": "Tasks",
    "balls": "Balls",
}
#: What is in them is exported by `onkel` itself, or a learner chooses it by itself.
WITHOUT_PAGE = {"learners", "maps"}
TOP = "All learners, and what stands beside them: feature maps, the encoder of tables, pipelines."
#: What scikit-learn gives every estimator.
NOT_OURS = (
    "set_fit_request",
    "set_score_request",
    "set_partial_fit_request",
    "set_predict_request",
)


def rooms() -> dict[str, str]:
    """The public rooms that have something of their own, and their titles."""
    others = {room: f"onkel.{room}" for room in onkel._ROOMS if room not in {*ROOMS, *WITHOUT_PAGE}}
    return {room: title for room, title in (ROOMS | others).items() if public_names(room)}


def public_names(room: str) -> list[str]:
    """What a room exports and `onkel` itself does not; of one without a list, what it defines."""
    module: Any = import_module(f"onkel.{room}")
    if hasattr(module, "__all__"):
        return [name for name in module.__all__ if not is_beside(name, getattr(module, name))]
    return [
        name
        for name, thing in vars(module).items()
        if not name.startswith("_") and getattr(thing, "__module__", "") == module.__name__
    ]


def is_beside(name: str, thing: Any) -> bool:
    """Whether `onkel` itself has it: river's features are no relatives of those that share their name."""
    return name in onkel._BESIDE and getattr(onkel, name) is thing


def beside() -> list[str]:
    """What stands beside the learners in `onkel`."""
    named = [name for name in dir(onkel) if not name.startswith("_")]
    return [
        name
        for name in named
        if name not in onkel.__all__
        and (inspect.isclass(getattr(onkel, name)) or inspect.isfunction(getattr(onkel, name)))
        and getattr(onkel, name).__module__.startswith("onkel")
    ]


def every_name() -> Iterator[str]:
    """All public names, in full."""
    yield from (f"onkel.{name}" for name in [*onkel.__all__, *beside()])
    for room in rooms():
        yield from (f"onkel.{room}.{name}" for name in public_names(room))


def write(path: Path, text: str) -> None:
    """Write what has changed, so that the rest need not be built again."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def page(title: str, module: str, words: str, names: list[str]) -> str:
    found = {name: getattr(import_module(module), name) for name in names}
    plain = [n for n, it in found.items() if not (inspect.isclass(it) or inspect.isroutine(it))]
    shown = "".join(f"   {name}\n" for name in names if name not in plain)
    data = "".join(f"\n.. autodata:: {name}\n   :no-value:\n" for name in plain)
    mark = f".. currentmodule:: {module}\n\n.. py:module:: {module}\n"
    table = f".. autosummary::\n   :toctree: generated\n   :template: thing.rst\n\n{shown}"
    return f"{title}\n{'=' * len(title)}\n\n{mark}\n{words}\n\n{table}{data}"


def write_pages() -> None:
    """Write the index and a page for each room."""
    write(HERE / "onkel.rst", page("Learners", "onkel", TOP, [*onkel.__all__, *beside()]))
    for room, title in rooms().items():
        module = import_module(f"onkel.{room}")
        words = (module.__doc__ or "").strip()
        write(HERE / f"{room}.rst", page(title, module.__name__, words, public_names(room)))
    lines = "".join(f"   {room}\n" for room in ["onkel", *rooms()])
    head = (
        "API\n===\n\nEvery public name, from its docstring; :ref:`by the alphabet <genindex>`.\n\n"
    )
    write(HERE / "index.rst", f"{head}.. toctree::\n   :maxdepth: 1\n\n{lines}")


def skip(app: Any, what: str, name: str, thing: Any, skips: bool, options: Any) -> bool | None:
    """Leave out what other packages gave a class: its place is in their documentation."""
    if name in NOT_OURS or name.startswith("_"):
        return True
    home = getattr(thing, "__module__", None) or getattr(
        getattr(thing, "fget", None), "__module__", ""
    )
    return True if home and not home.startswith("onkel") else None


def check_all_documented(app: Any, env: Any) -> None:
    """Every public name has its entry."""
    known = env.get_domain("py").objects
    missing = [name for name in every_name() if name not in known]
    if missing:
        raise ExtensionError(f"not documented: {', '.join(missing)}")


def setup(app: Any) -> dict[str, bool]:
    app.connect("autodoc-skip-member", skip)
    app.connect("env-check-consistency", check_all_documented)
    return {"parallel_read_safe": True}
