import { expect, test } from 'vitest';
import { contactsToWrite, selectChanges } from '../../../src/core/view/changes.ts';
import { formatPlan } from '../../../src/cli/sync/plan.ts';
import { formatChanges } from '../../../src/cli/terminal/changes.ts';
import { wrap } from '../../../src/cli/terminal/layout.ts';
import type { Change, ContactChange } from '../../../src/core/view/views.ts';
import { SIDE_WORDS } from '../../support/side-words.ts';

const layoutOf = (width = Number.POSITIVE_INFINITY) => ({ width, style: (_style: string, text: string) => text });

type LinkPlan = Parameters<typeof formatPlan>[0];

const planOf = (given: Partial<LinkPlan> = {}): LinkPlan => {
  const actions = given.actions ?? [];
  return {
    link: 'default',
    isOnly: true,
    kind: 'full',
    actions,
    total: actions.length,
    contacts: contactsToWrite(actions),
    unpaired: [],
    unsynced: [],
    halted: null,
    ...given,
  };
};

const textOf = (given: Partial<LinkPlan>, width?: number, all = false) =>
  formatPlan(planOf(given), SIDE_WORDS, { all }, layoutOf(width)).split('\n');

const AT_GOOGLE = { kind: 'changed', at: 'left' } as const;

const update = (name: string | null, changes: ContactChange['changes'], given: Partial<ContactChange> = {}): Change => {
  const ids = { leftId: 'people/c1', rightId: 'contact_1' };
  return { side: 'right', action: 'update', ...ids, name, fields: [], changes, why: AT_GOOGLE, ...given };
};

const creation = (name: string): Change => {
  const why = { kind: 'new', at: 'left' } as const;
  const changes = [
    { field: 'firstName', from: [], to: [name], why },
    { field: 'emailAddresses', from: [], to: [`${name}@x.org`, 'b@x.org'], why },
  ] as const;
  const ids = { leftId: `people/${name}`, rightId: null };
  return { side: 'right', action: 'create', ...ids, name, fields: [], changes, why };
};

test('a plan is grouped by action, deletions first, with names, old and new values, and reasons where they differ', () => {
  const deleted = { kind: 'deleted', at: 'right' } as const;
  const conflict = { kind: 'conflict', winner: 'left', isFirst: false } as const;
  const at = (second: number) => new Date(2026, 10, 25, 15, 31, second).getTime();
  const newer = {
    kind: 'conflict',
    winner: 'right',
    isFirst: false,
    changedAtMs: { left: at(7), right: at(9) },
  } as const;
  const undo = { kind: 'undo', of: '3f2a91c0-aaaa-bbbb-cccc-0123456789ab' } as const;
  const titled = (why: ContactChange['why']) => [{ field: 'title', from: ['Cook'], to: ['Baker'], why }] as const;
  const lists = [
    { field: 'phoneNumbers', from: ['+49 1', '+46 2'], to: ['+46 2', '+49 1'], why: AT_GOOGLE },
    { field: 'websites', from: ['a.org'], to: ['a.org', 'a.org'], why: AT_GOOGLE },
  ] as const;
  const ofCreated = update('Ann', lists, { leftId: 'people/Ann' });
  const renamed: Change = {
    side: 'left',
    action: 'rename-group',
    name: 'Friends',
    why: { kind: 'changed', at: 'right' },
    changes: [{ field: 'name', from: ['Mates'], to: ['Friends'], why: { kind: 'changed', at: 'right' } }],
  };
  const lines = textOf({
    actions: [
      renamed,
      creation('Ann'),
      update('Bo Chen', [{ field: 'title', from: ['Cook'], to: ['Baker'], why: AT_GOOGLE }]),
      update('Cy Dee', [
        { field: 'company', from: [], to: ['Engine'], why: AT_GOOGLE },
        { field: 'title', from: ['Brewer'], to: ['Baker'], why: conflict },
        { field: 'emailAddresses', from: ['a@x', 'b@x'], to: ['b@x', 'c@x'], why: AT_GOOGLE },
      ]),
      update('Di', [{ field: 'company', from: ['Ltd'], to: [], why: deleted }], {
        side: 'left',
        action: 'delete',
        why: deleted,
      }),
      update('Don', [], { side: 'left', action: 'delete', leftId: 'people/d', why: undo }),
      update('Flo', titled({ ...conflict, isFirst: true }), { rightId: 'contact_2' }),
      update('Gus', titled(newer), { rightId: 'contact_3' }),
      ofCreated,
      update('Ed', [], {
        side: 'left',
        action: 'pair',
        why: { kind: 'alike', in: 'emailAddresses', value: 'ed@x.org' },
      }),
      update(null, [], { side: 'left', action: 'unlink', why: { kind: 'gone' } }),
    ],
    halted: { reason: 'too-many-deletes', message: '' },
  });
  expect(lines).toEqual([
    'default: full, 6 contacts to write, would halt: too-many-deletes',
    'Deletions: 2 (2 at Google)',
    '  Di (Service -> Google): deleted at the service',
    '    company: Ltd',
    '  Don at Google',
    'Conflicts: 3 (3 at the service)',
    '  Cy Dee (Google -> Service): changed at Google',
    '    company: (empty) -> "Engine"',
    '    title: "Brewer" -> "Baker" (changed on both sides; Google won)',
    '    email addresses: - a@x  + c@x',
    '  Flo (Google -> Service): changed at Google',
    '    title: "Cook" -> "Baker" (different at the first match; Google won)',
    '  Gus (Google -> Service): changed at Google',
    '    title: "Cook" -> "Baker" (changed on both sides; the service won; contact changed: Google 2026-11-25 15:31:07, ' +
      'Service 2026-11-25 15:31:09)',
    'Creations: 1 (1 at the service)',
    '  Ann (Google -> Service): new at Google',
    '    email addresses: + Ann@x.org  + b@x.org',
    'Updates: 2 (1 at Google, 1 at the service)',
    '  label or bucket Friends (Service -> Google): changed at the service',
    '    name: "Mates" -> "Friends"',
    '  Bo Chen (Google -> Service): changed at Google',
    '    title: "Cook" -> "Baker"',
    '  Ann (Google -> Service): changed at Google',
    '    phone numbers: only the order differs',
    '    websites: only repeated values differ',
    'Pairings: 1',
    '  Ed: both have ed@x.org',
    'Unlinked: 1 (1 at Google)',
    '  people/c1 / contact_1 at Google: deleted on both sides',
  ]);
  const ofOne = textOf({ actions: [{ ...ofCreated, action: 'create' } as Change, ofCreated] });
  expect(ofOne).toContain('Updates: 1 to contacts that the run created');
});

test('long sections are cut unless everything is requested', () => {
  const actions = Array.from({ length: 25 }, (_, index) => creation(`P${index}`));
  const cut = textOf({ actions });
  expect(cut.filter((line) => line.includes(' (Google -> Service): new at Google'))).toHaveLength(20);
  expect(cut.at(-1)).toBe('  ... and 5 more (show them with --all, or select with --grep and --only)');
  const whole = textOf({ actions }, undefined, true);
  expect(whole).toHaveLength(52);
  expect(whole.at(-2)).toContain('P24');
});

test('a sample and a filter change the rows and not the totals', () => {
  const actions = Array.from({ length: 15 }, (_, index) => creation(`P${index}`));
  const sample = formatChanges(actions, SIDE_WORDS, { sample: 4 }, layoutOf());
  expect(sample[0]).toBe('Creations: 15 (15 at the service)');
  expect(sample).toHaveLength(6);
  expect(sample.at(-1)).toBe('  ... and 11 more');
  const created = { ...creation('Ann'), rightId: 'contact_1' } as Change;
  const updates = [update('Ann', []), update('Bo', [], { rightId: 'contact_2' })];
  const own = formatChanges(updates, SIDE_WORDS, { of: [created, ...updates] }, layoutOf());
  expect(own[0]).toBe('Updates: 1 (1 at the service)');
});

test('the number of hidden changes counts contacts, as the title does', () => {
  const contacts = Array.from({ length: 22 }, (_, index) => ({ rightId: `contact_${index}` }));
  const writes = contacts.flatMap((ids) => [
    update('Ann', [], ids),
    update('Ann', [], { ...ids, action: 'membership' }),
  ]);
  const lines = formatChanges(writes, SIDE_WORDS, {}, layoutOf());
  expect(lines[0]).toBe('Updates: 22 (22 at the service)');
  expect(lines.at(-1)).toContain('  ... and 12 more (');
});

test('lines are as wide as the terminal and broken between words, by displayed width', () => {
  const values = ['研究主任 研究主任 研究主任 研究主任', 'مُحَمَّد بن سلمان آل سعود', '👩‍💻 👨‍👩‍👧 👩‍💻 👨‍👩‍👧 👩‍💻 👨‍👩‍👧 👩‍💻'];
  const lines = textOf(
    { actions: [update('佐藤', [{ field: 'title', from: [], to: values, why: AT_GOOGLE }])] },
    40,
  ).slice(4);
  expect(lines).toEqual([
    '    title: (empty) -> "研究主任',
    '      研究主任 研究主任 研究主任", "مُحَمَّد',
    '      بن سلمان آل سعود", "👩‍💻 👨‍👩‍👧 👩‍💻 👨‍👩‍👧 👩‍💻',
    '      👨‍👩‍👧 👩‍💻"',
  ]);
  expect(wrap('a word-that-is-longer-than-the-line-is b', '', 22).split('\n')).toEqual([
    'a',
    '  word-that-is-longer-than-the-line-is',
    '  b',
  ]);
});

test('a value moves no cursor and forges no line', () => {
  const lines = textOf({
    actions: [update('Eve\nDeletions: 0', [{ field: 'title', from: [], to: ['\u001B[2Jx'], why: AT_GOOGLE }])],
  });
  expect(lines).toHaveLength(4);
  expect(lines[2]).toBe('  Eve Deletions: 0 (Google -> Service): changed at Google');
  expect(lines[3]).toBe(String.raw`    title: (empty) -> "\u001b[2Jx"`);
});

test('a name of 3,000 characters and a long value are cut', () => {
  const changes = [{ field: 'title', from: [], to: ['x'.repeat(3_000)], why: AT_GOOGLE }] as const;
  const lines = textOf({ actions: [update('Ada '.repeat(750), changes), creation('B'.repeat(3_000))] });
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(320);
  expect(lines).toContainEqual(expect.stringMatching(/^ {2}(?:Ada ){9}Ada… \(Google -> Service\)/u));
});

test('changes are selected by kind, name, id and value in any spelling', () => {
  const all = [creation('Ångström'), update('Bo', [{ field: 'title', from: ['Cook'], to: ['Baker'], why: AT_GOOGLE }])];
  const names = (shown: Parameters<typeof selectChanges>[1]) => selectChanges(all, shown).map(({ name }) => name);
  expect(names({})).toEqual(['Ångström', 'Bo']);
  expect(names({ only: 'updates' })).toEqual(['Bo']);
  expect(names({ only: 'deletes' })).toEqual([]);
  expect(names({ grep: 'angstrom' })).toEqual(['Ångström']);
  expect(names({ grep: 'COOK' })).toEqual(['Bo']);
  expect(names({ grep: 'contact_1' })).toEqual(['Bo']);
  expect(names({ grep: '...' })).toEqual([]);
});

test('the plan of a first sync lists once the fields that it leaves out', () => {
  const unsynced = [
    { field: 'middleName', contacts: 12 },
    { field: 'notes', contacts: null },
    { field: 'tags', contacts: 1 },
    { field: 'photo', contacts: null },
  ] as const;
  expect(textOf({ unsynced })).toEqual([
    'default: full, nothing to do',
    '  Not synced: middle name (12 contacts), tags (1 contact). Not read and not synced: notes, photo, custom fields. ' +
      'FIELDS adds fields.',
  ]);
});

test('[R13] a plan lists the contacts that it leaves unpaired, the reasons, and how to join them', () => {
  const text = textOf({
    unpaired: [
      { left: [{ id: 'people/c1', name: 'Ann' }], right: [{ id: 'contact_1', name: null }], why: 'names differ' },
      {
        left: [{ id: 'people/c2', name: 'Bo' }],
        right: [
          { id: 'contact_2', name: 'Bo' },
          { id: 'contact_3', name: 'Bo C' },
        ],
        why: 'several candidates',
      },
    ],
  }).join('\n');
  expect(text).toContain(
    'Not paired: names differ: 1\n  at Google Ann (people/c1); at the service contact_1\n    contact-sync pair people/c1 contact_1\n',
  );
  expect(text).toContain('run their command above before the sync, or give both the same name.');
  expect(text).toContain('at Google Bo (people/c2); at the service Bo (contact_2), Bo C (contact_3)\n');
  expect(text).toContain('After the sync, merge them at Google or at the service;');
  expect(text).toContain('If they are different people, add --apart to the command.');
  expect(text).toContain('    contact-sync pair people/c2 contact_2\n    contact-sync pair people/c2 contact_3\n');
});

test('[R13] a plan of one link of several has its name in the commands, and contains no unsafe id', () => {
  const candidates = [
    { id: 'contact_1', name: 'Bo' },
    { id: 'x; rm -r .', name: 'Bo' },
    { id: '--forget', name: 'Bo' },
  ];
  const unpaired = [{ left: [{ id: 'people/c1', name: 'Bo' }], right: candidates, why: 'several candidates' }] as const;
  const commands = textOf({ unpaired, isOnly: false, link: 'work' }).filter((line) => line.startsWith('    '));
  expect(commands).toEqual(['    contact-sync pair people/c1 contact_1 work']);
});

test('[R13] a long list of unpaired contacts names only the option that shows the others', () => {
  const contacts = Array.from({ length: 8 }, (_, index) => ({ id: `contact_${index}`, name: 'Bo' }));
  const unpaired = [{ left: [{ id: 'people/c1', name: 'Bo' }], right: contacts, why: 'several candidates' }] as const;
  expect(textOf({ unpaired })).toContain('  ... and 2 more (show them with --all)');
  expect(textOf({ unpaired: Array.from({ length: 22 }, () => unpaired[0]) }).at(-2)).toBe(
    '  ... and 2 more (show them with --all)',
  );
});

test('a plan has the expected duration', () => {
  const estimate = { requests: { left: 3, right: 5_050 }, durationMs: 606_000 };
  expect(textOf({ estimate }).join('\n')).toContain(
    'about 3 requests to Google and 5,050 requests to Service, 10 min with the rate limits',
  );
  const idle = { requests: { left: 0, right: 0 }, durationMs: 0 };
  expect(textOf({ estimate: idle })).toEqual(['default: full, nothing to do']);
});
