import type { FastifyRequest } from 'fastify';
import { UnreadForm } from '../../http/body/unread-form.js';
import type { Draft } from '../form/draft.js';

/** What a form of a page has sent; nothing where the request has no form. */
export function postedFields({ body }: FastifyRequest): URLSearchParams {
  return body instanceof UnreadForm ? body.read() : new URLSearchParams();
}

/** The same as a draft: every text of every name. */
export function postedDraft(fields: URLSearchParams): Draft {
  const draft = new Map<string, string[]>();
  for (const [name, text] of fields) draft.set(name, [...(draft.get(name) ?? []), text]);
  return draft;
}
