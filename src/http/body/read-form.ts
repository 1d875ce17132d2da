import { plainToInstance } from 'class-transformer';
import { validate } from 'class-validator';
import { isJsonObject, type JsonObject, type JsonValue } from '../../events/json.js';
import { invalidRequest } from '../problems/problem.js';
import { formFaults, prototypeNames } from './form-faults.js';
import { bodyMayBeAbsent, freePartsOf } from './free-part.js';

export type Dto<Form extends object = object> = new () => Form;

/**
 * What was sent, in the form that its DTO declares: other properties are refused, free parts are taken as they are, and
 * nothing is coerced. Whoever has a body from elsewhere, such as a page, asks the same.
 *
 * @param sent undefined: there is no body
 * @throws {Problem} `invalid-request`
 */
export async function bodyInForm<Form extends object>(sent: JsonValue | undefined, dto: Dto<Form>): Promise<Form> {
  const body = sent === undefined && bodyMayBeAbsent(dto) ? {} : sent;
  if (!isJsonObject(body)) throw invalidRequest([{ pointer: '', message: 'must be an object' }]);
  const free = freePartsOf(dto);
  const checked = Object.fromEntries(Object.entries(body).filter(([name]) => !free.includes(name)));
  return withFreeParts(await inForm(checked, dto), body, free);
}

/** @throws {Problem} `invalid-request` */
export async function inForm<Form extends object>(value: JsonObject, dto: Dto<Form>): Promise<Form> {
  const reserved = prototypeNames(value);
  if (reserved.length > 0) throw invalidRequest(reserved);
  const form = plainToInstance(dto, value);
  const errors = await validate(form, {
    whitelist: true,
    forbidNonWhitelisted: true,
    forbidUnknownValues: false,
    stopAtFirstError: true,
    validationError: { target: false, value: false },
  });
  if (errors.length > 0) throw invalidRequest(formFaults(errors));
  return form;
}

function withFreeParts<Form extends object>(form: Form, body: JsonObject, free: readonly string[]): Form {
  const sent = free.filter((name) => Object.hasOwn(body, name));
  return Object.assign(
    form,
    Object.fromEntries(sent.map((name): [string, JsonValue | undefined] => [name, body[name]])),
  );
}
