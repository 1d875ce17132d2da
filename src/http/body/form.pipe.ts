import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { validate } from 'class-validator';
import { isJsonObject, type JsonObject, type JsonValue } from '../../events/json.js';
import { invalidRequest } from '../problems/problem.js';
import { formFaults, prototypeNames } from './form-faults.js';
import { bodyMayBeAbsent, freePartsOf } from './free-part.js';
import { UnreadBody } from './unread-body.js';

type Dto = new () => object;

/**
 * Reads bodies and queries into their DTOs: properties that the DTO does not declare are refused, free parts reach it
 * untouched, and nothing is coerced in a body.
 */
@Injectable()
export class FormPipe implements PipeTransform {
  async transform(value: unknown, { type, metatype }: ArgumentMetadata): Promise<unknown> {
    if (type === 'body') return bodyOf(value, declared(metatype));
    if (type === 'query') return formOf({ ...(value as JsonObject) }, declared(metatype));
    return value;
  }
}

/** A body or query that nothing checks must not come into being by forgetting its class. */
function declared(metatype: unknown): Dto {
  if (typeof metatype !== 'function' || metatype === Object) throw new Error('a body or query without a DTO');
  return metatype as Dto;
}

async function bodyOf(value: unknown, dto: Dto): Promise<object> {
  const read = value instanceof UnreadBody ? value.read() : undefined;
  const body = read === undefined && bodyMayBeAbsent(dto) ? {} : read;
  if (!isJsonObject(body)) throw invalidRequest([{ pointer: '', message: 'must be an object' }]);
  const free = freePartsOf(dto);
  const checked = Object.fromEntries(Object.entries(body).filter(([name]) => !free.includes(name)));
  return withFreeParts(await formOf(checked, dto), body, free);
}

async function formOf(value: JsonObject, dto: Dto): Promise<object> {
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

function withFreeParts(form: object, body: JsonObject, free: readonly string[]): object {
  const sent = free.filter((name) => Object.hasOwn(body, name));
  return Object.assign(
    form,
    Object.fromEntries(sent.map((name): [string, JsonValue | undefined] => [name, body[name]])),
  );
}
