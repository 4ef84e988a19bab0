"""How Numba is made to compile in half the time: inner functions never become machine code.

Numba turns every function that compiled code calls into machine code of its own, and then throws
that away: the caller takes in the function's LLVM code and optimises all of it again. Here an inner
function stops before. LLVM works once, on the outermost function, which takes all of them in.

This reaches for methods that Numba keeps to itself. Where they are not found, inner functions are
compiled in Numba's usual way: slower, to the same results.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from numba import types
from numba.core import codegen, compiler
from numba.core.typing import templates

try:
    from numba import _dynfunc
except ImportError:  # pragma: no cover
    _dynfunc = None

Library: Any = getattr(codegen, "JITCodeLibrary", object)
Engine: Any = getattr(codegen, "JITCPUCodegen", object)
Compiler: Any = getattr(compiler, "Compiler", object)
Flags: Any = getattr(compiler, "Flags", object)
Pipeline: Any = getattr(compiler, "PassManager", object)
Template: Any = getattr(templates, "_OverloadFunctionTemplate", object)
NO_WRAPPERS = {"no_cfunc_wrapper": True, "no_cpython_wrapper": True}
#: What is called or replaced below.
PRIVATE = (
    (_dynfunc, "make_function"),
    (Flags, "no_compile"),
    (Flags, "_values"),
    (Template, "_get_jit_decorator"),
    (Compiler, "_compile_core"),
    (Compiler, "define_pipelines"),
    (Pipeline, "finalize"),
    (Library, "_optimize_final_module"),
    (Library, "_finalize_final_module"),
    (Library, "_finalize_dynamic_globals"),
    (Library, "_get_module_for_linking"),
    (Engine, "set_env"),
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


def without_literals(function: Any) -> Any:
    """Let a function be compiled once for all integers, not again for every constant."""
    template_for = getattr(function, "get_call_template", None)
    if template_for is not None:
        function.get_call_template = lambda args, kws: template_for(
            tuple(map(types.unliteral, args)),
            {name: types.unliteral(kind) for name, kind in kws.items()},
        )
    return function


class OuterCompiler(Compiler):
    """Numba's compiler, helped while it works on a function that Python calls.

    The garbage collector would find nothing to speak of, Numba's own functions are inner ones as well,
    and flags, which are keys of its caches, are hashed and compared in fewer steps.
    """

    def _compile_core(self) -> Any:
        with (
            garbage_uncollected(),
            replaced(Template, "_get_jit_decorator", decorator_of_inner_functions),
            replaced(Flags, "__hash__", hash_of_flags),
            replaced(Flags, "__eq__", same_flags),
        ):
            done = super()._compile_core()
        lend_environments(done.target_context.codegen())
        return done


#: Names and contents of what inner functions need to print, or to raise with numbers in the message.
environments: list[tuple[str, Any]] = []


def lend_environments(generator: Any) -> None:
    """Tell machine code where the environments of its inner functions are, as Numba does for others."""
    while environments:
        name, environment = environments.pop()
        if generator._engine.get_global_value_address(name):  # 0: not a part of it after all
            generator.set_env(name, environment)


@contextmanager
def garbage_uncollected() -> Iterator[None]:
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


@contextmanager
def replaced(owner: type, name: str, value: Any) -> Iterator[None]:
    """Another attribute of a class for a while; only one thread at a time compiles."""
    own = vars(owner).get(name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        if own is None:  # it was inherited
            delattr(owner, name)
        else:
            setattr(owner, name, own)


usual_decorator: Any = getattr(Template, "_get_jit_decorator", None)
HASH_OF_FLAGS = hash(Flags())


def decorator_of_inner_functions(template: Any) -> Any:
    """What Numba compiles the functions of its own library with."""
    return partial(usual_decorator(template), **inner_options(), **NO_WRAPPERS)


def hash_of_flags(flags: Any) -> int:
    return HASH_OF_FLAGS


def same_flags(flags: Any, others: Any) -> bool:
    if not isinstance(others, Flags):
        return False
    if flags._values == others._values:
        return True
    chosen = flags._values.keys() | others._values.keys()
    return all(getattr(flags, name) == getattr(others, name) for name in chosen)


class InnerLibrary(Library):
    """LLVM code to be taken in by callers, neither inlined into nor assembled by itself."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


#: Passes for what onkel's own inner functions do without: closures, array expressions, literals.
UNNEEDED_PASSES = {
    "FindLiterallyCalls",
    "InlineClosureLikes",
    "InlineInlinables",
    "InlineOverloads",
    "LiteralPropagationSubPipelinePass",
    "LiteralUnroll",
    "MakeFunctionToJitFunction",
    "NopythonRewrites",
    "WithLifting",
}


class InnerCompiler(Compiler):
    """Numba's compiler, with such a library for its result."""

    def define_pipelines(self) -> Any:
        state = self.state
        if state.library is None:
            state.library = InnerLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
            state.flags.no_compile = True
        pipelines = super().define_pipelines()
        if state.func_id.modname.startswith("onkel."):
            for pipeline in pipelines:
                pipeline.passes = [
                    step for step in pipeline.passes if step[0].__name__ not in UNNEEDED_PASSES
                ]
                pipeline.finalize()
        return pipelines

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
