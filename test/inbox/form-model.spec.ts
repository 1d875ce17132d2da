import type { JsonObject } from '../../src/events/json.js';
import { type Draft, edited, formEdit, steering } from '../../src/inbox/form/draft.js';
import { allFields, type Field } from '../../src/inbox/form/field.js';
import { formFaults } from '../../src/inbox/form/form-faults.js';
import { buildForm } from '../../src/inbox/form/form-model.js';
import { isUsableInputSchema } from '../../src/run/input-schema.js';

/** The answer that a form comes to when these texts are posted. */
function answer(schema: JsonObject, posted?: Record<string, string | readonly string[]>) {
  return buildForm(schema, posted && draft(posted)).answer;
}

function draft(posted: Record<string, string | readonly string[]>): Draft {
  return new Map(Object.entries(posted).map(([name, text]) => [name, typeof text === 'string' ? [text] : text]));
}

function field(schema: JsonObject, pointer: string, posted: Record<string, string | readonly string[]> = {}): Field {
  const found = [...allFields(buildForm(schema, draft(posted)).root)].find((one) => one.pointer === pointer);
  if (found === undefined) throw new Error(`no field ${pointer}`);
  return found;
}

function pointers(schema: JsonObject, posted: Record<string, string | readonly string[]> = {}): string[] {
  return [...allFields(buildForm(schema, draft(posted)).root)].map(({ pointer }) => pointer).slice(1);
}

function faults(schema: JsonObject, posted: Record<string, string | readonly string[]>) {
  return formFaults(schema, buildForm(schema, draft(posted))).map(({ field, keyword }) => [field, keyword]);
}

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'object', properties, ...more });

const PAYMENT = object({
  payment: {
    oneOf: [
      {
        title: 'Card',
        type: 'object',
        properties: { kind: { const: 'card' }, number: { type: 'string', minLength: 4 } },
        required: ['kind', 'number'],
      },
      {
        title: 'Transfer',
        type: 'object',
        properties: { kind: { const: 'transfer' }, iban: { type: 'string' } },
        required: ['kind', 'iban'],
      },
    ],
  },
});

describe('the form of an input schema', () => {
  it('case 1: a `oneOf` of titled constants without a type is a choice', () => {
    const schema = object({
      size: {
        oneOf: [
          { const: 's', title: 'Small' },
          { const: 'l', title: 'Large' },
        ],
      },
    });
    expect(field(schema, '/size').control).toMatchObject({
      kind: 'choice',
      as: 'radios',
      options: [
        { token: '"s"', label: 'Small' },
        { token: '"l"', label: 'Large' },
      ],
    });
    expect(answer(schema, { '/size': '"l"' })).toEqual({ size: 'l' });
  });

  it('case 2: a choice without a default starts with nothing chosen and is absent from the answer', () => {
    const schema = object({ slot: { enum: ['morning', 'evening'] }, day: { enum: ['mon', 'tue'], default: 'tue' } });
    expect(field(schema, '/slot').control).toMatchObject({ chosen: null });
    expect(answer(schema)).toEqual({ day: 'tue' });
    expect(faults({ ...schema, required: ['slot'] }, { '/slot': '' })).toEqual([['/slot', 'required']]);
  });

  it('case 3: `anyOf` of something and null is one input', () => {
    const schema = object({ note: { anyOf: [{ type: 'string' }, { type: 'null' }] } });
    expect(field(schema, '/note')).toMatchObject({ choices: [], control: { kind: 'text' }, none: null });
    expect(answer(schema, { '/note': '' })).toEqual({});
    expect(answer(schema, { '/note': 'hi' })).toEqual({ note: 'hi' });
    const required = { ...schema, required: ['note'] };
    expect(answer(required, { '/note': '', 'none /note': 'yes' })).toEqual({ note: null });
    expect(faults(required, { '/note': '', 'none /note': '' })).toEqual([['/note', 'required']]);
  });

  it('case 4: what is typed into a branch never switches the branch', () => {
    const typed = { 'branch0 /payment': '0', '/payment/number': 'DE00', '/payment/iban': 'DE00 1234' };
    expect(field(PAYMENT, '/payment', typed).choices).toMatchObject([{ chosen: '0' }]);
    expect(answer(PAYMENT, typed)).toEqual({ payment: { kind: 'card', number: 'DE00' } });
  });

  it('case 5: after a switch of branch the answer holds the keys of the new one alone, also when it is built again', () => {
    const switched = { 'branch0 /payment': '1', '/payment/number': '4242', '/payment/iban': 'DE1' };
    expect(answer(PAYMENT, switched)).toEqual({ payment: { kind: 'transfer', iban: 'DE1' } });
    expect(field(PAYMENT, '/payment', switched).choices).toMatchObject([{ chosen: '1' }]);
    expect(field(PAYMENT, '/payment', {}).choices).toMatchObject([{ chosen: null }]);
    expect(answer(PAYMENT, {})).toEqual({});
  });

  const conditional = object(
    { reason: { enum: ['other', 'late'] }, details: { type: 'string' } },
    {
      if: { properties: { reason: { const: 'other' } }, required: ['reason'] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
      then: { properties: { explain: { type: 'string', minLength: 3 } }, required: ['explain'] },
    },
  );

  it('case 6: a conditional field that is hidden again is not part of the answer', () => {
    expect(pointers(conditional, { '/reason': '"other"' })).toContain('/explain');
    expect(answer(conditional, { '/reason': '"other"', '/explain': 'rain' })).toEqual({
      reason: 'other',
      explain: 'rain',
    });
    expect(pointers(conditional, { '/reason': '"late"', '/explain': 'rain' })).not.toContain('/explain');
    expect(answer(conditional, { '/reason': '"late"', '/explain': 'rain' })).toEqual({ reason: 'late' });
  });

  it('case 7: what `if` or `allOf` requires is asked for, and satisfied once it is filled in', () => {
    const schema = {
      type: 'object',
      properties: { a: { type: 'string' } },
      allOf: [{ required: ['a'] }, conditional],
    } as JsonObject;
    expect(faults(schema, { '/a': '', '/reason': '"other"', '/explain': '' })).toEqual(
      expect.arrayContaining([
        ['/a', 'required'],
        ['/explain', 'required'],
      ]),
    );
    expect(field(schema, '/explain', { '/reason': '"other"' }).required).toBe(true);
    expect(faults(schema, { '/a': 'x', '/reason': '"other"', '/explain': 'rain' })).toEqual([]);
  });

  it('case 8: `dependentRequired` and `dependentSchemas` require and add fields', () => {
    const schema = object(
      { card: { type: 'string' }, address: { type: 'string' } },
      {
        dependentRequired: { card: ['address'] },
        dependentSchemas: { card: { properties: { cvc: { type: 'string' } }, required: ['cvc'] } },
      },
    );
    expect(pointers(schema)).toEqual(['/card', '/address']);
    expect(field(schema, '/address').required).toBe(false);
    expect(pointers(schema, { '/card': '1' })).toEqual(['/card', '/address', '/cvc']);
    expect(field(schema, '/address', { '/card': '1' }).required).toBe(true);
    expect(faults(schema, { '/card': '1', '/address': '' })).toEqual(
      expect.arrayContaining([
        ['/address', 'dependentRequired'],
        ['/cvc', 'required'],
      ]),
    );
  });

  const parcels = object(
    {
      parcels: {
        type: 'array',
        minItems: 1,
        items: object({ weight: { type: 'number', minimum: 1 }, note: { type: 'string' } }, { required: ['weight'] }),
      },
    },
    { required: ['parcels'] },
  );

  it('case 9: a fault inside a row stands at the row, also behind rows that are left empty', () => {
    const posted = {
      'rows /parcels': '3',
      '/parcels/0/weight': '',
      '/parcels/1/weight': '0',
      '/parcels/2/weight': 'heavy',
    };
    expect(faults(parcels, posted)).toEqual([
      ['/parcels/1/weight', 'minimum'],
      ['/parcels/2/weight', 'type'],
    ]);
    expect(faults(parcels, { 'rows /parcels': '1', '/parcels/0/weight': '', '/parcels/0/note': 'x' })).toEqual([
      ['/parcels/0/weight', 'required'],
    ]);
    expect(faults(parcels, { 'rows /parcels': '0' })).toEqual([['/parcels', 'minItems']]);
  });

  it('rows are added, and removed from the middle with everything in them moving up', () => {
    const add = formEdit('add /parcels');
    const remove = formEdit('remove0 /parcels');
    if (add === null || remove === null) throw new Error('no edits');
    const two = draft({
      'rows /parcels': '2',
      '/parcels/0/weight': '1',
      '/parcels/1/weight': '2',
      'branch0 /parcels/1/note': '1',
    });
    expect(edited(two, add).get('rows /parcels')).toEqual(['3']);
    const one = edited(two, remove);
    expect(Object.fromEntries(one)).toEqual({
      'rows /parcels': ['1'],
      '/parcels/0/weight': ['2'],
      'branch0 /parcels/0/note': ['1'],
    });
    expect(buildForm(parcels, one).answer).toEqual({ parcels: [{ weight: 2 }] });
    expect(edited(draft({ 'rows /parcels': '50' }), add).get('rows /parcels')).toEqual(['50']);
    expect(formEdit('approve')).toBeNull();
  });

  it('case 11: a schema that refers to itself becomes a form that opens level by level', () => {
    const tree: JsonObject = {
      type: 'object',
      properties: { name: { type: 'string' }, child: { $ref: '#' } },
      required: ['name'],
    };
    expect(field(tree, '/child').control).toEqual({ kind: 'closed' });
    const open = { 'opened /child': 'yes', '/name': 'a', '/child/name': 'b' };
    expect(answer(tree, open)).toEqual({ name: 'a', child: { name: 'b' } });
    expect(field(tree, '/child/child', open).control).toEqual({ kind: 'closed' });
  });

  it('case 11: what refers at its root is followed, and a title and a default beside a reference win', () => {
    const schema: JsonObject = {
      $ref: '#/$defs/order',
      $defs: {
        order: {
          type: 'object',
          properties: { city: { $ref: '#/$defs/city', title: 'Destination', default: 'Leipzig' } },
        },
        city: { type: 'string', title: 'City', default: 'Berlin' },
      },
    };
    expect(field(schema, '/city').title).toBe('Destination');
    expect(answer(schema)).toEqual({ city: 'Leipzig' });
  });

  it('case 11: what no level can end is written as JSON, and a wide schema that nests deeply has a bounded form', () => {
    const endless: JsonObject = {
      type: 'object',
      properties: { a: { $ref: '#' }, b: { $ref: '#' } },
      required: ['a', 'b'],
    };
    expect(isUsableInputSchema(endless).usable).toBe(true);
    expect(pointers(endless).length).toBeLessThan(2_000);
  });

  it('case 12: "no" and "not answered" of a required boolean are told apart', () => {
    const schema = object({ fragile: { type: 'boolean' } }, { required: ['fragile'] });
    expect(answer(schema, { '/fragile': ['', 'false'] })).toEqual({ fragile: false });
    expect(faults(schema, { '/fragile': [''] })).toEqual([['/fragile', 'required']]);
    expect(field(schema, '/fragile').control).toMatchObject({ as: 'yes_no', chosen: null });
  });

  it('case 13: an emptied e-mail field is left out, and an emptied required text is missing', () => {
    const schema = object(
      { mail: { type: 'string', format: 'email', default: 'a@b.de' }, name: { type: 'string' } },
      { required: ['name'] },
    );
    expect(answer(schema, { '/mail': '', '/name': 'x' })).toEqual({ name: 'x' });
    expect(faults(schema, { '/mail': '', '/name': '' })).toEqual([['/name', 'required']]);
  });

  it('case 14: numbers with decimals are numbers; what is no number, or not exact, is refused as it was typed', () => {
    const schema = object({ price: { type: 'number' }, count: { type: 'integer' } });
    expect(answer(schema, { '/price': '2.0', '/count': '0' })).toEqual({ price: 2, count: 0 });
    expect(answer(schema, { '/price': '0.01' })).toEqual({ price: 0.01 });
    expect(faults(schema, { '/price': 'NaN', '/count': 'abc' })).toEqual([
      ['/price', 'type'],
      ['/count', 'type'],
    ]);
    expect(faults(schema, { '/count': '9007199254740993' })).toEqual([['/count', 'inexact']]);
    expect(field(schema, '/count', { '/count': 'abc' }).control).toMatchObject({ text: 'abc' });
    expect(faults(schema, { '/count': '1.5' })).toEqual([['/count', 'type']]);
  });

  it('case 16: confirmations are never filled in for anybody, not even by a default', () => {
    const schema = object({
      read: { const: true, default: true },
      word: { type: 'string', const: 'DELETE', default: 'DELETE' },
    });
    expect(answer(schema)).toEqual({});
    expect(field(schema, '/read').control).toMatchObject({ kind: 'choice', as: 'confirm', chosen: null });
    expect(field(schema, '/word').control).toMatchObject({ kind: 'text', text: '' });
    expect(answer(schema, { '/read': ['', 'true'], '/word': 'DELETE' })).toEqual({ read: true, word: 'DELETE' });
    expect(faults(schema, { '/word': 'delete' })).toEqual([['/word', 'const']]);
  });

  it("case 17: a date and time keeps the person's offset", () => {
    const schema = object({ at: { type: 'string', format: 'date-time' } });
    expect(answer(schema, { '/at': '2030-05-02T09:00:00+02:00' })).toEqual({ at: '2030-05-02T09:00:00+02:00' });
  });

  it('case 18: an emptied optional object, list or tuple is left out', () => {
    const schema = object({
      address: object({ city: { type: 'string' } }, { required: ['city'] }),
      tags: { type: 'array', items: { type: 'string' } },
      pair: { type: 'array', prefixItems: [{ type: 'integer' }, { type: 'integer' }] },
    });
    const empty = { '/address/city': '', 'rows /tags': '1', '/tags/0': '', '/pair/0': '', '/pair/1': '' };
    expect(answer(schema, empty)).toEqual({});
    expect(faults(schema, empty)).toEqual([]);
    expect(answer(schema, { ...empty, '/pair/1': '7', '/tags/0': 'x' })).toEqual({ tags: ['x'], pair: [null, 7] });
  });

  it('case 19: unknown names, `__proto__` and forged values of what is read-only are ignored', () => {
    const schema = object({
      id: { type: 'string', readOnly: true, default: 'A1' },
      constructor: { type: 'string' },
    });
    const made = answer(schema, {
      '/id': 'forged',
      '/other': 'x',
      '/__proto__/polluted': 'y',
      '/constructor': 'plain',
    });
    expect(Object.entries(made)).toEqual([
      ['id', 'A1'],
      ['constructor', 'plain'],
    ]);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it('case 20: only faults of the chosen branch are shown', () => {
    expect(faults(PAYMENT, { 'branch0 /payment': '0', '/payment/number': '1' })).toEqual([
      ['/payment/number', 'minLength'],
    ]);
    expect(faults({ ...PAYMENT, required: ['payment'] }, {})).toEqual([['/payment', 'required']]);
  });

  it('case 20: branches that are references are told apart as well', () => {
    const schema = object(
      { to: { oneOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/b' }] } },
      {
        $defs: {
          a: object(
            { street: { type: 'string', minLength: 3 } },
            { required: ['street'], additionalProperties: false },
          ),
          b: object({ box: { type: 'integer' } }, { required: ['box'] }),
        },
      },
    );
    expect(faults(schema, { 'branch0 /to': '1', '/to/box': 'x' })).toEqual([['/to/box', 'type']]);
  });

  it('case 20: a fault that belongs to no field is told with its pointer', () => {
    const schema = object({ a: { type: 'string' } }, { not: { required: ['a'] } });
    const [fault] = formFaults(schema, buildForm(schema, draft({ '/a': 'x' })));
    expect(fault).toMatchObject({ field: '', pointer: '', keyword: 'not' });
    const forbidden = object(
      { a: { type: 'object', properties: { x: { type: 'string' } } } },
      { allOf: [{ properties: { a: { required: ['hidden'] } } }] },
    );
    expect(formFaults(forbidden, buildForm(forbidden, draft({ '/a/x': '1' })))).toMatchObject([
      { field: null, pointer: '/a/hidden' },
    ]);
  });

  it('case 21: any name and any option goes through unharmed', () => {
    const names = ['a/b', 'c~d', 'e.f', 'g[0]', 'h i', '"q"', "it's", 'größe', '日本', '', 'rows x', 'toString'];
    const schema = object(Object.fromEntries(names.map((name) => [name, { enum: [name, `${name}!`] }])));
    const form = buildForm(schema);
    const posted = new Map(
      [...allFields(form.root)]
        .slice(1)
        .map(({ pointer, control }) => [
          pointer,
          ['', control.kind === 'choice' ? (control.options[1]?.token ?? '') : ''],
        ]),
    );
    expect(buildForm(schema, posted).answer).toEqual(Object.fromEntries(names.map((name) => [name, `${name}!`])));
  });

  it('case 22: a text that looks like something else stays a text', () => {
    const schema = object({ a: { type: 'string' }, b: { enum: ['1', 1, true, 'true', null] } });
    for (const text of ['12', 'true', 'null', '{"a":1}', ' x '])
      expect(answer(schema, { '/a': text })).toEqual({ a: text });
    expect(answer(schema, { '/b': '"1"' })).toEqual({ b: '1' });
    expect(answer(schema, { '/b': '1' })).toEqual({ b: 1 });
    expect(answer(schema, { '/b': '"true"' })).toEqual({ b: 'true' });
  });

  it('what the model does not understand is written as JSON, and read as strictly as a body', () => {
    const schema = object({
      any: {},
      map: { type: 'object', additionalProperties: { type: 'integer' } },
      mixed: { type: ['string', 'integer'] },
    });
    expect(pointers(schema)).toEqual(['/any', '/map', '/mixed']);
    expect(field(schema, '/map').control.kind).toBe('json');
    expect(answer(schema, { '/any': '[1]', '/map': '{"a":1}', '/mixed': '5' })).toEqual({
      any: [1],
      map: { a: 1 },
      mixed: 5,
    });
    expect(faults(schema, { '/any': '{', '/map': '{"a":1,"a":2}' })).toEqual([
      ['/any', 'json'],
      ['/map', 'json'],
    ]);
    expect(faults(schema, { '/map': '{"a":"x"}' })).toEqual([['/map', 'type']]);
  });

  it('a set of options is a group of boxes', () => {
    const schema = object({ days: { type: 'array', uniqueItems: true, items: { enum: ['mon', 'tue', 'wed'] } } });
    expect(answer(schema, { '/days': ['', '"wed"', '"mon"'] })).toEqual({ days: ['mon', 'wed'] });
    expect(answer(schema, { '/days': [''] })).toEqual({});
  });

  it('several forms fit on one page, each below its own pointer', () => {
    const schema = object({ a: { type: 'string' }, list: { type: 'array', items: { type: 'string' } } });
    const posted = draft({ '/c1/a': 'x', 'rows /c1/list': '1', '/c1/list/0': 'y', '/a': 'z' });
    expect(buildForm(schema, posted, '/c1').answer).toEqual({ a: 'x', list: ['y'] });
    expect(steering.rows('/c1/list')).toBe('rows /c1/list');
  });

  it('conditions that contradict each other end', () => {
    const flip = object(
      { a: { type: 'string' } },
      {
        if: { required: ['b'] },
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
        then: {},
        else: { properties: { b: { type: 'string' } } },
      },
    );
    expect(() => answer(flip, { '/b': 'x' })).not.toThrow();
  });
});
