import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { EventCatalogue, EventDeclaration } from '../events/catalogue.js';
import type { Actor, Content, EventMetadata, RecordedFields } from '../events/event.js';
import { isJsonObject, type JsonObject } from '../events/json.js';
import type { NewEvent, StoredEvent } from './event-store.js';
import type { StreamKeys } from './key-store.js';
import { ERASED, open, seal } from './sealing.js';

/** An event as a decision made it. */
export interface DecidedEvent {
  readonly type: string;
  readonly data: object;
  readonly content?: object;
}

/** A stored event, checked and brought to today's version; its content is still sealed. */
export type DecodedEvent = RecordedFields & { readonly type: string; readonly data: JsonObject };

export interface EncodingContext {
  readonly stream: string;
  readonly id: string;
  readonly at: string;
  readonly actor: Actor;
  readonly correlationId: string;
  readonly causationId?: string;
  readonly keys: StreamKeys;
}

/** We made an event that does not fit its own declaration: a bug, found before anything was written. */
class EventInvalid extends Error {
  override readonly name = 'EventInvalid';
}

export type UnreadableClass =
  | 'unknown_type'
  | 'unknown_version'
  | 'not_json'
  | 'schema'
  | 'seal'
  | 'content_schema'
  | 'content_missing';

/** A stored event that today's code cannot read. Hard for its own stream alone; carries no content. */
export class EventUnreadable extends Error {
  override readonly name = 'EventUnreadable';
  readonly stream: string;
  readonly revision: number;
  constructor(
    readonly unreadable: UnreadableClass,
    event: { readonly stream: string; readonly revision: number; readonly type: string },
    options?: ErrorOptions,
  ) {
    super(`event ${event.revision} of ${event.stream} (${event.type}) cannot be read: ${unreadable}`, options);
    this.stream = event.stream;
    this.revision = event.revision;
  }
}

interface CompiledDeclaration {
  readonly declaration: EventDeclaration;
  readonly checkData: ValidateFunction;
  readonly checkContent?: ValidateFunction;
}

/** The member of stored data that holds the content; no clear field may have this name. */
const SEALED = 'sealed';

/**
 * Turns decided events into stored ones and back: checks both ways, seals content before the port and opens it behind,
 * brings older versions to today's shape.
 */
export class EventCodec {
  private readonly compiled = new Map<string, CompiledDeclaration>();

  constructor(catalogue: EventCatalogue) {
    const ajv = new Ajv2020({ strict: true, strictRequired: false, ownProperties: true });
    for (const [type, declaration] of Object.entries(catalogue)) {
      this.compiled.set(type, {
        declaration,
        checkData: ajv.compile(declaration.data),
        ...(declaration.content === undefined ? {} : { checkContent: ajv.compile(declaration.content) }),
      });
    }
  }

  /** @throws {EventInvalid} the event does not fit its declaration, or the key for its content is gone. */
  encode(event: DecidedEvent, context: EncodingContext): NewEvent {
    const known = this.compiled.get(event.type);
    if (known === undefined) throw new EventInvalid(`no event type ${event.type}`);
    const { declaration, checkData, checkContent } = known;
    if (!checkData(event.data)) throw new EventInvalid(`${event.type} does not fit its schema at ${where(checkData)}`);
    const metadata: EventMetadata = {
      $correlationId: context.correlationId,
      ...(context.causationId === undefined ? {} : { $causationId: context.causationId }),
      schemaVersion: declaration.schemaVersion,
      actor: context.actor,
      at: context.at,
    };
    return {
      id: context.id,
      type: event.type,
      data: JSON.stringify(this.withSealed(event, declaration, checkContent, context)),
      metadata: JSON.stringify(metadata),
    };
  }

  private withSealed(
    event: DecidedEvent,
    declaration: EventDeclaration,
    checkContent: ValidateFunction | undefined,
    context: EncodingContext,
  ): object {
    if (declaration.sealedWith === undefined || checkContent === undefined) {
      if (event.content !== undefined) throw new EventInvalid(`${event.type} takes no content`);
      return event.data;
    }
    // Only what JSON can say is sealed; `undefined` members and the like are dropped or refused here, once.
    if (!checkContent(event.content)) {
      throw new EventInvalid(`content of ${event.type} does not fit its schema at ${where(checkContent)}`);
    }
    const key = context.keys[declaration.sealedWith];
    if (key === undefined) throw new EventInvalid(`no ${declaration.sealedWith} key to seal ${event.type} with`);
    const sealed = seal(event.content as JsonObject, { stream: context.stream, eventId: context.id, key });
    return { ...event.data, [SEALED]: sealed };
  }

  /** @throws {EventUnreadable} */
  decode(stored: StoredEvent): DecodedEvent {
    const known = this.compiled.get(stored.type);
    if (known === undefined) throw new EventUnreadable('unknown_type', stored);
    const metadata = parse(stored, stored.metadata) as unknown as EventMetadata;
    const { [SEALED]: sealed, ...older } = parse(stored, stored.data);
    const data = upcast(stored, known.declaration, metadata.schemaVersion, older, 'data');
    if (!known.checkData(data)) throw new EventUnreadable('schema', stored);
    const hasContent = known.declaration.sealedWith !== undefined;
    if (hasContent !== (typeof sealed === 'string')) throw new EventUnreadable('content_missing', stored);
    return {
      id: stored.id,
      stream: stored.stream,
      revision: stored.revision,
      position: stored.position,
      type: stored.type,
      data,
      at: metadata.at,
      actor: metadata.actor,
      correlationId: metadata.$correlationId,
      ...(metadata.$causationId === undefined ? {} : { causationId: metadata.$causationId }),
      schemaVersion: metadata.schemaVersion,
      ...(typeof sealed === 'string' ? { sealed } : {}),
    };
  }

  /**
   * The content of an event, at today's version; {@link ERASED} when its key was destroyed.
   *
   * @throws {EventUnreadable} the seal does not open, or what is in it does not fit.
   */
  open(event: RecordedFields & { readonly type: string }, keys: StreamKeys): Content | typeof ERASED {
    const known = this.compiled.get(event.type);
    if (known?.checkContent === undefined || event.sealed === undefined) {
      throw new EventUnreadable('content_missing', event);
    }
    let opened: JsonObject | typeof ERASED;
    try {
      opened = open(event.sealed, { stream: event.stream, eventId: event.id, keys });
    } catch (cause) {
      throw new EventUnreadable('seal', event, { cause });
    }
    if (opened === ERASED) return ERASED;
    const content = upcast(event, known.declaration, event.schemaVersion, opened, 'content');
    if (!known.checkContent(content)) throw new EventUnreadable('content_schema', event);
    return content;
  }
}

/** Where a check failed: a path in our own schema, never a value. */
function where(check: ValidateFunction): string {
  return check.errors?.[0]?.schemaPath ?? '?';
}

function parse(stored: StoredEvent, text: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's message quotes the text, so it is not kept as a cause.
    throw new EventUnreadable('not_json', stored);
  }
  if (!isJsonObject(value)) throw new EventUnreadable('not_json', stored);
  return value;
}

function upcast(
  event: { readonly stream: string; readonly revision: number; readonly type: string },
  declaration: EventDeclaration,
  version: unknown,
  older: JsonObject,
  part: 'data' | 'content',
): JsonObject {
  if (typeof version !== 'number' || version > declaration.schemaVersion || version < 1) {
    throw new EventUnreadable('unknown_version', event);
  }
  let value = older;
  for (let from = version; from < declaration.schemaVersion; from += 1) {
    const step = declaration.upcasters?.[from];
    if (step === undefined) throw new EventUnreadable('unknown_version', event);
    value = step[part]?.(value) ?? value;
  }
  return value;
}
