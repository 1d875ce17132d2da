import { ApiProperty, ApiPropertyOptional, type SchemaObject } from '@nestjs/swagger';
import { IsBoolean } from 'class-validator';
import { isJsonObject } from '../../events/json.js';
import {
  type ConfigurationDocument,
  type Fallback,
  TRUST_ZONES,
  type TrustZone,
} from '../../governance/configuration-document.js';
import { checkProvider, type ProviderConfiguration } from '../../models/provider-configuration.js';
import { IsIdList, IsOneOf, IsText, Optional } from '../body/form-rules.js';
import { FreePart } from '../body/free-part.js';
import { invalidRequest, type RequestFault } from '../problems/problem.js';
import { providerSchema } from './provider-schema.js';

const MOST_TOOLS = 128;
const MOST_SOURCES = 64;
const MOST_FALLBACKS = 8;
const LONGEST_PROMPT = 65_536;

const fallbackSchema: SchemaObject = {
  type: 'object',
  required: ['provider'],
  properties: { provider: providerSchema, trustZone: { type: 'string', enum: [...TRUST_ZONES] } },
};

export class ConfigurationBody {
  /** Checked by its own rules, which know each kind: arguments of scripted calls are free. */
  @FreePart()
  @ApiProperty({ oneOf: providerSchema.oneOf, description: providerSchema.description })
  provider: unknown;

  @Optional()
  @IsOneOf(TRUST_ZONES)
  @ApiPropertyOptional({ enum: TRUST_ZONES, description: 'Left out: `external_global`.' })
  trustZone?: TrustZone;

  @FreePart()
  @ApiPropertyOptional({ type: 'array', items: fallbackSchema, maxItems: MOST_FALLBACKS })
  fallbacks?: unknown;

  @Optional()
  @IsText(LONGEST_PROMPT)
  @ApiPropertyOptional({ maxLength: LONGEST_PROMPT })
  systemPrompt?: string;

  @Optional()
  @IsIdList(MOST_TOOLS)
  @ApiPropertyOptional({ type: [String], maxItems: MOST_TOOLS, description: 'Left out: every registered tool.' })
  allowedTools?: string[];

  @Optional()
  @IsIdList(MOST_SOURCES)
  @ApiPropertyOptional({ type: [String], maxItems: MOST_SOURCES })
  snippetIds?: string[];

  @Optional()
  @IsIdList(MOST_SOURCES)
  @ApiPropertyOptional({ type: [String], maxItems: MOST_SOURCES })
  skillIds?: string[];

  @Optional()
  @IsBoolean({ message: 'must be true or false' })
  @ApiPropertyOptional({ default: false })
  requireSecondApprover?: boolean;
}

/** @throws {Problem} `invalid-request`, with every fault of every provider */
export function configurationDocument(body: ConfigurationBody): ConfigurationDocument {
  const faults: RequestFault[] = [];
  const provider = checkedProvider(body.provider, '/provider', faults);
  const fallbacks = checkedFallbacks(body.fallbacks, faults);
  if (provider === null || faults.length > 0) throw invalidRequest(faults);
  return {
    provider,
    trustZone: body.trustZone ?? null,
    fallbacks,
    systemPrompt: body.systemPrompt ?? null,
    allowedTools: body.allowedTools ?? null,
    snippetIds: body.snippetIds ?? [],
    skillIds: body.skillIds ?? [],
    requireSecondApprover: body.requireSecondApprover ?? false,
  };
}

/** The same as a body again, so that what was read can be edited and put back. */
export function configurationBody(document: ConfigurationDocument): object {
  const { provider, trustZone, fallbacks, systemPrompt, allowedTools, ...others } = document;
  return {
    provider,
    ...(trustZone === null ? {} : { trustZone }),
    fallbacks: fallbacks.map((fallback) => ({
      provider: fallback.provider,
      ...(fallback.trustZone === null ? {} : { trustZone: fallback.trustZone }),
    })),
    ...(systemPrompt === null ? {} : { systemPrompt }),
    ...(allowedTools === null ? {} : { allowedTools }),
    snippetIds: others.snippetIds,
    skillIds: others.skillIds,
    requireSecondApprover: others.requireSecondApprover,
  };
}

function checkedProvider(value: unknown, pointer: string, faults: RequestFault[]): ProviderConfiguration | null {
  const checked = checkProvider(value);
  if (checked.ok) return checked.provider;
  faults.push(...checked.faults.map((fault) => ({ ...fault, pointer: pointer + fault.pointer })));
  return null;
}

function checkedFallbacks(value: unknown, faults: RequestFault[]): Fallback[] {
  if (value === undefined) return [];
  if (!Array.isArray(value) || value.length > MOST_FALLBACKS) {
    faults.push({ pointer: '/fallbacks', message: `must be an array of at most ${MOST_FALLBACKS} items` });
    return [];
  }
  return value.flatMap((item, index) => checkedFallback(item, `/fallbacks/${index}`, faults) ?? []);
}

function checkedFallback(value: unknown, pointer: string, faults: RequestFault[]): Fallback | null {
  const fault = faultOfFallback(value);
  if (fault !== null || !isJsonObject(value)) {
    faults.push({ pointer, message: fault ?? 'must be an object' });
    return null;
  }
  const provider = checkedProvider(value.provider, `${pointer}/provider`, faults);
  const { trustZone } = value;
  return provider && { provider, trustZone: typeof trustZone === 'string' ? trustZone : null };
}

function faultOfFallback(value: unknown): string | null {
  if (!isJsonObject(value)) return 'must be an object';
  const { provider: _provider, trustZone, ...others } = value;
  if (Object.keys(others).length > 0) return 'can only have provider and trustZone';
  if (trustZone === undefined) return null;
  return TRUST_ZONES.some((zone) => zone === trustZone)
    ? null
    : `must have a trustZone out of ${TRUST_ZONES.join(', ')}`;
}
