import { isJsonObject, type JsonObject } from '../../../events/json.js';
import type { Field } from '../../form/field.js';
import type { FormFault } from '../../form/form-faults.js';
import type { Visit } from '../../pages/visit.js';
import { FaultSummary } from '../../parts/form/fault-summary.js';
import { RootFields } from '../../parts/form/form-fields.js';
import { Notice } from '../../parts/notice.js';
import { Shown } from '../../parts/text.js';
import { AdminPage } from '../admin-page.js';
import { type Version, VersionField } from '../version.js';
import { Differences } from './differences.js';
import type { Editor } from './editor.js';
import { nameOfField } from './field-name.js';

/** Why what was sent was not saved. */
export type EditRefusal =
  | { readonly kind: 'faults'; readonly faults: readonly FormFault[] }
  /** Somebody else was faster. `now` is null where the record is not there any more. */
  | { readonly kind: 'conflict'; readonly now: JsonObject | null; readonly yours: JsonObject; readonly isNew: boolean }
  | { readonly kind: 'self_lockout' | 'subject_taken' };

interface EditPageProps {
  readonly visit: Visit;
  readonly editor: Editor;
  /** Of the record that is edited; null for a new one, whose id is a field. */
  readonly id: string | null;
  /** The version that saving replaces; null: there is none. */
  readonly version: Version | null;
  /** What is to be known above the form. */
  readonly remarks: readonly string[];
  readonly schema: JsonObject;
  readonly root: Field;
  readonly refusal: EditRefusal | null;
}

export function EditPage({ visit, editor, id, version, remarks, schema, root, refusal }: EditPageProps) {
  const { t, path } = visit;
  const { section } = editor;
  const title = id === null ? t.admin.create[section] : t.admin.editTitle(id);
  const faults = refusal?.kind === 'faults' ? refusal.faults : [];
  return (
    <AdminPage visit={visit} section={section} title={title}>
      <div class="headline">
        <h1>{title}</h1>
        {remarks.map((remark) => (
          <p class="lead" key={remark}>
            <Shown text={remark} />
          </p>
        ))}
      </div>
      {refusal === null ? null : <Refusal visit={visit} refusal={refusal} schema={schema} root={root} />}
      <section class="card ask">
        <form
          method="post"
          action={path(id === null ? `/admin/new/${section}` : `/admin/${section}/${id}/edit`)}
          id="edit"
          noValidate
          data-refresh=""
          autocomplete="off"
        >
          {/* The first button is what Enter in a field presses: it must not be one that saves. */}
          <button type="submit" name="intent" value="refresh" hidden>
            {t.form.refresh}
          </button>
          <VersionField version={version} />
          <RootFields field={root} faults={faults} t={t} />
          <p class="actions">
            <button type="submit" name="intent" value="send" class="main">
              {t.admin.save}
            </button>
            <button type="submit" name="intent" value="refresh" class="second without-script">
              {t.form.refresh}
            </button>
            <a href={path(id === null || section === 'tools' ? `/admin/${section}` : `/admin/${section}/${id}`)}>
              {t.admin.cancel}
            </a>
          </p>
        </form>
      </section>
    </AdminPage>
  );
}

interface RefusalProps extends Pick<EditPageProps, 'visit' | 'schema' | 'root'> {
  readonly refusal: EditRefusal;
}

function Refusal({ visit, refusal, schema, root }: RefusalProps) {
  const { t } = visit;
  const { conflict, refused } = t.admin;
  switch (refusal.kind) {
    case 'faults':
      return <FaultSummary t={t} faults={refusal.faults.map((fault) => ({ fault, name: nameOfField(root, fault) }))} />;
    case 'self_lockout':
      return (
        <Notice tone="bad" title={refused.selfLockout} focus={true}>
          <p>{refused.selfLockoutText}</p>
        </Notice>
      );
    case 'subject_taken':
      return (
        <Notice tone="bad" title={refused.subjectTaken} focus={true}>
          <p>{refused.subjectTakenText}</p>
        </Notice>
      );
    case 'conflict':
      return refusal.now === null ? (
        <Notice tone="warning" title={conflict.gone} focus={true}>
          <p>{conflict.goneText}</p>
        </Notice>
      ) : (
        <Notice tone="warning" title={refusal.isNew ? conflict.exists : conflict.title} focus={true}>
          <p>{refusal.isNew ? conflict.existsText : conflict.text}</p>
          <Differences
            visit={visit}
            now={refusal.now}
            yours={refusal.yours}
            titleOf={(member) => titleIn(schema, member)}
          />
        </Notice>
      );
  }
}

function titleIn({ properties }: JsonObject, member: string): string {
  const field = isJsonObject(properties) && Object.hasOwn(properties, member) ? properties[member] : undefined;
  return isJsonObject(field) && typeof field.title === 'string' ? field.title : member;
}

/** The id of a new record, as one more field of its form. */
export function idField({ t }: Visit, text: string): Field {
  return {
    pointer: ID_FIELD,
    title: t.admin.id,
    description: t.admin.idHint,
    required: true,
    parts: [],
    choices: [],
    none: null,
    control: { kind: 'text', input: 'text', format: null, text, examples: [] },
    value: text === '' ? undefined : text,
  };
}

/** Not `id`, which would stand in front of the form's own for every script. */
export const ID_FIELD = 'record';
