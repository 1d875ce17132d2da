import { FOREIGN, type FormFault } from '../form/form-faults.js';
import type { Catalogue } from './en.js';

/** What is wrong with a field, as the rest of a sentence that begins with its name. */
export function faultSentence({ faults: t, requestFault }: Catalogue, { keyword, message, params }: FormFault): string {
  const limit = String(params.limit);
  switch (keyword) {
    case 'type':
      return t.type(typesOf(params.type, t));
    case 'required':
      return t.required;
    case 'dependentRequired':
      return t.dependentRequired(String(params.property));
    case 'enum':
      return t.enum;
    case 'const':
      return t.const(JSON.stringify(params.allowedValue));
    case 'minimum':
    case 'maximum':
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      return t[keyword](limit);
    case 'multipleOf':
      return t.multipleOf(String(params.multipleOf));
    case 'minLength':
    case 'maxLength':
    case 'minItems':
    case 'maxItems':
      return t[keyword](Number(params.limit));
    case 'pattern':
      return t.pattern(String(params.pattern));
    case 'format':
      return formatSentence(String(params.format), t);
    case 'uniqueItems':
    case 'not':
    case 'inexact':
    case 'json':
      return t[keyword];
    case 'oneOf':
    case 'anyOf':
      return t.oneOf;
    case 'additionalProperties':
    case 'unevaluatedProperties':
    case 'unevaluatedItems':
    case 'false schema':
      return t.notAllowed;
    case FOREIGN:
      return requestFault(message);
    default:
      return t.other(keyword);
  }
}

function typesOf(types: unknown, t: Catalogue['faults']): string {
  const names: readonly unknown[] = Array.isArray(types) ? types : [types];
  return names.map((name) => lookUp(t.types, String(name))).join(t.or);
}

function formatSentence(format: string, t: Catalogue['faults']): string {
  return Object.hasOwn(t.formats, format) ? lookUp(t.formats, format) : t.format(format);
}

/** A text for a name that comes from elsewhere; the name itself where there is none. */
export function lookUp(texts: Readonly<Record<string, string>>, name: string): string {
  return Object.hasOwn(texts, name) ? (texts[name] ?? name) : name;
}
