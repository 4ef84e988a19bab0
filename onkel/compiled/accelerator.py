"""An accelerator that could be deleted at any moment: first use takes about half the time with it.

Numba turns every function that compiled code calls into machine code of its own, and then throws
that away: the caller takes in the function's LLVM code and optimises all of it again. Here an inner
function stops before. LLVM works once, on the outermost function, which takes all of them in.

This needs what Numba keeps to itself. So it is imported for the versions of Numba alone that it was
tested with (``decorators.ACCELERATED_VERSIONS``); with any other one, functions are compiled in
Numba's usual way, to the same results. Nothing of Numba is replaced in either case.
"""

from __future__ import annotations

from typing import Any

from numba import _dynfunc
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler

#: Names and contents of what inner functions need to print, or to raise with numbers in the message.
environments: list[tuple[str, Any]] = []


class InnerLibrary(JITCodeLibrary):
    """LLVM code to be taken in by callers, neither optimised nor assembled by itself."""

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
        environments.append((about.env_name, done.environment))
        return done._replace(entry_point=entry)


class OuterCompiler(Compiler):
    """Numba's compiler for a function that Python calls, and that has taken in all inner ones."""

    def _compile_core(self) -> Any:
        done = super()._compile_core()
        lend_environments(done.target_context.codegen())
        return done


def lend_environments(generator: Any) -> None:
    """Tell machine code where the environments of its inner functions are, as Numba does for others."""
    while environments:
        name, environment = environments.pop()
        if generator._engine.get_global_value_address(name):  # 0: not a part of it after all
            generator.set_env(name, environment)
