"""Signatures of functions and records, and whether a value fits the slot it is put in."""

from __future__ import annotations

from . import complaints_flatten as complain
from . import flat, syntax
from .builtins import RESERVED
from .constants import fixed_integer, fixed_text
from .context import Context
from .instances import Instance, Many, RecordValue, ResolvedType, Scope, Value
from .library import Class
from .shapes import shape_of
from .signatures import Signature, Slot
from .types import resolve_type
from .units import UnknownUnit, parse_unit


def signature_of(context: Context, cls: Class) -> Signature | None:
    """What a function or record takes; None where its text is not sound, which is told once."""
    if cls not in context.signatures:
        context.visited.add(cls)
        slots = _slots(context, cls)
        sound = slots is not None and _verify(context, cls, slots)
        context.signatures[cls] = _signature(context, cls, slots) if slots is not None and sound else None
    return context.signatures[cls]


def _slots(context: Context, cls: Class) -> list[Slot] | None:
    """All variables that a function or record declares, those of its bases first."""
    slots: list[Slot] = []
    sound = not cls.inside.incomplete
    bases = {id(extends): base for extends, base in cls.bases}
    for element in cls.definition.elements:
        match element:
            case syntax.Declaration():
                slots += [Slot(element, d, cls.inside, d.binding) for d in element.declarators]
            case syntax.Extends() if id(element) in bases and cls.definition.kind == "record":
                below = _slots(context, bases[id(element)])
                sound = sound and below is not None
                slots += [_modified(slot, element, cls) for slot in below or ()]
            case syntax.ClassDefinition() | syntax.TypeDefinition() | syntax.Import() | syntax.Annotation():
                pass
            case syntax.Extends():
                sound = False
                if cls.definition.kind == "function":
                    context.tell(complain.statement_in(element.span, "function", cls.name))
            case _:
                sound = False
                context.tell(complain.statement_in(element.span, cls.definition.kind, cls.name))
    return slots if sound else None


def _modified(slot: Slot, extends: syntax.Extends, cls: Class) -> Slot:
    for change in extends.modifications:
        if change.path == (slot.name,) and change.value is not None:
            return Slot(slot.declaration, slot.declarator, cls.inside, change.value)
    return slot


def _verify(context: Context, cls: Class, slots: list[Slot]) -> bool:
    sound = True
    seen: dict[str, Slot] = {}
    for slot in slots:
        span = slot.declarator.span
        if slot.name in RESERVED:
            context.tell(complain.reserved(span, slot.name))
            sound = False
        elif slot.name in seen:
            context.tell(complain.duplicate_name(span, slot.name, seen[slot.name].declarator.span))
            sound = False
        seen[slot.name] = slot
        if slot.declaration.kind == "coordinate" or slot.declaration.inner or slot.declaration.outer:
            context.tell(complain.misplaced_kind(slot.declaration.span, cls.definition.kind, cls.name))
            sound = False
        for attribute in slot.declarator.modifications if cls.definition.kind == "function" else ():
            if attribute.path != ("unit",):
                name = ".".join(attribute.path)
                context.tell(complain.attribute_in_function(attribute.span, name, cls.name))
        if resolve_type(context, slot.where, slot.declaration.type_name, slot.declaration.type_span) is None:
            sound = False
    return sound


def _signature(context: Context, cls: Class, slots: list[Slot]) -> Signature | None:
    if cls.definition.kind == "record":
        return Signature(cls, tuple(slots), (), None)
    inputs = tuple(s for s in slots if s.declaration.kind == "input")
    outputs = [s for s in slots if s.declaration.kind == "output"]
    others = tuple(s for s in slots if s.declaration.kind not in ("input", "output"))
    if len(outputs) != 1:
        context.tell(complain.one_output(cls.span, cls.name, len(outputs)))
        return None
    without = [s for s in (*others, *outputs) if s.default is None]
    for slot in without:
        context.tell(complain.local_without_value(slot.declarator.span, slot.name, cls.name))
    return None if without else Signature(cls, inputs, others, outputs[0])


def verify_slot(context: Context, slot: Slot, value: Value, scope: Scope) -> Value:
    """A value as it is put in a slot; poison after a complaint where its form does not fit."""
    if isinstance(value, flat.Poison):
        return value
    declared = resolve_type(context, slot.where, slot.declaration.type_name, slot.declaration.type_span)
    span = slot.declarator.span
    if isinstance(declared, Class):
        if isinstance(value, (Instance, RecordValue, Many)):
            return value
        return context.poison(complain.record_needed(value.span, slot.name, declared.name, span), span)
    if isinstance(value, (Instance, RecordValue)):
        name = value.name if isinstance(value, RecordValue) else value.cls.name
        return context.poison(complain.no_record_needed(span, slot.name, name), span)
    if isinstance(value, Many) or declared is None:
        return value
    return _verify_shape(context, slot, value, declared, scope)


def _verify_shape(context: Context, slot: Slot, value: flat.Expr, declared: ResolvedType, scope: Scope) -> flat.Expr:
    shape = shape_of(context, value)
    expected = _expected(context, slot, declared, scope)
    if shape is None or expected is None:
        return _with_dimension(context, slot, value, declared)
    fits = len(shape) == len(expected) and all(e in (None, n) for e, n in zip(expected, shape, strict=False))
    if fits:
        return _with_dimension(context, slot, value, declared)
    return context.poison(complain.slot_shape(value.span, slot.name, expected, shape, slot.declarator.span), value.span)


def _with_dimension(context: Context, slot: Slot, value: flat.Expr, declared: ResolvedType) -> flat.Expr:
    """The value as having the dimension that its declaration names."""
    own = [(m, Scope(slot.where, None, {})) for m in slot.declarator.modifications]
    for attribute, scope in (*own, *declared.attributes):
        if attribute.path == ("unit",) and attribute.value is not None:
            unit = fixed_text(context, attribute.value, scope, f"the unit of `{slot.name}`")
            if unit is None:
                return value
            try:
                dimension = parse_unit(unit.value).dimension
            except UnknownUnit as reason:
                return context.poison(complain.unknown_unit(unit.span, str(reason), reason.suggestions), value.span)
            return flat.Declared(value, slot.name, dimension, span=value.span)
    return value


def _expected(context: Context, slot: Slot, declared: ResolvedType, scope: Scope) -> tuple[int | None, ...] | None:
    """The sizes that a slot declares, None among them for `:`."""
    sizes: list[int | None] = []
    home = Scope(slot.where, None, scope.locals, (), scope.function)
    for dimension in slot.declarator.dimensions:
        if isinstance(dimension, syntax.Whole):
            sizes.append(None)
            continue
        size = fixed_integer(context, dimension, home, f"the size of `{slot.name}`")
        if size is None:
            return None
        sizes.append(size)
    return (*sizes, 3, 3) if declared.base == "Rotation" else tuple(sizes)
