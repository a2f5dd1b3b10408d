import { expect, test } from 'vitest';
import type { Contact } from '../../../../src/core/contact/contact.ts';
import type { Half } from '../../../../src/core/contact/half.ts';
import type { Merge } from '../../../../src/core/reconcile/decision.ts';
import { planGroups } from '../../../../src/core/reconcile/groups.ts';
import { lossesOf } from '../../../../src/core/reconcile/losses.ts';
import { type Plan, planContacts } from '../../../../src/core/reconcile/plan.ts';
import { updateOn } from '../../../../src/core/reconcile/planned.ts';
import { gone, pairOf, policyWith, present, record, SCOPES, snapshot, values } from './support.ts';

/** The survivor's values before the merge, and the contact that was merged away, at the right side. */
const HELD: Partial<Contact> = { firstName: 'Ada', title: '', emailAddresses: values('ada@x.org') };
const AWAY: Partial<Contact> = { firstName: 'Ada', title: 'Baker', emailAddresses: values('king@x.org') };

const policy = policyWith({ directions: { title: 'to-left', emailAddresses: 'to-left' } });

/** The plan after the right side merged two contacts, with the survivor's current values in `now`. */
const planAfter = (
  now: Partial<Contact>,
  given: { readonly base?: Partial<Contact>; readonly left?: Half } = {},
): Plan => {
  const { base = HELD, left = present(record('left', { ...HELD, title: 'Brewer' }), snapshot(HELD)) } = given;
  const pairs = [
    pairOf(left, present(record('survivor', now), snapshot(base)), 'linked', 1),
    pairOf(gone('left-away'), gone('away', { record: record('away', AWAY) }), 'linked', 2),
  ];
  const groups = planGroups({ left: [], right: [], pairs: [] }, policy);
  return planContacts({
    pairs,
    survivors: [],
    unpaired: { left: [], right: [] },
    groups,
    openConflicts: [],
    policy,
    scopes: SCOPES,
    pastMerges: [{ side: 'right', survivor: record('survivor', HELD), mergedAway: record('away', AWAY) }],
  });
};

const mergeIn = ({ decisions }: Plan): Merge | undefined => decisions.find((decision) => decision.kind === 'merge');

const kindsIn = ({ decisions }: Plan): readonly string[] => decisions.map(({ kind }) => kind);

test('[R12] the values that a merge wrote over fields of that side alone are reverted, and its pair records this until then', () => {
  const plan = planAfter({ ...AWAY });
  expect(kindsIn(plan)).toEqual(['merge']);
  expect(mergeIn(plan)?.writes).toMatchObject([
    {
      kind: 'update',
      side: 'right',
      fields: ['title', 'emailAddresses'],
      given: ['title', 'emailAddresses'],
      desired: { title: '', emailAddresses: values('ada@x.org') },
    },
  ]);
  expect(lossesOf(plan, () => 0).right).toEqual({ members: 0 });
});

test('[R12] once they were reverted the pair of the merged-away contact ends', () => {
  const plan = planAfter(HELD);
  expect(kindsIn(plan)).toEqual(['merge', 'unlink']);
  expect(mergeIn(plan)?.writes).toEqual([]);
});

test('[R5, R12] later edits of the survivor by its user stay, and are written to the other side', () => {
  const added = values('king@x.org', 'new@x.org');
  const plan = planAfter({ ...AWAY, title: 'Cook', emailAddresses: added });
  const writes = mergeIn(plan)?.writes ?? [];
  expect(updateOn(writes, 'right')?.desired).toMatchObject({ emailAddresses: values('new@x.org', 'ada@x.org') });
  expect(updateOn(writes, 'left')).toMatchObject({
    fields: ['title', 'emailAddresses'],
    desired: { title: 'Cook', emailAddresses: values('ada@x.org', 'new@x.org') },
  });
});

test('[R12] values that both sides have agreed on since are not reverted', () => {
  const plan = planAfter(AWAY, { base: AWAY, left: present(record('left', AWAY)) });
  expect(mergeIn(plan)?.writes).toEqual([]);
});
