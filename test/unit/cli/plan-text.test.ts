import { expect, test } from 'vitest';
import { selectChanges } from '../../../src/core/view/changes.ts';
import { formatPlan } from '../../../src/cli/sync/plan.ts';
import { formatChanges, formatFieldChange } from '../../../src/cli/terminal/changes.ts';
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

const at = (second: number) => new Date(2026, 10, 25, 15, 31, second).getTime();
const DELETED = { kind: 'deleted', at: 'right' } as const;
const CONFLICT = { kind: 'conflict', winner: 'left', isFirst: false } as const;
const NEWER = { ...CONFLICT, winner: 'right', changedAtMs: { left: at(7), right: at(9) } } as const;
const AT_SERVICE = { kind: 'changed', at: 'right' } as const;
const TO_GOOGLE = { side: 'left' } as const;
const UNDO = { kind: 'undo', of: '3f2a91c0-aaaa-bbbb-cccc-0123456789ab' } as const;
const words = (text: string) => text.split(' ').filter(Boolean);
const changed = (field: 'title' | 'company' | 'emailAddresses' | 'websites', from: string, to: string) => {
  return { field, from: words(from), to: words(to), why: AT_GOOGLE } as const;
};
const disputed = (why: ContactChange['why']) => ({ ...changed('title', 'Cook', 'Baker'), why });
const RENAMED: Change = {
  ...TO_GOOGLE,
  action: 'rename-group',
  name: 'Friends',
  why: AT_SERVICE,
  changes: [{ field: 'name', from: ['Mates'], to: ['Friends'], why: AT_SERVICE }],
};
const DELETION = update('Di', [changed('company', 'Ltd', '')], { ...TO_GOOGLE, action: 'delete', why: DELETED });
const ALIKE = { kind: 'alike', in: 'emailAddresses', value: 'ed@x.org' } as const;
const PAIRING = update('Ed', [], { ...TO_GOOGLE, action: 'pair', why: ALIKE });
const UNLINKED = update(null, [], { ...TO_GOOGLE, action: 'unlink', why: { kind: 'gone' } });

test.each<[ContactChange['changes'][number], string]>([
  [changed('title', 'Cook', 'Baker'), '"Cook" -> "Baker"'],
  [changed('company', '', 'Ltd'), '(empty) -> "Ltd"'],
  [changed('emailAddresses', 'a@x b@x', 'b@x c@x'), '- a@x  + c@x'],
  [changed('websites', 'a b', 'b a'), 'only the order differs'],
  [changed('websites', 'a', 'a a'), 'only repeated values differ'],
  [disputed(CONFLICT), '"Cook" -> "Baker" (changed on both sides; Google won)'],
  [disputed({ ...CONFLICT, isFirst: true }), '"Cook" -> "Baker" (different at the first match; Google won)'],
  [
    disputed(NEWER),
    '"Cook" -> "Baker" (changed on both sides; the service won; contact changed: Google 2026-11-25 15:31:07, Service 2026-11-25 15:31:09)',
  ],
])('row %#: a changed field has its values, and a reason other than that of its contact: %j', (change, text) => {
  expect(formatFieldChange(change, AT_GOOGLE, SIDE_WORDS).replace(/^[a-z ]+: /u, '')).toBe(text);
});

test.each<[Change, ...lines: string[]]>([
  [update('Bo', []), '  Bo (Google -> Service): changed at Google'],
  [creation('Ann'), '  Ann (Google -> Service): new at Google', '    email addresses: + Ann@x.org  + b@x.org'],
  [DELETION, '  Di (Service -> Google): deleted at the service', '    company: Ltd'],
  [update('Don', [], { ...TO_GOOGLE, action: 'delete', why: UNDO }), '  Don at Google'],
  [RENAMED, '  label or bucket Friends (Service -> Google): changed at the service', '    name: "Mates" -> "Friends"'],
  [PAIRING, '  Ed: both have ed@x.org'],
  [UNLINKED, '  people/c1 / contact_1 at Google: deleted on both sides'],
])('row %#: a change has its subject, its direction and its reason: %j', (change, ...lines) => {
  expect(formatChanges([change], SIDE_WORDS, {}, layoutOf())[1]?.split('\n')).toEqual(lines);
});

test('a plan is grouped by kind, deletions first, and counts contacts by side', () => {
  const created = update('Ann', [changed('company', '', 'Ltd')], { leftId: 'people/Ann' });
  const contacts = [creation('Ann'), update('Bo', []), update('Cy', [disputed(CONFLICT)]), DELETION, created];
  const actions = [RENAMED, ...contacts, PAIRING, UNLINKED];
  const lines = textOf({ actions, halted: { reason: 'too-many-deletes', message: '' } });
  expect(lines.filter((line) => !line.startsWith(' '))).toEqual([
    'default: full, 3 contacts to write, would halt: too-many-deletes',
    'Deletions: 1 (1 at Google)',
    'Conflicts: 1 (1 at the service)',
    'Creations: 1 (1 at the service)',
    'Updates: 2 (1 at Google, 1 at the service)',
    'Pairings: 1',
    'Unlinked: 1 (1 at Google)',
  ]);
  const ofOne = textOf({ actions: [{ ...created, action: 'create' } as Change, created] });
  expect(ofOne).toContain('Updates: 1 to contacts that the run created');
});

test('long sections are cut unless everything is requested', () => {
  const actions = Array.from({ length: 25 }, (_, index) => creation(`P${index}`));
  const cut = textOf({ actions });
  expect(cut.filter((line) => line.includes(' (Google -> Service): new at Google'))).toHaveLength(20);
  expect(cut.at(-1)).toBe('  ... and 5 more (show them with --all)');
  const whole = textOf({ actions }, undefined, true);
  expect(whole).toHaveLength(52);
  expect(whole.at(-2)).toContain('P24');
});

test('a sample changes the rows and not the totals', () => {
  const actions = Array.from({ length: 15 }, (_, index) => creation(`P${index}`));
  const sample = formatChanges(actions, SIDE_WORDS, { sample: 4 }, layoutOf());
  expect(sample[0]).toBe('Creations: 15 (15 at the service)');
  expect(sample).toHaveLength(6);
  expect(sample.at(-1)).toBe('  ... and 11 more');
});

test('a contact that is created and updated is counted as created only', () => {
  const created = { ...creation('Ann'), rightId: 'contact_1' } as Change;
  const updates = [update('Ann', []), update('Bo', [], { rightId: 'contact_2' })];
  const own = formatChanges([created, ...updates], SIDE_WORDS, {}, layoutOf());
  expect(own).toContain('Updates: 1 (1 at the service)');
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
  const halted = { reason: 'same-accounts', message: 'Two links.' } as const;
  expect(textOf({ halted })).toEqual(['default: full, not planned, would halt: same-accounts']);
});
