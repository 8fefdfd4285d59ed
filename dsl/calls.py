"""Calls: declared functions and record constructors, which are put in, and built-in functions."""

from __future__ import annotations

from . import complaints_flatten as complain
from . import flat, syntax
from .builtins import FUNCTIONS, PUT_IN
from .constants import fixed_integer, fixed_text
from .context import COST_OF_CALL, DEEPEST_CALLS, MOST_ELEMENTS, Context
from .instances import Instance, Many, RecordValue, Scope, Value
from .labels import bind_reaction
from .lazy import Lazy
from .library import Class, Entry
from .members import as_plain
from .nearest import closest
from .rounds import expand
from .shapes import shape_of
from .signatures import Signature, Slot
from .slots import signature_of, verify_slot
from .source import Span


def bind_call(context: Context, call: syntax.Call, scope: Scope) -> Value:
    """The value of a call in a scope."""
    path = _path(call.function)
    if path is None:
        return context.poison(complain.not_callable(call.function.span), call.span)
    name = ".".join(path)
    if name in FUNCTIONS or name in PUT_IN:
        return _built_in(context, name, call, scope)
    entry = scope.namespace.look_up(path)
    if isinstance(entry, Class) and entry.definition.kind != "model":
        return _put_in(context, entry, call, scope)
    return _refused(context, name, entry, call, scope)


def _path(function: syntax.Expr) -> tuple[str, ...] | None:
    match function:
        case syntax.Name():
            return (function.id,)
        case syntax.Member():
            base = _path(function.base)
            return None if base is None else (*base, function.name)
        case _:
            return None


def _refused(context: Context, name: str, entry: Entry | None, call: syntax.Call, scope: Scope) -> Value:
    span = call.function.span
    if entry is not None:
        return context.poison(complain.not_a_function(span, name), call.span)
    is_local = name in scope.locals or (scope.layer is not None and scope.layer.find(name) is not None)
    if is_local:
        return context.poison(complain.call_of_variable(span, name), call.span)
    if scope.namespace.is_incomplete():
        return flat.Poison(span=call.span)
    known = [n for n, e in scope.namespace.visible() if isinstance(e, Class) and e.definition.kind != "model"]
    close = closest(name, [*known, *sorted(FUNCTIONS | PUT_IN)])
    return context.poison(complain.unknown_function(span, name, close), call.span)


# --- built in --------------------------------------------------------------------------------


def _built_in(context: Context, name: str, call: syntax.Call, scope: Scope) -> Value:
    for argument in call.arguments:
        if argument.name is not None:
            return context.poison(complain.named_argument(argument.span, name, argument.name), call.span)
    values = [argument.value for argument in call.arguments]
    match name:
        case "reaction":
            return bind_reaction(context, call, values, scope)
        case "table":
            return _table(context, call, values, scope)
        case "size":
            return _size(context, call, values, scope)
        case "zeros" | "ones" | "identity":
            return _filled(context, name, call, values, scope)
        case "sum" | "product" if len(values) == 1:
            return _reduced(context, name, call, values[0], scope)
    arguments: list[flat.Expr] = []
    for value in values:
        if isinstance(value, syntax.Comprehension):
            items = expand(context, value, scope)
            arguments.append(flat.Poison(span=value.span) if items is None else _listed(context, items, value.span))
        else:
            arguments.append(as_plain(context, context.bind(context, value, scope), value.span))
    return flat.Call(name, tuple(arguments), span=call.span)


def _listed(context: Context, items: list[Value], span: Span) -> flat.Expr:
    return flat.Array(tuple([as_plain(context, item, span) for item in items]), span=span)


def _reduced(context: Context, name: str, call: syntax.Call, argument: syntax.Expr, scope: Scope) -> flat.Expr:
    """A sum or product; of nothing it is 0 or 1."""
    if isinstance(argument, syntax.Comprehension):
        items = expand(context, argument, scope)
        if items is None:
            return flat.Poison(span=call.span)
        array: flat.Expr = _listed(context, items, argument.span)
    else:
        array = as_plain(context, context.bind(context, argument, scope), argument.span)
    if 0 in (shape_of(context, array) or ()):
        return flat.Number(0.0 if name == "sum" else 1.0, span=call.span)
    return flat.Call(name, (array,), span=call.span)


def _filled(context: Context, name: str, call: syntax.Call, values: list[syntax.Expr], scope: Scope) -> flat.Expr:
    sizes: list[flat.Expr] = []
    total = 1
    for value in values:
        size = fixed_integer(context, value, scope, f"a size in `{name}`")
        if size is None:
            return flat.Poison(span=call.span)
        if size < 0:
            return context.poison(complain.negative_size(value.span, f"a size in `{name}`", size), call.span)
        total *= size * size if name == "identity" else size
        if total > MOST_ELEMENTS:
            return context.poison(complain.too_large(call.span, f"`{name}`", MOST_ELEMENTS), call.span)
        sizes.append(flat.Number(float(size), span=value.span))
    return flat.Call(name, tuple(sizes), span=call.span)


def _size(context: Context, call: syntax.Call, values: list[syntax.Expr], scope: Scope) -> flat.Expr:
    if not 1 <= len(values) <= 2:
        return context.poison(complain.argument_count(call.span, "size", "1 or 2", len(values)), call.span)
    value = context.bind(context, values[0], scope)
    shape = value.extents if isinstance(value, Many) else None
    if not isinstance(value, (Instance, RecordValue, Many)):
        shape = shape_of(context, value)
    if shape is None:
        if not isinstance(value, flat.Poison):
            context.tell(complain.no_size(values[0].span))
        return flat.Poison(span=call.span)
    if len(values) == 1:
        return flat.Array(tuple([flat.Number(float(n), span=call.span) for n in shape]), span=call.span)
    which = fixed_integer(context, values[1], scope, "the dimension in `size`")
    if which is None:
        return flat.Poison(span=call.span)
    if not 1 <= which <= len(shape):
        text = values[0].span.text
        return context.poison(complain.no_dimension(values[1].span, text, which, len(shape)), call.span)
    return flat.Number(float(shape[which - 1]), span=call.span)


def _table(context: Context, call: syntax.Call, values: list[syntax.Expr], scope: Scope) -> flat.Expr:
    if len(values) != 3:
        return context.poison(complain.argument_count(call.span, "table", "3", len(values)), call.span)
    file = fixed_text(context, values[0], scope, "the file of a table")
    column = fixed_text(context, values[1], scope, "the column of a table")
    argument = as_plain(context, context.bind(context, values[2], scope), values[2].span)
    if file is None or column is None:
        return flat.Poison(span=call.span)
    home = file.span.source.path
    path = home.parent / file.value if home is not None else None
    if path is None:
        return context.poison(complain.table_without_home(values[0].span), call.span)
    if not path.is_file():
        return context.poison(complain.no_table(values[0].span, file.value, str(path.parent)), call.span)
    return flat.Table(str(path), column.value, argument, span=call.span)


# --- put in ----------------------------------------------------------------------------------


def _put_in(context: Context, cls: Class, call: syntax.Call, scope: Scope) -> Value:
    """The result of a function or record constructor, its text put in with the arguments for its inputs."""
    signature = signature_of(context, cls)
    if signature is None:
        return flat.Poison(span=call.span)
    arguments = _arguments(context, signature, call, scope)
    if arguments is None:
        return flat.Poison(span=call.span)
    if len(context.calls) >= DEEPEST_CALLS:
        chain = [c.name for c in context.calls[-3:]] + [cls.name]
        context.abandon(complain.endless_recursion(call.span, cls.name, chain, DEEPEST_CALLS))
    # Equal arguments give equal results: without this memory, functions that call functions twice
    # would double the work at every level.
    key = (cls, tuple([(name, id(value)) for name, value in arguments.items()]))
    known = context.results.get(key)
    if known is None:
        context.spend(call.span, COST_OF_CALL)
        context.calls.append(cls)
        try:
            known = context.results[key] = (tuple(arguments.values()), _result(context, signature, arguments))
        finally:
            context.calls.pop()
    return known[1]


def _result(context: Context, signature: Signature, arguments: dict[str, Value]) -> Value:
    locals_: dict[str, Value | Lazy[Value]] = {}
    scope = Scope(signature.cls.inside, None, locals_, (), signature.cls)
    for slot in (*signature.inputs, *signature.locals, *((signature.output,) if signature.output else ())):
        locals_[slot.name] = arguments.get(slot.name) or _lazily(context, slot, scope)
    for slot in signature.inputs:
        if slot.name in arguments:
            locals_[slot.name] = verify_slot(context, slot, arguments[slot.name], scope)
    if signature.output is not None:
        return _worked_out(locals_[signature.output.name])
    return RecordValue(signature.cls.name, {s.name: _worked_out(locals_[s.name]) for s in signature.inputs})


def _worked_out(value: Value | Lazy[Value]) -> Value:
    return value.get() if isinstance(value, Lazy) else value


def _lazily(context: Context, slot: Slot, scope: Scope) -> Lazy[Value]:
    def make() -> Value:
        if slot.default is None:
            return flat.Poison(span=slot.declarator.span)
        home = Scope(slot.where, None, scope.locals, (), scope.function)
        return verify_slot(context, slot, context.bind(context, slot.default, home), scope)

    return Lazy(make)


def _arguments(context: Context, signature: Signature, call: syntax.Call, scope: Scope) -> dict[str, Value] | None:
    """The values for the inputs, by name; None after a complaint about how they are given."""
    name = signature.cls.name
    names = [slot.name for slot in signature.inputs]
    given: dict[str, syntax.Argument] = {}
    sound = True
    for position, argument in enumerate(call.arguments):
        target = argument.name or (names[position] if position < len(names) else None)
        if target is None:
            context.tell(complain.argument_count(argument.span, name, f"at most {len(names)}", len(call.arguments)))
            sound = False
        elif target not in names:
            context.tell(complain.unknown_argument(argument.span, name, target, closest(target, names), names))
            sound = False
        elif target in given:
            context.tell(complain.argument_twice(argument.span, name, target, given[target].span))
            sound = False
        else:
            given[target] = argument
    for slot in signature.inputs:
        if slot.name not in given and slot.default is None and sound:
            context.tell(complain.missing_argument(call.span, name, slot.name, slot.declarator.span))
            sound = False
    values = {target: _argument(context, argument, scope) for target, argument in given.items()}
    return {n: values[n] for n in names if n in values} if sound else None


def _argument(context: Context, argument: syntax.Argument, scope: Scope) -> Value:
    if isinstance(argument.value, syntax.Comprehension):
        items = expand(context, argument.value, scope)
        return flat.Poison(span=argument.span) if items is None else _listed(context, items, argument.span)
    return context.bind(context, argument.value, scope)
