"""Model files: what older formats called otherwise, so that their files still load."""

from __future__ import annotations

from typing import Any

import numpy as np

from onkel.calibration import ScoreSample

#: The format that is written.
VERSION = 3
#: Parts, records and objects of format 1, and what they and their fields are called now. None: gone.
RENAMED_SINCE_1: dict[str, tuple[str, dict[str, str | None]]] = {
    "Parts": ("Composition", {"suffix": "average"}),
    "RbfInBoxes": ("Rbf", {}),
    "Recipe": ("Recipe", {"kernel": None}),
    "Model": ("Model", {"debts": "corrections", "marks": "slot_memory"}),
    "NOW": (
        "NOW",
        {"along": "directional_score", "tracks_norm": "follows_norm", "shown": "output_average"},
    ),
    **{
        machine: (machine, dict.fromkeys(("_desk", "_work", "_fill", "_walk", "_own")))
        for machine in ("Machine", "FourierMachine", "NystromMachine")
    },
}
#: Parameters that all learners had in format 1, and now only those that use them.
ONLY_WHERE_USED_SINCE_1 = ("degree", "coef0")
#: Parameters that were added since, and what learners did before: as the papers say.
ADDED = {
    "first_step": None, "intercept": False, "scale_targets": False, "average": 0.0, "half_life": None,
    "grow_features": False,
}  # fmt: skip
#: What learners of earlier formats would have known of their targets: these were learned as they were.
UNSCALED = {"target_mean_": 0.0, "target_scale_": 1.0}
#: Where an entry of the header keeps its name and its fields.
NAMED = {"part": "fields", "record": "fields", "object": "state"}


def upgraded(value: Any, version: int) -> Any:
    """An entry of a header of this format version, as the present format has it."""
    if version >= 2:
        return value
    if isinstance(value, list):
        return [upgraded(item, version) for item in value]
    if not isinstance(value, dict):
        return value
    value = {key: upgraded(item, version) for key, item in value.items()}
    for kind, place in NAMED.items():
        if kind in value and value[kind] in RENAMED_SINCE_1:
            name, fields = RENAMED_SINCE_1[value[kind]]
            renamed = {fields.get(field, field): item for field, item in value[place].items()}
            renamed.pop(None, None)
            value |= {kind: name, place: renamed}
    if value.get("object") == "Frequencies":
        value["state"] = with_kernel(value["state"])
    return value


def with_kernel(frequencies: dict[str, Any]) -> dict[str, Any]:
    """Frequencies of format 1 had a column and a scale where there is a kernel now."""
    kept = dict(frequencies)
    column, scale = kept.pop("_fill")["function"], kept.pop("_scale")
    if column == "normal_column":
        return kept | {"kernel": {"part": "Rbf", "fields": {"gamma": 0.5 * scale * scale}}}
    return kept | {"kernel": {"part": "Laplacian", "fields": {"gamma": scale}}}


def used_parameters(parameters: dict[str, Any], cls: Any, version: int) -> dict[str, Any]:
    """The parameters of a file of this format version that the learner still has, or never had."""
    gone = () if version >= 2 else ONLY_WHERE_USED_SINCE_1
    used = {k: v for k, v in parameters.items() if k not in gone or hasattr(cls, k)}
    return {k: v for k, v in ADDED.items() if hasattr(cls, k)} | used


def completed_state(state: dict[str, Any], cls: Any) -> dict[str, Any]:
    """What a learner knows, and what it would have known had it been asked."""
    if "_machine" not in state or not hasattr(cls, "target_mean_"):
        return state
    return UNSCALED | state


def completed_object(state: dict[str, Any], version: int) -> dict[str, Any]:
    """What a machine of an earlier format knows: it never forgot, and all instances count alike."""
    model = state.get("model")
    if version >= 3 or model is None:
        return state
    model.now["count"], model.now["average_unit"] = model.now["t"], 1.0
    return state | {"model": model._replace(counts=model.counts.astype(float))}


def settled(model: Any) -> Any:
    """A learner whose file kept beside the machine what the machine keeps now."""
    state = vars(model)
    machine, weights = state.get("_machine"), state.pop("_class_weights", None)
    if machine is not None and weights is not None:
        machine.class_weights = weights
    if machine is not None and "_sample" in state:
        machine.observer = sample = ScoreSample(machine.parts.seed, machine.parts.decay)
        sample.seen[0] = machine.t
        sample.scores = state.pop("_sample")[: machine.t].copy()
        exact = state.pop("_exact_offset", None)
        sample.exact = np.zeros(0) if exact is None else np.array([float(exact)])
        state.setdefault("_share", float(model.contamination))
    return model
