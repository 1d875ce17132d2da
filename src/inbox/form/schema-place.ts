import { isJsonObject, type JsonObject, type JsonValue } from '../../events/json.js';
import type { SchemaInspection } from '../../run/input-schema.js';
import { pointerTo } from '../../run/json-pointer.js';
import { type Alternatives, alternativesOf, type Option } from './alternatives.js';

/*
 * One place of an answer, and all that a schema says about it at this moment: its own words, those it refers to, those of
 * `allOf`, of the side that `if` chose, of what depends on a member that is there, and of the alternative that was chosen.
 */

/** A schema that speaks about a place, and where it stands. */
export interface Part {
  readonly pointer: string;
  readonly schema: JsonObject;
}

/** An open choice between alternatives at a place. */
export interface Fork {
  readonly nth: number;
  readonly branches: readonly { readonly pointer: string; readonly label: string | null }[];
  /** Index of a branch; null: nothing is chosen. */
  readonly chosen: number | null;
}

export interface PlaceReading {
  /** In the order in which they win: the nearest first, so that a title beside a `$ref` stands before the one it refers to. */
  readonly parts: readonly Part[];
  readonly forks: readonly Fork[];
  /** Every alternative is a constant: together they are a list of options. */
  readonly options: readonly Option[] | null;
  /** `null` is one of the alternatives. */
  readonly nullable: boolean;
  /** Members whose value follows from the chosen alternative. */
  readonly implied: ReadonlyMap<string, JsonValue>;
}

export interface PlaceQuestion {
  readonly inspection: SchemaInspection;
  /** The schemas that the place starts from. */
  readonly pointers: readonly string[];
  /** The value that stands there by now. */
  readonly value: JsonValue | undefined;
  /** Which branch of the nth fork was chosen. */
  choose(nth: number, branches: readonly string[]): number | null;
}

export function readPlace(question: PlaceQuestion): PlaceReading {
  const reader = new PlaceReader(question);
  for (const pointer of question.pointers) reader.visit(pointer);
  return reader;
}

class PlaceReader implements PlaceReading {
  readonly parts: Part[] = [];
  readonly forks: Fork[] = [];
  readonly implied = new Map<string, JsonValue>();
  options: readonly Option[] | null = null;
  nullable = false;
  private readonly seen = new Set<string>();

  constructor(private readonly question: PlaceQuestion) {}

  visit(pointer: string): void {
    if (this.seen.has(pointer)) return;
    this.seen.add(pointer);
    const schema = this.question.inspection.schemaAt(pointer);
    if (!isJsonObject(schema)) return;
    this.parts.push({ pointer, schema });
    if (typeof schema.$ref === 'string') this.visit(this.question.inspection.targetOf(schema.$ref));
    for (const index of indexesOf(schema.allOf)) this.visit(pointerTo(pointerTo(pointer, 'allOf'), index));
    this.visitCondition(pointer, schema);
    this.visitDependents(pointer, schema);
    for (const keyword of ['oneOf', 'anyOf']) this.visitAlternatives(pointer, keyword, schema);
  }

  private visitCondition(pointer: string, schema: JsonObject): void {
    if (schema.if === undefined) return;
    const holds = this.question.inspection.fitsAt(pointerTo(pointer, 'if'), this.question.value ?? {});
    const side = holds ? 'then' : 'else';
    if (schema[side] !== undefined) this.visit(pointerTo(pointer, side));
  }

  private visitDependents(pointer: string, schema: JsonObject): void {
    const { value } = this.question;
    if (!isJsonObject(schema.dependentSchemas) || !isJsonObject(value)) return;
    for (const member of Object.keys(schema.dependentSchemas)) {
      if (Object.hasOwn(value, member)) this.visit(pointerTo(pointerTo(pointer, 'dependentSchemas'), member));
    }
  }

  private visitAlternatives(pointer: string, keyword: string, schema: JsonObject): void {
    const at = pointerTo(pointer, keyword);
    const branches = indexesOf(schema[keyword]).map((index) => pointerTo(at, index));
    if (branches.length === 0) return;
    const alternatives = alternativesOf(this.question.inspection, branches);
    if (alternatives.kind === 'constants') this.options ??= alternatives.options;
    if (alternatives.kind === 'constants' || alternatives.kind === 'one_or_none') {
      this.nullable ||= alternatives.nullable;
    }
    if (alternatives.kind === 'one_or_none') this.visit(alternatives.branch);
    if (alternatives.kind === 'fork') this.fork(alternatives);
  }

  private fork({ branches, discriminators, nullable }: Extract<Alternatives, { kind: 'fork' }>): void {
    const nth = this.forks.length;
    const pointers = branches.map(({ pointer }) => pointer);
    const chosen = this.question.choose(nth, pointers);
    this.nullable ||= nullable;
    this.forks.push({ nth, branches, chosen });
    const branch = chosen === null ? undefined : pointers[chosen];
    if (branch === undefined || chosen === null) return;
    for (const { member, values } of discriminators) this.implied.set(member, values[chosen] ?? null);
    this.visit(branch);
  }
}

function indexesOf(list: JsonValue | undefined): number[] {
  return Array.isArray(list) ? [...list.keys()] : [];
}
