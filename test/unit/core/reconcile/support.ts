import fc from 'fast-check';
import type { Contact } from '../../../../src/core/contact/contact.ts';
import type { LabelledValue, PostalAddress } from '../../../../src/core/contact/elements.ts';
import type { Half } from '../../../../src/core/contact/half.ts';
import { contactOf, type ContactRecord } from '../../../../src/core/contact/record.ts';
import { bySide, type Side, type Sides } from '../../../../src/core/contact/side.ts';
import { type Snapshot, snapshotOf } from '../../../../src/core/contact/snapshot.ts';
import type { Pair, PairStatus } from '../../../../src/core/contact/pair.ts';
import { planGroups } from '../../../../src/core/reconcile/groups.ts';
import type { GroupLink } from '../../../../src/core/reconcile/membership.ts';
import { mergeHalves } from '../../../../src/core/reconcile/merge.ts';
import { type Plan, planContacts } from '../../../../src/core/reconcile/plan.ts';
import type { Policy } from '../../../../src/core/reconcile/policy.ts';
import { halfOf as storedHalf } from '../../../support/store/rows.ts';

/** A failure prints the seed, the path and the smallest counterexample. */
export const check = <Values>(property: fc.IProperty<Values>): void => {
  fc.assert(property, { seed: 20_261_121, numRuns: 400 });
};

export const policyWith = (given: Partial<Policy> = {}): Policy => ({
  direction: 'both',
  conflicts: 'newest',
  deletes: 'propagate',
  deleteLimit: { count: 10, percent: 10 },
  firstSync: 'run',
  buckets: ['*'],
  contacts: { left: ['*'], right: ['*'] },
  ...given,
});

export const values = (...list: readonly string[]): readonly LabelledValue[] => {
  return list.map((value) => ({ value, label: null }));
};

export const address = (street: string, given: Partial<PostalAddress> = {}): PostalAddress => ({
  street,
  city: 'Rome',
  region: '',
  postalCode: '',
  country: '',
  label: null,
  ...given,
});

type RecordParts = Partial<Omit<ContactRecord, 'id' | 'contact'>>;

export const record = (id: string, contact: Partial<Contact>, more: RecordParts = {}): ContactRecord => ({
  id,
  version: '1',
  modifiedAtMs: null,
  groupIds: [],
  raw: '{}',
  originId: null,
  ...more,
  contact: contactOf(contact),
});

export const snapshot = (contact: Partial<Contact>, groupIds: readonly string[] = []): Snapshot => ({
  contact: contactOf(contact),
  groupIds,
});

/** A half without a pair, on the left side by default, that the next plan has to examine. */
export const halfOf = (now: ContactRecord, given: Partial<Half> = {}): Half =>
  storedHalf(now.id, { record: now, state: 'changed', base: null, heardAtMs: 0, ...given });

/** A half with its current values, and its values when both sides agreed (null: they never did). */
export const sideOf = (
  now: Partial<Contact>,
  base: Partial<Contact> | null,
  modifiedAtMs: number | null = null,
): Half => halfOf(record('x', now, { modifiedAtMs }), { base: base === null ? null : snapshot(base) });

/** Both contacts as the halves of one pair. */
export const bothSides = (left: Half, right: Half): Sides<Half> => ({
  left: { ...left, side: 'left' },
  right: { ...right, side: 'right' },
});

/** The merge of two halves. */
export const mergeOf = (left: Half, right: Half, policy = policyWith()): ReturnType<typeof mergeHalves> =>
  mergeHalves(bothSides(left, right), policy);

/** A merge without a write. */
export const QUIET = { fields: { left: [], right: [] }, localFields: { left: [], right: [] }, conflicts: [] };

/** A half with the values of its record; without a given base, the base is that record. */
export const present = (now: ContactRecord, base: Snapshot | null = snapshotOf(now)): Half => halfOf(now, { base });

/** A half that is deleted. */
export const gone = (id: string, given: Partial<Half> = {}): Half => {
  return halfOf(record(id, {}), { state: 'gone', ...given });
};

/** The name of each side's account in origins. */
export const SCOPES: Sides<string> = { left: 'account of the left', right: 'account of the right' };

/** The prefix of the ids of each side. */
export const PREFIX: Sides<string> = { left: 'g', right: 's' };

/** The value of a half that a pair does not have. */
export const NONE = null;

export const pairOf = (left: Half | null, right: Half | null, status: PairStatus = 'linked', id = 1): Pair => {
  const given = { left, right };
  const halves = bySide((side) => (given[side] === null ? null : { ...given[side], side, pair: id }));
  return { id, status, ...halves };
};

/** Contacts of one side without a pair. */
export const unpaired = (side: Side, ...records: readonly ContactRecord[]): readonly Half[] => {
  return records.map((now) => halfOf(now, { side }));
};

export const link = (key: string, given: Partial<GroupLink> = {}): GroupLink => ({
  key,
  left: `g-${key}`,
  right: `s-${key}`,
  isUnited: true,
  ...given,
});

export const SIDE_PAIRS: readonly (readonly [Side, Side])[] = [
  ['left', 'right'],
  ['right', 'left'],
];

type PlanInput = Partial<Omit<Parameters<typeof planContacts>[0], 'policy'>> & { readonly policy?: Partial<Policy> };

/** The plan for the given contacts, without groups and conflicts by default. */
export const planOf = ({ policy, ...given }: PlanInput): Plan => {
  const full = policyWith(policy);
  const groups = planGroups({ left: [], right: [], pairs: [] }, full);
  const contacts = { pairs: [], lonePairs: [], unpaired: { left: [], right: [] }, joining: [] };
  const nothing = { ...contacts, conflicts: [], marked: { left: new Map(), right: new Map() }, verdicts: [] };
  return planContacts({ ...nothing, groups, scopes: SCOPES, ...given, policy: full });
};

/** Some values of a contact. */
export type Given = Partial<Contact>;

/** Contacts of one side without a pair; their ids end with their position from 1. */
export const people = (side: Side, list: readonly Given[]): readonly Half[] =>
  unpaired(side, ...list.map((given, index) => record(`${PREFIX[side]}${index + 1}`, given)));

export const named = (name: string, given: Given = {}): Given => {
  const [firstName = '', lastName = ''] = name.split(' ');
  return { firstName, lastName, ...given };
};

export const mail = (...list: string[]): Given => ({ emailAddresses: values(...list) });
export const phone = (...list: string[]): Given => ({ phoneNumbers: values(...list) });
