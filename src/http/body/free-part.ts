import 'reflect-metadata';

const FREE_PARTS = Symbol('free parts');
const MAY_BE_ABSENT = Symbol('body may be absent');

/**
 * A part of a body that a rule judges, not the form of the body: it reaches the rule exactly as it was sent, whatever it
 * is and whatever names occur in it. Everything that checks and copies DTOs drops or trips over names such as `__proto__`.
 */
export function FreePart(): PropertyDecorator {
  return (prototype, name) => {
    const others: readonly string[] = Reflect.getMetadata(FREE_PARTS, prototype) ?? [];
    Reflect.defineMetadata(FREE_PARTS, [...others, String(name)], prototype);
  };
}

export function freePartsOf(dto: new () => object): readonly string[] {
  return Reflect.getMetadata(FREE_PARTS, dto.prototype) ?? [];
}

/** No body at all counts as an empty object. */
export function BodyMayBeAbsent(): ClassDecorator {
  return (dto) => Reflect.defineMetadata(MAY_BE_ABSENT, true, dto);
}

export function bodyMayBeAbsent(dto: new () => object): boolean {
  return Reflect.getMetadata(MAY_BE_ABSENT, dto) === true;
}
