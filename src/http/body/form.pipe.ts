import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import type { JsonObject } from '../../events/json.js';
import { bodyInForm, type Dto, inForm } from './read-form.js';
import { UnreadBody } from './unread-body.js';

/**
 * Reads bodies and queries into their DTOs: properties that the DTO does not declare are refused, free parts reach it
 * untouched, and nothing is coerced in a body.
 */
@Injectable()
export class FormPipe implements PipeTransform {
  async transform(value: unknown, { type, metatype }: ArgumentMetadata): Promise<unknown> {
    if (type === 'body') return bodyInForm(value instanceof UnreadBody ? value.read() : undefined, declared(metatype));
    if (type === 'query') return inForm({ ...(value as JsonObject) }, declared(metatype));
    return value;
  }
}

/** A body or query that nothing checks must not come into being by forgetting its class. */
function declared(metatype: unknown): Dto {
  if (typeof metatype !== 'function' || metatype === Object) throw new Error('a body or query without a DTO');
  return metatype as Dto;
}
