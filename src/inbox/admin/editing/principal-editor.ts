import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { PutPrincipal } from '../../../commands/governance/put-principal.command.js';
import type { JsonObject } from '../../../events/json.js';
import type { PrincipalDocument } from '../../../governance/decisions/put-principal.js';
import { GRANTS, SCOPES } from '../../../governance/principal.js';
import { Principals } from '../../../governance/principals.js';
import { bodyInForm } from '../../../http/body/read-form.js';
import { actorOf } from '../../../http/governance/actor-of.js';
import { PUT_PRINCIPAL_PROBLEMS } from '../../../http/governance/governance-problems.js';
import { PrincipalBody, principalBody, principalDocument } from '../../../http/governance/principal.body.js';
import { acceptedOrProblem } from '../../../http/problems/rejections.js';
import type { Catalogue } from '../../messages/en.js';
import { type EditedRecord, Editor, type Put } from './editor.js';

@Injectable()
export class PrincipalEditor extends Editor {
  override readonly section = 'principals';
  override readonly fresh = { enabled: true, admin: false };

  constructor(
    private readonly commands: CommandBus,
    private readonly principals: Principals,
  ) {
    super();
  }

  override async read(id: string): Promise<EditedRecord | null> {
    const found = await this.principals.read(id);
    return found === null ? null : { revision: found.revision, body: principalBody(found.principal) as JsonObject };
  }

  override async schema({ admin: { principal: words } }: Catalogue): Promise<JsonObject> {
    const { kinds, grantNames, scopeNames } = words;
    return {
      type: 'object',
      required: ['kind', 'enabled'],
      properties: {
        kind: {
          title: words.kind,
          description: words.kindHint,
          oneOf: (['person', 'service_account'] as const).map((kind) => ({ const: kind, title: kinds[kind] })),
        },
        enabled: { title: words.enabled, description: words.enabledHint, type: 'boolean' },
        admin: { title: words.admin, description: words.adminHint, type: 'boolean' },
        grants: {
          title: words.grants,
          description: words.grantsHint,
          type: 'array',
          uniqueItems: true,
          items: { enum: [...GRANTS], enumNames: GRANTS.map((grant) => grantNames[grant]) },
        },
        scopes: {
          title: words.scopes,
          description: words.scopesHint,
          type: 'array',
          uniqueItems: true,
          items: { enum: [...SCOPES], enumNames: SCOPES.map((scope) => scopeNames[scope]) },
        },
        oidcSubject: { title: words.oidcSubject, description: words.oidcSubjectHint, type: 'string' },
      },
    };
  }

  override async document(body: JsonObject): Promise<PrincipalDocument> {
    return principalDocument(await bodyInForm(body, PrincipalBody));
  }

  override async put({ caller, id, body, precondition, correlationId }: Put): Promise<void> {
    const document = await this.document(body);
    const put = new PutPrincipal(actorOf(caller), id, document, precondition, correlationId);
    acceptedOrProblem(PUT_PRINCIPAL_PROBLEMS, await this.commands.execute(put));
  }
}
