import { describe, expect, test } from 'vitest';
import { planGroups, type GroupPlan } from '../../../../src/core/reconcile/groups.ts';
import type { Policy } from '../../../../src/core/reconcile/policy.ts';
import { planChanges, unpairedOf } from '../../../../src/core/view/plan.ts';
import { changeKindOf } from '../../../../src/core/view/views.ts';
import { whyWords } from '../../../../src/core/view/words.ts';
import { SIDE_WORDS } from '../../../support/side-words.ts';
import {
  gone,
  link,
  NONE,
  pairOf,
  planOf,
  policyWith,
  present,
  record,
  snapshot,
  unpaired,
  values,
} from '../reconcile/support.ts';

const NO_GROUPS: GroupPlan = planGroups({ left: [], right: [], pairs: [] }, policyWith());

const views = (given: Parameters<typeof planOf>[0]) => planChanges(planOf(given), policyWith(given.policy));

/** The actions on contacts as text. */
const actions = (given: Parameters<typeof planOf>[0]) =>
  views(given).map((change) => {
    const { side, action } = change;
    return 'leftId' in change
      ? `${action} ${side}, ${change.leftId} ${change.rightId}: ${change.fields.join()}`
      : action;
  });

const ADA = { firstName: 'Ada', emailAddresses: values('ada@x.org') };
const LINKED = pairOf(present(record('g', ADA)), present(record('s', ADA)));
const alone = (status: 'kept' | 'dormant') => pairOf(present(record('g', ADA)), NONE, status);

test('the actions of a plan contain a pairing before the updates that it causes', () => {
  const left = unpaired('left', record('g', ADA));
  const right = unpaired('right', record('s', { ...ADA, title: 'Dr' }));
  expect(actions({ unpaired: { left, right } })).toEqual(['pair left, g s: ', 'update left, g s: title']);
});

test.each<[string, Parameters<typeof planOf>[0], readonly string[]]>([
  ['a kept pair', { pairs: [pairOf(gone('g'), present(record('s', ADA)))], policy: { deletes: 'keep' } }, ['right']],
  ['a dormant pair', { pairs: [pairOf(LINKED.left, gone('s'))], policy: { direction: 'to-right' } }, ['left']],
  ['an ended pair', { pairs: [pairOf(gone('g'), gone('s'))] }, ['right']],
  ['no equal pair', { pairs: [LINKED] }, []],
  ['no pair that stays kept', { lonePairs: [alone('kept')], policy: { deletes: 'keep' } }, []],
  ['no pair that stays dormant', { lonePairs: [alone('dormant')], policy: { direction: 'to-right' } }, []],
])('the actions of a plan name an unlinking once: %s', (_, given, sides) => {
  expect(actions(given)).toEqual(sides.map((side) => `unlink ${side}, g s: `));
});

describe('the readable form of a plan', () => {
  test('a created contact has its name, all its values and the reason', () => {
    const half = { id: 'g-choir', name: 'Choir' };
    const groups: GroupPlan = {
      ...NO_GROUPS,
      links: [link('choir', { right: null })],
      actions: [{ kind: 'create-group', side: 'right', key: 'choir', name: 'Choir' }],
      pairs: [{ key: 'choir', left: half, right: null, status: 'linked', isUnited: true }],
    };
    const left = unpaired('left', record('g', ADA, { groupIds: ['g-choir', 'g-hidden'] }));
    const why = { kind: 'new', at: 'left' };
    const changes = [
      { field: 'firstName', from: [], to: ['Ada'], why },
      { field: 'emailAddresses', from: [], to: ['ada@x.org'], why },
      { field: 'buckets', from: [], to: ['Choir'], why },
    ];
    const ids = { leftId: 'g', rightId: null, fields: changes.map(({ field }) => field) };
    const named = [{ field: 'name', from: [], to: ['Choir'], why }];
    expect(views({ unpaired: { left, right: [] }, groups })).toEqual([
      { side: 'right', action: 'create-group', name: 'Choir', why, changes: named },
      { side: 'right', action: 'create', name: 'Ada', why, ...ids, changes },
    ]);
  });

  test('an update has old and new values, and each field its own reason', () => {
    const base = { ...ADA, title: 'Cook', emailAddresses: values('ada@x.org', 'old@x.org') };
    const mails = values('ada@x.org', 'new@x.org');
    const pairs = ['choir', 'club'].map((key) => {
      const halves = { left: { id: `g-${key}`, name: key }, right: { id: `s-${key}`, name: key } };
      return { key, ...halves, status: 'linked', isUnited: true } as const;
    });
    const groups: GroupPlan = { ...NO_GROUPS, links: [link('choir'), link('club')], pairs };
    const left = record('g', { ...base, title: 'Baker', emailAddresses: mails }, { groupIds: ['g-club'] });
    const right = record('s', { ...base, title: 'Brewer' }, { groupIds: ['s-choir', 's-other'] });
    const pair = pairOf(present(left, snapshot(base, ['g-choir'])), present(right, snapshot(base, ['s-choir'])));
    const [update, ...others] = views({ pairs: [pair], groups });
    const why = { kind: 'changed', at: 'left' };
    expect(others).toEqual([]);
    expect(update).toMatchObject({ side: 'right', action: 'update', name: 'Ada', why });
    expect(update?.changes).toEqual([
      { field: 'title', from: ['Brewer'], to: ['Baker'], why: { kind: 'conflict', winner: 'left', isFirst: false } },
      { field: 'emailAddresses', from: ['ada@x.org', 'old@x.org'], to: ['ada@x.org', 'new@x.org'], why },
      { field: 'buckets', from: ['choir'], to: ['club'], why },
    ]);
    expect(update && changeKindOf(update)).toBe('conflicts');
  });

  const OTHER = { firstName: 'A', emailAddresses: values('ADA@x.org') };
  test.each([
    ['an address', OTHER, { in: 'emailAddresses', value: 'ada@x.org' }],
    ['a name', { firstName: 'Ada', company: 'Engine' }, { in: 'name', value: 'Ada' }],
  ])('a pairing has the values that both contacts share: %s', (_, contact, likeness) => {
    const left = unpaired('left', record('g', ADA));
    const right = unpaired('right', record('s', contact));
    const [pairing] = views({ unpaired: { left, right } });
    expect(pairing).toMatchObject({ action: 'pair', name: 'Ada', why: { kind: 'alike', ...likeness } });
  });

  test.each([
    { conflicts: 'left', text: 'different at the first match; Google won' },
    { conflicts: 'ask', text: 'different at the first match; needs a decision' },
  ] as const)('R13: two texts that differ at a first match were not changed: $text', ({ conflicts, text }) => {
    const left = unpaired('left', record('g', { ...ADA, title: 'Baker' }));
    const right = unpaired('right', record('s', { ...ADA, title: 'Brewer' }));
    const found = views({ unpaired: { left, right }, policy: { conflicts } }).flatMap(({ changes }) => changes);
    expect(found.map(({ field, why }) => `${field}: ${whyWords(why, SIDE_WORDS)}`)).toEqual([`title: ${text}`]);
  });

  test.each([
    [75_500, 'changed on both sides; the service won'],
    [61_500, 'changed on both sides, edited in the same second; the service won by default'],
  ])('R4: a conflict that times decide has the times of both edits: %s, %s', (right, text) => {
    const left = 61_000;
    const at = (id: string, title: string, modifiedAtMs: number | null) =>
      present(record(id, { ...ADA, title }, { modifiedAtMs }), snapshot({ ...ADA, title: 'Cook' }));
    const pairs = [pairOf(at('g', 'Baker', left), at('s', 'Brewer', right))];
    const whyBy = (policy: Partial<Policy>) => views({ pairs, policy })[0]?.changes[0]?.why;
    const why = whyBy({});
    expect(why).toMatchObject({ kind: 'conflict', changedAtMs: { left, right } });
    expect(why && whyWords(why, SIDE_WORDS)).toBe(text);
    expect(whyBy({ conflicts: 'left' })).not.toHaveProperty('changedAtMs');
  });

  test('a deletion has the deleted values, and the place where the contact was deleted or merged', () => {
    const pair = pairOf(present(record('g', ADA)), gone('s'));
    const why = { kind: 'deleted', at: 'right' };
    const [deleted] = views({ pairs: [pair] });
    expect(deleted).toMatchObject({ name: 'Ada', why });
    expect(deleted?.changes).toMatchObject([
      { field: 'firstName', from: ['Ada'], to: [] },
      { field: 'emailAddresses', from: ['ada@x.org'], to: [] },
    ]);
    const merged = pairOf(present(record('g', ADA)), gone('s', { mergedInto: 's2' }));
    expect(views({ pairs: [merged] })).toMatchObject([{ why: { kind: 'merged', at: 'right' } }]);
    // The side showed the merge as a deletion alone.
    const shared = { firstName: 'Ada', emailAddresses: values('augusta@x.org', 'ada@x.org') };
    const own = { firstName: 'Ada', emailAddresses: values('augusta@x.org') };
    const taking = present(record('s2', shared), snapshot(own));
    const taker = pairOf(present(record('g2', own), snapshot(own)), taking, 'linked', 2);
    const deletedPair = pairOf(present(record('g', ADA)), gone('s', { record: record('s', ADA) }));
    const deletion = views({ pairs: [deletedPair, taker] }).find(({ action }) => action === 'delete');
    expect(deletion).toMatchObject({ side: 'left', why: { kind: 'merged', at: 'right' } });
  });

  test('[R13] contacts that are left unpaired are listed', () => {
    const left = unpaired('left', record('g', { ...ADA, firstName: 'Bo' }));
    const right = unpaired('right', record('s', ADA));
    expect(unpairedOf(planOf({ unpaired: { left, right } }))).toEqual([
      { left: [{ id: 'g', name: 'Bo' }], right: [{ id: 's', name: 'Ada' }], why: 'names differ' },
    ]);
  });
});
