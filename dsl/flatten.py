"""From classes to one flat model: components instantiated, names bound, loops and branches gone.

The main model is instantiated and written out in the order of its text. Classes it does not use are
instantiated alone, so that their mistakes are told too; what only their users can give may then be missing.
"""

from __future__ import annotations

from collections.abc import Mapping

from . import complaints_flatten as complain
from . import flat, syntax
from .bind_statements import Collected, bind_statement
from .constants import quiet_value
from .context import Abandon, Context
from .diagnostics import Diagnostic, Severity
from .expressions import bind
from .instances import (
    ArrayMember,
    Block,
    BrokenMember,
    Instance,
    Item,
    Layer,
    OuterMember,
    PassedOver,
    Scope,
    Stated,
    VariableMember,
)
from .instantiate import open_instance
from .lazy import CircularError
from .library import Class, Library
from .nearest import closest
from .records import field, mutable, replace
from .slots import signature_of
from .statements import Experiment
from .untaken import look_over
from .usage import verify_usage


def flatten(
    library: Library, model: str | None = None, structure: Mapping[str, float | bool] | None = None
) -> tuple[flat.FlatModel | None, list[Diagnostic]]:
    """The main model of a file, or the one named, with all its parts.

    `structure` holds values from outside by full name: for structural parameters, and for parameters and
    inputs that have none. A model with mistakes is returned too, with poison where they are; None where
    there is no model to speak of.
    """
    diagnostics: list[Diagnostic] = []
    chosen = _main_model(library, model, diagnostics)
    main = Context(bind, open_instance, structure or {}, diagnostics=diagnostics)
    result: flat.FlatModel | None = None
    try:
        if chosen is not None:
            result = _whole(main, chosen)
        _rest(main, library, chosen)
    except Abandon:
        result = None
    except RecursionError:
        result = None
        diagnostics.append(complain.recursion(chosen.span if chosen is not None else None))
    return result, diagnostics


def _main_model(library: Library, name: str | None, diagnostics: list[Diagnostic]) -> Class | None:
    """The class to run: the one named, else the last model of the file that is not partial."""
    models = [c for c in library.classes if c.definition.kind == "model"]
    if name is not None:
        entry = library.main.look_up(tuple(name.split(".")))
        if isinstance(entry, Class) and entry.definition.kind == "model" and not entry.definition.partial:
            return entry
        if isinstance(entry, Class):
            diagnostics.append(complain.not_a_model(name, entry.definition.kind, entry.span))
        elif not library.main.incomplete:
            known = [c.inside.name for c in models if not c.definition.partial]
            diagnostics.append(complain.unknown_model(name, closest(name, known), known, library.source.name))
        return None
    complete = [c for c in models if not c.definition.partial and c.inside.parent is library.main]
    if not complete and not library.main.incomplete:
        diagnostics.append(complain.no_model(library.source.name, [c.name for c in models]))
    return complete[-1] if complete else None


# --- the whole model -------------------------------------------------------------------------


@mutable(eq=False)
class _Written:
    """What has been written out so far; variables with the members they come from."""

    variables: list[tuple[VariableMember, flat.VariableDeclaration]] = field(default_factory=list)
    statements: Collected = field(default_factory=Collected)


def _whole(context: Context, cls: Class) -> flat.FlatModel:
    root, written = _instantiate(context, cls)
    for name in context.structure:
        if name not in context.variables and not name.startswith("der("):
            context.tell(complain.unknown_setting(name, closest(name, context.variables)))
    statements = written.statements.frozen()
    missing = verify_usage(context, written.variables, statements, cls.inside.is_incomplete())
    variables = [_poisoned(v) if m.name in missing else v for m, v in written.variables]
    return flat.FlatModel(
        name=cls.name,
        description=cls.definition.description,
        source=cls.inside.source,
        span=cls.span,
        variables=tuple(variables),
        statements=statements,
        experiment=written.statements.experiment or Experiment(),
        structure=_structure(context),
        components={i.path: i.cls.name for i in context.instances if i is not root},
    )


def _poisoned(variable: flat.VariableDeclaration) -> flat.VariableDeclaration:
    return replace(variable, binding=flat.Poison(span=variable.span))


def _structure(context: Context) -> dict[str, float | bool]:
    """The values of the structural parameters that are single numbers or truth values."""
    result: dict[str, float | bool] = {}
    for name, member in context.variables.items():
        if member.structural:
            value = quiet_value(context, flat.Variable(name, span=member.span))
            if isinstance(value, (bool, float, int)):
                result[name] = value
    return result


def _instantiate(context: Context, cls: Class) -> tuple[Instance, _Written]:
    root = Instance("", cls, cls.span, None, 0, ())
    written = _Written()
    _write_instance(context, root, written)
    done: set[str] = set()
    # A default world may itself ask for another.
    while len(done) < len(context.defaults):
        for name in [n for n in context.defaults if n not in done]:
            done.add(name)
            _write_instance(context, context.defaults[name], written)
    return root, written


def _write_instance(context: Context, instance: Instance, into: _Written) -> None:
    context.open(context, instance)
    _write(context, instance.layer, into)


def _write(context: Context, item: Item, into: _Written) -> None:
    match item:
        case VariableMember():
            into.variables.append((item, _variable(context, item)))
        case Instance():
            _write_instance(context, item, into)
        case ArrayMember():
            many = item.items.get()
            for element in many.items if many is not None else ():
                if isinstance(element, (VariableMember, Instance)):
                    _write(context, element, into)
        case Block() | Layer():
            for inner in item.items:
                _write(context, inner, into)
        case Stated():
            try:
                bind_statement(context, item, into.statements)
            except CircularError:
                context.tell(complain.cyclic_value(item.statement.span, "what this statement needs"))
        case PassedOver():
            look_over(context, item.elements, item.scope, item.declared)
        case OuterMember():
            item.target.get()
        case BrokenMember():
            pass


def _unit(context: Context, member: VariableMember, given: flat.Expr | None) -> str | None:
    if isinstance(given, flat.Text):
        return given.value
    if given is not None and not isinstance(given, flat.Poison):
        context.tell(complain.not_a_text(given.span, f"the unit of `{member.declarator.name}`"))
    return None


def _variable(context: Context, member: VariableMember) -> flat.VariableDeclaration:
    extents: tuple[int, ...] | None = None
    binding: flat.Expr | None = flat.Poison(span=member.span)
    attributes: dict[str, flat.Expr] = {}
    unit: str | None = None
    try:
        extents = member.extents.get()
        binding = member.binding.get()
        attributes = member.attributes()
        unit = _unit(context, member, attributes.pop("unit", None))
    except CircularError:
        context.tell(complain.cyclic_value(member.span, f"the value of `{member.declarator.name}`"))
    size = 1
    for extent in extents or ():
        size *= extent
    context.allocate(member.span, size)
    return flat.VariableDeclaration(
        name=member.name,
        kind=member.kind,
        base=member.base,
        type_name=member.type_name,
        unit=unit,
        dimensions=extents or (),
        attributes=attributes,
        binding=binding if extents is not None else flat.Poison(span=member.span),
        final=member.final,
        structural=member.structural,
        description=member.declarator.description,
        span=member.span,
        given_by=member.given_by,
        component=member.owner.path,
    )


# --- classes that the main model does not use ------------------------------------------------


def _rest(main: Context, library: Library, chosen: Class | None) -> None:
    for cls in library.classes:
        if cls in main.visited:
            continue
        alone = Context(bind, open_instance, {}, alone=True, visited=main.visited)
        try:
            if cls.definition.kind == "function":
                _function(alone, cls)
            else:
                _instantiate(alone, cls)
        except Abandon:
            pass  # told among the diagnostics of this class
        told_as_error = (d for d in alone.diagnostics if d.severity is not Severity.NOTE)
        main.diagnostics += told_as_error


def _function(context: Context, cls: Class) -> None:
    """Binds the text of a function that nothing calls, its inputs unknown."""
    signature = signature_of(context, cls)
    if signature is None:
        return
    locals_: dict[str, flat.Expr] = {}
    scope = Scope(cls.inside, None, locals_, (), cls)
    slots = [*signature.inputs, *signature.locals, *([signature.output] if signature.output else [])]
    for slot in slots:
        locals_[slot.name] = flat.Poison(span=slot.declarator.span)
    for slot in slots:
        for dimension in slot.declarator.dimensions:
            if not isinstance(dimension, syntax.Whole):
                context.bind(context, dimension, scope)
        if slot.default is not None:
            context.bind(context, slot.default, scope)
