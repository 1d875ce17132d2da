import type { Command } from '@nestjs/cqrs';
import fc from 'fast-check';
import { DeleteConfiguration } from '../../src/commands/governance/delete-configuration.command.js';
import { DeleteSource } from '../../src/commands/governance/delete-source.command.js';
import { IssueToken } from '../../src/commands/governance/issue-token.command.js';
import { PutConfiguration } from '../../src/commands/governance/put-configuration.command.js';
import { PutEnforcement } from '../../src/commands/governance/put-enforcement.command.js';
import { PutPrincipal } from '../../src/commands/governance/put-principal.command.js';
import { PutSource } from '../../src/commands/governance/put-source.command.js';
import { RevokeToken } from '../../src/commands/governance/revoke-token.command.js';
import { SOURCE_KINDS } from '../../src/governance/source-record.js';
import { hashOfToken } from '../../src/governance/tokens.js';
import { GovernanceDesk, remains } from '../support/governance-desk.js';
import {
  configurationDocuments,
  preconditions,
  principalDocuments,
  ROOT,
  recordIds,
  sourceDocuments,
} from '../support/governance-samples.js';

type GovernanceCommand = Command<{ readonly outcome: 'accepted' | 'nothing_to_do' | 'rejected' }>;

const CONFIGURATION_ID = 'c1';
const tokenIds = fc.constantFrom('t1', 't2');
const sourceRefs = fc.record({ kind: fc.constantFrom(...SOURCE_KINDS), id: fc.constantFrom('s1', 's2') });
const principalIds = fc.constantFrom('root', 'olga');

const issueToken = fc
  .record({ principalId: principalIds, tokenId: tokenIds, days: fc.option(fc.nat(3)) })
  .map(({ principalId, tokenId, days }) => {
    const expiresAt =
      days === null ? null : new Date(Date.parse('2030-01-01T00:00:00.000Z') + days * 86_400_000).toISOString();
    return new IssueToken(ROOT, principalId, { tokenId, name: null, hash: hashOfToken(tokenId), expiresAt }, 'c');
  });

const commands: Record<string, fc.Arbitrary<GovernanceCommand>> = {
  PutConfiguration: fc
    .tuple(configurationDocuments, preconditions)
    .map(([document, precondition]) => new PutConfiguration(ROOT, CONFIGURATION_ID, document, precondition, 'c')),
  DeleteConfiguration: preconditions.map(
    (precondition) => new DeleteConfiguration(ROOT, CONFIGURATION_ID, precondition, 'c'),
  ),
  PutPrincipal: fc
    .tuple(principalIds, principalDocuments, preconditions)
    .map(([id, document, precondition]) => new PutPrincipal(ROOT, id, document, precondition, 'c')),
  IssueToken: issueToken,
  PutSource: fc
    .tuple(sourceRefs, sourceDocuments, preconditions)
    .map(([source, document, precondition]) => new PutSource(ROOT, source, document, precondition, 'c')),
  DeleteSource: fc
    .tuple(sourceRefs, preconditions)
    .map(([source, precondition]) => new DeleteSource(ROOT, source, precondition, 'c')),
  PutEnforcement: fc
    .tuple(fc.constantFrom('enforce' as const, 'observe' as const), preconditions)
    .map(([mode, precondition]) => new PutEnforcement(ROOT, mode, precondition, 'c')),
  RevokeToken: fc.tuple(principalIds, tokenIds).map(([id, tokenId]) => new RevokeToken(ROOT, id, tokenId, 'c')),
};

describe('the same governance request twice', () => {
  it.each(Object.entries(commands))(
    '%s yields no events the second time, whatever was there',
    async (_name, command) => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.oneof(...Object.values(commands)), { maxLength: 6 }),
          command,
          async (before, asked) => {
            const desk = new GovernanceDesk(remains());
            for (const earlier of before) await desk.execute(earlier);
            const first = await desk.execute(asked);
            const written = desk.remains.log.events.length;
            const second = await desk.execute(asked);
            expect(desk.remains.log.events).toHaveLength(written);
            if (first.outcome !== 'rejected') expect(second.outcome).toBe('nothing_to_do');
          },
        ),
        { numRuns: 40 },
      );
    },
  );

  it('a record id that was put can be put again with other words and then reads as the last one', async () => {
    await fc.assert(
      fc.asyncProperty(
        recordIds,
        fc.array(configurationDocuments, { minLength: 1, maxLength: 3 }),
        async (id, documents) => {
          const desk = new GovernanceDesk(remains());
          for (const document of documents) {
            await desk.execute(new PutConfiguration(ROOT, id, document, { kind: 'none' }, 'c'));
          }
          expect(await desk.configurations.open(id)).toEqual({
            ...documents[documents.length - 1],
            id,
            revision: expect.any(Number),
          });
        },
      ),
      { numRuns: 40 },
    );
  });
});
