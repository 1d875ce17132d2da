import { Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { JsonObject } from '../../../events/json.js';
import { isRecordId } from '../../../governance/records.js';
import { Problem } from '../../../http/problems/problem.js';
import { type Draft, edited, formEdit, UNTOUCHED } from '../../form/draft.js';
import type { Field } from '../../form/field.js';
import { FOREIGN, type ForeignFault, type FormFault, placedFaults } from '../../form/form-faults.js';
import { buildForm, type Form } from '../../form/form-model.js';
import { postedDraft, postedFields } from '../../pages/posted-fields.js';
import { Visits } from '../../pages/visits.js';
import { PagesForAdmins } from '../admin.decorators.js';
import { postedVersion, unchangedSince, type Version, versionOf } from '../version.js';
import { EditPage, type EditRefusal, ID_FIELD, idField } from './edit-page.js';
import type { EditedRecord, Editor } from './editor.js';
import { Editors } from './editors.js';

/** What is on somebody's page. */
interface Editing {
  readonly editor: Editor;
  /** Null: a new record. */
  readonly id: string | null;
  readonly version: Version | null;
  readonly remarks: readonly string[];
  readonly schema: JsonObject;
  readonly form: Form;
  /** The id of a new record, as typed. */
  readonly typedId: string;
}

/**
 * Forms in which records are made and changed. Each carries the version that it was made of: whoever saves second is
 * shown what stands there meanwhile, beside what they typed.
 */
@PagesForAdmins()
@Controller('inbox/admin')
export class EditsController {
  constructor(
    private readonly visits: Visits,
    private readonly editors: Editors,
  ) {}

  @Get('new/:section')
  async showNew(
    @Param('section') section: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const editor = this.creating(section);
    this.show(request, reply, await this.begin(request, editor, null, null, UNTOUCHED), null, 200);
  }

  @Post('new/:section')
  async create(
    @Param('section') section: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.take(request, reply, this.creating(section), null);
  }

  @Get(':section/:id/edit')
  async showEdit(
    @Param('section') section: string,
    @Param('id') id: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const editor = this.editors.of(section);
    const record = await editor.read(id);
    if (record === null) throw new Problem('not-found');
    this.show(request, reply, await this.begin(request, editor, id, record, UNTOUCHED), null, 200);
  }

  @Post(':section/:id/edit')
  async save(
    @Param('section') section: string,
    @Param('id') id: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    if (!isRecordId(id)) throw new Problem('not-found');
    await this.take(request, reply, this.editors.of(section), id);
  }

  private creating(section: string): Editor {
    const editor = this.editors.of(section);
    if (editor.fresh === null) throw new Problem('not-found');
    return editor;
  }

  private async take(request: FastifyRequest, reply: FastifyReply, editor: Editor, id: string | null): Promise<void> {
    const fields = postedFields(request);
    const posted = postedDraft(fields);
    const edit = formEdit(fields.get('intent') ?? '');
    const record = id === null ? null : await editor.read(id);
    const editing = await this.begin(request, editor, id, record, edit === null ? posted : edited(posted, edit));
    if (edit !== null) {
      this.show(request, reply, { ...editing, version: postedVersion(fields) }, null, 200);
      return;
    }
    const body = editor.body(editing.form.answer);
    const faults = await this.faultsOf(editing, body);
    if (faults.length > 0) {
      this.show(request, reply, { ...editing, version: postedVersion(fields) }, { kind: 'faults', faults }, 422);
      return;
    }
    const target = id ?? editing.typedId;
    const put = {
      id: target,
      body,
      precondition: unchangedSince(postedVersion(fields), target),
      correlationId: request.id,
    };
    try {
      await editor.put({ ...put, caller: this.visits.callerOf(request) });
    } catch (error) {
      await this.explain(request, reply, { ...editing, version: postedVersion(fields) }, target, error);
      return;
    }
    const below = editor.section === 'tools' ? '/admin/tools' : `/admin/${editor.section}/${target}`;
    await this.visits.goTo(reply, `${below}?done=saved`);
  }

  private async begin(
    request: FastifyRequest,
    editor: Editor,
    id: string | null,
    record: EditedRecord | null,
    draft: Draft,
  ): Promise<Editing> {
    const { t } = this.visits.of(request);
    const schema = await editor.schema(t, record?.body ?? null);
    const remarks = id === null ? [] : await editor.remarks(t, id);
    const preset = record === null ? (editor.fresh ?? {}) : editor.inForm(record.body);
    // What was on the page is in the draft, also where it is empty.
    const form = buildForm(schema, draft, '', draft === UNTOUCHED ? preset : undefined);
    const typedId = (draft.get(ID_FIELD)?.at(-1) ?? '').trim();
    const version = versionOf(id ?? '', record?.revision ?? null);
    return { editor, id, version, remarks, schema, form, typedId };
  }

  /** All at once: those of the form, of the id, and those that the interface would find in the body. */
  private async faultsOf({ editor, form, id, typedId }: Editing, body: JsonObject): Promise<readonly FormFault[]> {
    let found: readonly ForeignFault[] = [];
    try {
      await editor.document(body);
    } catch (error) {
      found = foreignFaults(error);
    }
    return [...(id === null ? idFaults(typedId) : []), ...placedFaults(form, found)];
  }

  private async explain(
    request: FastifyRequest,
    reply: FastifyReply,
    editing: Editing,
    target: string,
    error: unknown,
  ): Promise<void> {
    const { editor, form } = editing;
    const code = error instanceof Problem ? error.code : null;
    switch (code) {
      case 'invalid-request': {
        const faults = placedFaults(form, foreignFaults(error));
        this.show(request, reply, editing, { kind: 'faults', faults }, 422);
        return;
      }
      case 'self-lockout':
      case 'subject-taken': {
        const kind = code === 'self-lockout' ? 'self_lockout' : 'subject_taken';
        this.show(request, reply, editing, { kind }, 409);
        return;
      }
      case 'precondition-failed': {
        const now = await editor.read(target);
        const isNew = editing.id === null && editing.version?.of !== target;
        const shown = now === null ? null : editor.inForm(now.body);
        const refusal: EditRefusal = { kind: 'conflict', now: shown, yours: form.answer, isNew };
        this.show(request, reply, { ...editing, version: versionOf(target, now?.revision ?? null) }, refusal, 409);
        return;
      }
      default:
        throw error;
    }
  }

  private show(
    request: FastifyRequest,
    reply: FastifyReply,
    { editor, id, version, remarks, schema, form, typedId }: Editing,
    refusal: EditRefusal | null,
    status: number,
  ): void {
    const visit = this.visits.of(request);
    const root = id === null ? withField(form.root, idField(visit, typedId)) : form.root;
    const shown = { visit, editor, id, version, remarks, schema, root, refusal };
    this.visits.show(reply, <EditPage {...shown} />, status);
  }
}

function withField(root: Field, field: Field): Field {
  const fields = root.control.kind === 'group' ? root.control.fields : [];
  return { ...root, control: { kind: 'group', fields: [field, ...fields] } };
}

function idFaults(typedId: string): FormFault[] {
  if (isRecordId(typedId)) return [];
  const keyword = typedId === '' ? 'required' : FOREIGN;
  return [{ field: ID_FIELD, pointer: `/${ID_FIELD}`, keyword, message: 'must match [A-Za-z0-9_-]{1,64}', params: {} }];
}

/** What the interface would list under `errors`. @throws what is anything else */
function foreignFaults(error: unknown): readonly ForeignFault[] {
  if (!(error instanceof Problem) || error.code !== 'invalid-request') throw error;
  return error.members.errors as unknown as readonly ForeignFault[];
}
