"""Which outputs a vector has coefficients of, where outputs are many: loops over these alone.

A slot's list may name outputs whose coefficients have become 0, but none is missing: neither one with a
coefficient nor one with a correction. A vector of too many outputs has no list, and all are gone through.
"""

from __future__ import annotations

from typing import Any

from onkel.compiled.arrays import Array
from onkel.compiled.decorators import inner, jit
from onkel.model.state import Model, Workspace

#: The length of a slot's list comes first in it; this, if it has none.
TOO_MANY = -1


@inner
def n_owners(model: Model, workspace: Workspace, slot: int) -> Any:
    """How many outputs to go through for a slot: ``owner(workspace, slot, k)`` for k below this."""
    if workspace.owners.size == 0 or workspace.owners[slot, 0] == TOO_MANY:
        return model.coef.shape[0]
    return workspace.owners[slot, 0]


@inner
def owner(workspace: Workspace, slot: int, k: int) -> Any:
    if workspace.owners.size == 0 or workspace.owners[slot, 0] == TOO_MANY:
        return k
    return workspace.owners[slot, 1 + k]


@inner
def add_owner(workspace: Workspace, slot: int, c: int) -> None:
    """The slot is about to get a coefficient of this output."""
    if workspace.owners.size == 0:
        return
    owners = workspace.owners[slot]
    for k in range(1, owners[0] + 1):
        if owners[k] == c:
            return
    enlist(owners, c)


@inner
def enlist(owners: Array, c: int) -> None:
    """Add an output that is not in the list."""
    count = owners[0]
    if count == TOO_MANY:
        return
    if count + 1 == owners.size:
        owners[0] = TOO_MANY
        return
    owners[count + 1] = c
    owners[0] = count + 1


@inner
def copy_owners(workspace: Workspace, source: int, slot: int) -> None:
    if workspace.owners.size > 0:
        for k in range(max(0, workspace.owners[source, 0]) + 1):
            workspace.owners[slot, k] = workspace.owners[source, k]


@inner
def clear_owners(workspace: Workspace, slot: int) -> None:
    """All coefficients and corrections of the slot have become 0."""
    if workspace.owners.size > 0:
        workspace.owners[slot, 0] = 0


@jit
def list_owners(coef: Any, corrections: Any, owners: Any) -> None:
    """The lists of all slots, from scratch."""
    for slot in range(owners.shape[0]):
        owners[slot, 0] = 0
    for c in range(coef.shape[0]):
        for slot in range(coef.shape[1]):
            belongs = coef[c, slot] != 0.0
            for a in range(corrections.shape[0]):
                belongs |= corrections[a, c, slot] != 0.0
            if belongs:
                enlist(owners[slot], c)
