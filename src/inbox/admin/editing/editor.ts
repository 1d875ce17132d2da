import type { JsonObject } from '../../../events/json.js';
import type { Precondition } from '../../../governance/documents.js';
import type { Principal } from '../../../governance/principal.js';
import type { Catalogue } from '../../messages/en.js';
import type { Section } from '../section.js';

/** A record as its editor reads it. */
export interface EditedRecord {
  /** Names the version; null: nobody has put anything yet. */
  readonly revision: number | null;
  /** As the interface gives it, and takes it back. */
  readonly body: JsonObject;
}

/** What is put in place of a record, and by whom. */
export interface Put {
  readonly caller: Principal;
  readonly id: string;
  readonly body: JsonObject;
  readonly precondition: Precondition;
  readonly correlationId: string;
}

/**
 * How one kind of record is edited on a page: a form made from a schema. The schema only says what is asked and how; what
 * is taken is decided where the interface decides it, by the same form of the body and the same command.
 */
export abstract class Editor {
  abstract readonly section: Exclude<Section, 'policy' | 'audit'>;
  /** What stands in the form of a new record; null where none can be made. */
  abstract readonly fresh: JsonObject | null;

  /** Null where there is none, or its content was erased. @throws {StoreUnavailable} */
  abstract read(id: string): Promise<EditedRecord | null>;

  /** The fields, in somebody's language. @param body what is edited; null for a new one */
  abstract schema(t: Catalogue, body: JsonObject | null): Promise<JsonObject>;

  /** What is to be known above the form. @throws {StoreUnavailable} */
  async remarks(_t: Catalogue, _id: string): Promise<readonly string[]> {
    return [];
  }

  /** What stands in the form at first. */
  inForm(body: JsonObject): JsonObject {
    return body;
  }

  /** What the form comes to. @param answer of the form */
  body(answer: JsonObject): JsonObject {
    return answer;
  }

  /** The document that the body comes to. @throws {Problem} `invalid-request` */
  abstract document(body: JsonObject): Promise<object>;

  /** @throws {Problem} what the interface would answer @throws {StoreUnavailable} */
  abstract put(put: Put): Promise<void>;
}
