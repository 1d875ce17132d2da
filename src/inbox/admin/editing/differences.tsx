import { type JsonObject, type JsonValue } from '../../../events/json.js';
import { isSameJson } from '../../../governance/documents.js';
import type { Visit } from '../../pages/visit.js';
import { Shown } from '../../parts/text.js';

interface DifferencesProps {
  readonly visit: Visit;
  /** What stands there now. */
  readonly now: JsonObject;
  readonly yours: JsonObject;
  /** What a member is called. */
  readonly titleOf: (member: string) => string;
}

/** Where two versions of a record differ, each whole, side by side. */
export function Differences({ visit: { t }, now, yours, titleOf }: DifferencesProps) {
  const { conflict } = t.admin;
  const members = [...new Set([...Object.keys(now), ...Object.keys(yours)])];
  const different = members.filter((member) => !isSame(own(now, member), own(yours, member)));
  if (different.length === 0) return <p>{conflict.same}</p>;
  return (
    <table class="values versions">
      <thead>
        <tr>
          <th scope="col">{conflict.field}</th>
          <th scope="col">{conflict.now}</th>
          <th scope="col">{conflict.yours}</th>
        </tr>
      </thead>
      <tbody>
        {different.map((member) => (
          <tr key={member}>
            <th scope="row">
              <Shown text={titleOf(member)} />
            </th>
            <td data-version={conflict.now}>
              <Version value={own(now, member)} nothing={conflict.nothing} />
            </td>
            <td data-version={conflict.yours}>
              <Version value={own(yours, member)} nothing={conflict.nothing} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Version({ value, nothing }: { readonly value: JsonValue | undefined; readonly nothing: string }) {
  if (value === undefined) return <span class="quiet">{nothing}</span>;
  if (typeof value === 'string') {
    return (
      <span class="text">
        <Shown text={value} />
      </span>
    );
  }
  return (
    <code class="text">
      <Shown text={JSON.stringify(value, null, 2)} />
    </code>
  );
}

function own(object: JsonObject, member: string): JsonValue | undefined {
  return Object.hasOwn(object, member) ? object[member] : undefined;
}

function isSame(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return isSameJson(one, other);
}
