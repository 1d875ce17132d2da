import { isJsonObject, type JsonObject, type JsonValue } from '../../events/json.js';
import type { Catalogue } from '../messages/en.js';
import { Shown } from './text.js';
import { hasHidden } from './visible-text.js';

/** Tables within one another; what lies deeper is shown as JSON. */
const MOST_TABLES = 3;

interface ArgumentsProps {
  /** An object, or the model's own text where it wrote none. */
  readonly value: JsonObject | string;
  /** Members that a person's answer replaces. */
  readonly replaced?: ReadonlySet<string>;
  /** Names the table for those who do not see it. */
  readonly label: string;
  readonly t: Catalogue;
}

/** All arguments of a call, nothing cut: as a table to read, and as the JSON that it is. */
export function Arguments({ value, replaced, label, t }: ArgumentsProps) {
  const raw = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  return (
    <div class="arguments">
      {hasHidden(
        raw.replaceAll(/\\u([0-9a-f]{4})/gi, (_all, code) => String.fromCharCode(Number.parseInt(code, 16))),
      ) ? (
        <p class="note warning">{t.run.hiddenFound}</p>
      ) : null}
      {typeof value === 'string' ? (
        <>
          <p>{t.run.rawText}</p>
          <Block text={value} label={label} />
        </>
      ) : (
        <>
          {Object.keys(value).length === 0 ? (
            <p class="quiet">{t.run.noArguments}</p>
          ) : (
            <Table value={value} replaced={replaced} label={label} level={1} t={t} />
          )}
          <details class="raw">
            <summary>{t.run.raw}</summary>
            <Block text={raw} label={`${t.run.raw}: ${label}`} />
          </details>
        </>
      )}
    </div>
  );
}

interface TableProps {
  readonly value: JsonObject;
  readonly replaced?: ReadonlySet<string> | undefined;
  readonly label: string;
  readonly level: number;
  readonly t: Catalogue;
}

function Table({ value, replaced, label, level, t }: TableProps) {
  return (
    <table class="values" aria-label={label}>
      <thead class="unseen">
        <tr>
          <th scope="col">{t.run.name}</th>
          <th scope="col">{t.run.value}</th>
        </tr>
      </thead>
      <tbody>
        {Object.entries(value).map(([name, member]) => (
          <tr key={name} class={replaced?.has(name) ? 'replaced' : undefined}>
            <th scope="row">
              <Shown text={name} />
            </th>
            <td>
              <Value value={member} label={name} level={level} t={t} />
              {replaced?.has(name) ? <span class="quiet remark"> {t.run.yours}</span> : null}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Value({
  value,
  label,
  level,
  t,
}: {
  readonly value: JsonValue;
  readonly label: string;
  readonly level: number;
  readonly t: Catalogue;
}) {
  if (typeof value === 'string') return <Text text={value} label={label} />;
  if (isJsonObject(value) && level < MOST_TABLES && Object.keys(value).length > 0) {
    return <Table value={value} label={label} level={level + 1} t={t} />;
  }
  if (Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string')) {
    return (
      <ul class="plain">
        {value.map((item, index) => (
          <li key={index}>
            <Text text={item} label={label} />
          </li>
        ))}
      </ul>
    );
  }
  const text = JSON.stringify(value, null, 2);
  return text.includes('\n') || text.length > LONG ? <Block text={text} label={label} /> : <code>{text}</code>;
}

/** Longer texts get a frame of their own, in which they can be scrolled. */
const LONG = 400;

/** A text that could be taken for something else, or for nothing, stands in quotes. */
const AMBIGUOUS = /^(?:-?[\d.]+(?:e[+-]?\d+)?|true|false|null|\s.*|.*\s|)$/is;

function Text({ text, label }: { readonly text: string; readonly label: string }) {
  if (text.length > LONG || text.split('\n').length > 8) return <Block text={text} label={label} />;
  return (
    <span class="text">
      {AMBIGUOUS.test(text) ? '"' : ''}
      <Shown text={text} />
      {AMBIGUOUS.test(text) ? '"' : ''}
    </span>
  );
}

/** Can be reached and scrolled by keyboard. */
export function Block({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <section class="block" tabIndex={0} aria-label={label}>
      <pre>
        <Shown text={text} />
      </pre>
    </section>
  );
}
