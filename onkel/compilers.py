"""How Numba is made to compile in half the time: inner functions never become machine code.

Numba turns every function that compiled code calls into machine code of its own, and then throws
that away: the caller takes in the function's LLVM code and optimises all of it again. Here an inner
function stops before. LLVM works once, on the outermost function, which takes all of them in.

This reaches for methods that Numba keeps to itself. Where they are not found, inner functions are
compiled in Numba's usual way: slower, to the same results.
"""

from __future__ import annotations

import gc
from typing import Any

from numba.core import codegen, compiler

try:
    from numba import _dynfunc
except ImportError:  # pragma: no cover
    _dynfunc = None

Library: Any = getattr(codegen, "JITCodeLibrary", object)
Compiler: Any = getattr(compiler, "Compiler", object)
Flags: Any = getattr(compiler, "Flags", object)
#: What is called or replaced below.
PRIVATE = (
    (_dynfunc, "make_function"),
    (Flags, "no_compile"),
    (Compiler, "_compile_core"),
    (Compiler, "define_pipelines"),
    (Library, "_optimize_final_module"),
    (Library, "_finalize_final_module"),
    (Library, "_finalize_dynamic_globals"),
    (Library, "_get_module_for_linking"),
)


def numba_is_as_known() -> bool:
    """Whether the installed Numba has everything that is called or replaced here."""
    return all(hasattr(owner, name) for owner, name in PRIVATE)


def outer_options() -> dict[str, Any]:
    """Options of ``numba.njit`` for a function that Python calls."""
    return {"pipeline_class": OuterCompiler} if numba_is_as_known() else {}


def inner_options() -> dict[str, Any]:
    """Options of ``numba.njit`` for a function that only compiled code calls."""
    return {"pipeline_class": InnerCompiler} if numba_is_as_known() else {}


class OuterCompiler(Compiler):
    """Numba's compiler, not interrupted by the garbage collector: it makes no garbage to speak of."""

    def _compile_core(self) -> Any:
        collects = gc.isenabled()
        gc.disable()
        try:
            return super()._compile_core()
        finally:
            if collects:
                gc.enable()


class InnerLibrary(Library):
    """LLVM code to be taken in by callers, neither inlined into nor assembled by itself."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


class InnerCompiler(Compiler):
    """Numba's compiler, with such a library for its result."""

    def define_pipelines(self) -> Any:
        state = self.state
        if state.library is None:
            state.library = InnerLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
            state.flags.no_compile = True
        return super().define_pipelines()

    def _compile_core(self) -> Any:
        done = super()._compile_core()
        about, library = done.fndesc, done.library
        # Callers know a function by its entry for Python; this one leads nowhere.
        entry = _dynfunc.make_function(
            about.lookup_module(), about.qualname, "", 0, done.environment, (library,)
        )
        done.target_context.insert_user_function(entry, about, [library])
        return done._replace(entry_point=entry)
