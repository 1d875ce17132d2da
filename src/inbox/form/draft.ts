/*
 * What somebody has typed so far, as a form posts it: texts by the names of controls. A field's name is the JSON pointer
 * of its value; what steers the form (rows, branches, parts that were opened) has a word in front of the pointer.
 */

/** Texts by name, in the order in which they were posted. A name that is there, even empty, was on the page. */
export type Draft = ReadonlyMap<string, readonly string[]>;

/** Nothing was posted yet: the schema's defaults stand. */
export const UNTOUCHED: Draft = new Map();

/** Rows of one list. */
export const MOST_ROWS = 50;

/** The names of controls that steer the form. */
export const steering = {
  /** How many rows a list has. */
  rows: (pointer: string) => `rows ${pointer}`,
  /** Which alternative was chosen; a place can ask for several choices. */
  branch: (pointer: string, nth: number) => `branch${nth} ${pointer}`,
  /** That an optional part which may contain itself was opened. */
  opened: (pointer: string) => `opened ${pointer}`,
  /** That `null` is the answer. */
  none: (pointer: string) => `none ${pointer}`,
} as const;

/** What a button of the form asks for besides sending it. */
export type FormEdit =
  | { readonly kind: 'add_row'; readonly pointer: string }
  | { readonly kind: 'remove_row'; readonly pointer: string; readonly row: number }
  | { readonly kind: 'open'; readonly pointer: string }
  | { readonly kind: 'refresh' };

/** The edit that a button's value stands for; null for a value that none of ours has. */
export function formEdit(value: string): FormEdit | null {
  if (value === 'refresh') return { kind: 'refresh' };
  const [, kind, row, pointer] = /^(add|open|remove(\d{1,3})) (\/.*)$/su.exec(value) ?? [];
  if (pointer === undefined) return null;
  if (kind === 'add') return { kind: 'add_row', pointer };
  if (kind === 'open') return { kind: 'open', pointer };
  return { kind: 'remove_row', pointer, row: Number(row) };
}

/** The value of the button for an edit. */
export function editValue(edit: FormEdit): string {
  switch (edit.kind) {
    case 'refresh':
      return 'refresh';
    case 'add_row':
      return `add ${edit.pointer}`;
    case 'open':
      return `open ${edit.pointer}`;
    case 'remove_row':
      return `remove${edit.row} ${edit.pointer}`;
  }
}

/** The draft after an edit; what was typed stays. */
export function edited(draft: Draft, edit: FormEdit): Draft {
  switch (edit.kind) {
    case 'refresh':
      return draft;
    case 'open':
      return new Map(draft).set(steering.opened(edit.pointer), ['yes']);
    case 'add_row':
      return withRows(draft, edit.pointer, (rowsOf(draft, edit.pointer) ?? 0) + 1);
    case 'remove_row':
      return withoutRow(draft, edit.pointer, edit.row);
  }
}

/** How many rows a list has in the draft; undefined where the list was not on the page. */
export function rowsOf(draft: Draft, pointer: string): number | undefined {
  const rows = draft.get(steering.rows(pointer))?.at(-1);
  return rows === undefined || !/^\d{1,3}$/.test(rows) ? undefined : Math.min(Number(rows), MOST_ROWS);
}

function withRows(draft: Draft, pointer: string, rows: number): Draft {
  return new Map(draft).set(steering.rows(pointer), [String(Math.min(rows, MOST_ROWS))]);
}

/** Rows behind the removed one move up, with everything that stands in them. */
function withoutRow(draft: Draft, list: string, removed: number): Draft {
  const rows = rowsOf(draft, list) ?? 0;
  if (removed >= rows) return draft;
  const moved = new Map<string, readonly string[]>();
  for (const [name, texts] of draft) {
    const place = placeInRow(name, list);
    if (place === null || place.row < removed) moved.set(name, texts);
    else if (place.row > removed) moved.set(`${place.word}${list}/${place.row - 1}${place.rest}`, texts);
  }
  return withRows(moved, list, rows - 1);
}

/** Where in a list a control is, whatever its word; null for one that is elsewhere. */
function placeInRow(name: string, list: string) {
  const word = /^[a-z]+\d* /.exec(name)?.[0] ?? '';
  const pointer = name.slice(word.length);
  if (!pointer.startsWith(`${list}/`)) return null;
  const [, row, rest] = /^(\d+)((?:\/.*)?)$/su.exec(pointer.slice(list.length + 1)) ?? [];
  return row === undefined ? null : { word, row: Number(row), rest: rest ?? '' };
}
