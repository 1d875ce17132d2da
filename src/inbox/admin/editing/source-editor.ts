import type { CommandBus } from '@nestjs/cqrs';
import { PutSource } from '../../../commands/governance/put-source.command.js';
import type { JsonObject } from '../../../events/json.js';
import type { SourceDocument } from '../../../governance/decisions/put-source.js';
import type { SourceKind } from '../../../governance/source-record.js';
import type { Sources } from '../../../governance/sources.js';
import { DATA_CLASSES } from '../../../governance/tool-catalogue.js';
import { bodyInForm } from '../../../http/body/read-form.js';
import { actorOf } from '../../../http/governance/actor-of.js';
import { PUT_SOURCE_PROBLEMS } from '../../../http/governance/governance-problems.js';
import { SourceBody, sourceBody, sourceDocument } from '../../../http/governance/source.body.js';
import { acceptedOrProblem } from '../../../http/problems/rejections.js';
import type { Catalogue } from '../../messages/en.js';
import { type EditedRecord, Editor, type Put } from './editor.js';

/** Stands for leaving the class out, so that somebody can choose that. */
const NO_CLASS = 'none';

/** Of snippets or of skills, which differ in nothing but their place. */
export class SourceEditor extends Editor {
  override readonly section: 'snippets' | 'skills';
  override readonly fresh = { active: true };

  constructor(
    private readonly kind: SourceKind,
    private readonly commands: CommandBus,
    private readonly sources: Sources,
  ) {
    super();
    this.section = `${kind}s`;
  }

  override async read(id: string): Promise<EditedRecord | null> {
    const found = await this.sources.open({ kind: this.kind, id });
    return found === null ? null : { revision: found.revision, body: sourceBody(found) as JsonObject };
  }

  override async schema({ admin: { source: words } }: Catalogue): Promise<JsonObject> {
    return {
      type: 'object',
      required: ['name', 'content', 'active'],
      properties: {
        name: { title: words.name, description: words.nameHint, type: 'string' },
        content: { title: words.content, description: words.contentHint, type: 'string', maxLength: 65_536 },
        dataClass: {
          title: words.dataClass,
          description: words.dataClassHint,
          enum: [NO_CLASS, ...DATA_CLASSES],
          enumNames: [words.noClass, ...DATA_CLASSES],
        },
        active: { title: words.active, description: words.activeHint, type: 'boolean' },
      },
    };
  }

  override inForm(body: JsonObject): JsonObject {
    return { ...body, dataClass: body.dataClass ?? NO_CLASS };
  }

  override body({ dataClass, ...answer }: JsonObject): JsonObject {
    return dataClass === undefined || dataClass === NO_CLASS ? answer : { ...answer, dataClass };
  }

  override async document(body: JsonObject): Promise<SourceDocument> {
    return sourceDocument(await bodyInForm(body, SourceBody));
  }

  override async put({ caller, id, body, precondition, correlationId }: Put): Promise<void> {
    const document = await this.document(body);
    const put = new PutSource(actorOf(caller), { kind: this.kind, id }, document, precondition, correlationId);
    acceptedOrProblem(PUT_SOURCE_PROBLEMS, await this.commands.execute(put));
  }
}
