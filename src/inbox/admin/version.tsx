import type { Precondition } from '../../governance/documents.js';

/** The version of a record that a form was made of. */
export interface Version {
  /** Id of the record: a version of one record says nothing of another. */
  readonly of: string;
  readonly revision: number;
}

const NAME = 'version';

/** Carries the version along with a form. @param version null: there was nothing yet */
export function VersionField({ version }: { readonly version: Version | null }) {
  return <input type="hidden" name={NAME} value={version === null ? '' : `${version.of} ${version.revision}`} />;
}

/** @param revision null: nobody has put anything yet */
export function versionOf(of: string, revision: number | null): Version | null {
  return revision === null ? null : { of, revision };
}

/** Null for a form that was made of nothing, or does not say of what. */
export function postedVersion(fields: URLSearchParams): Version | null {
  const [, of, revision] = /^([A-Za-z0-9_-]{1,64}) (\d{1,15})$/.exec(fields.get(NAME) ?? '') ?? [];
  return of === undefined || revision === undefined ? null : { of, revision: Number(revision) };
}

/** What has to be true for the form to be taken: that nobody has changed the record since. */
export function unchangedSince(version: Version | null, id: string): Precondition {
  return version?.of === id ? { kind: 'is_one_of', revisions: [version.revision] } : { kind: 'does_not_exist' };
}
