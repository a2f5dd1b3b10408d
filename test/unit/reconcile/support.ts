import type { Contact } from '../../../src/contact/contact.ts';
import type { LabelledValue, PostalAddress } from '../../../src/contact/elements.ts';
import type { Side } from '../../../src/contact/side.ts';
import { contactOf } from '../../../src/contact/normalise.ts';
import type { ContactRecord } from '../../../src/contact/record.ts';
import type { Snapshot } from '../../../src/contact/snapshot.ts';
import type { Pair, PairSide, PairStatus, PresentSide } from '../../../src/reconcile/decision.ts';
import type { GroupLink } from '../../../src/reconcile/membership.ts';
import type { MergeSide } from '../../../src/reconcile/merge.ts';
import type { Policy } from '../../../src/reconcile/policy.ts';

/** Every property test runs from this seed, and prints it when it fails. */
export const SEED = 20261121;

export const policyWith = (given: Partial<Policy> = {}): Policy => ({
  direction: 'both',
  conflicts: 'newest',
  deletes: 'propagate',
  deleteLimit: { count: 10, percent: 10 },
  buckets: ['*'],
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

/** One side of a merge: as it stands now, and as it was given back last (null: never met). */
export const sideOf = (
  now: Partial<Contact>,
  base: Partial<Contact> | null,
  modifiedAtMs: number | null = null,
): MergeSide => ({ contact: contactOf(now), base: base === null ? null : contactOf(base), modifiedAtMs });

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

/** A half that stands as its record says; without a base of its own it is as it was given back last. */
export const present = (now: ContactRecord, base?: Snapshot | null): PresentSide => ({
  kind: 'present',
  record: now,
  base: base === undefined ? { contact: now.contact, groupIds: now.groupIds } : base,
});

export const gone = (id: string): PairSide => ({ kind: 'gone', id, base: null, mergedInto: null });

export const NONE: PairSide = { kind: 'none' };

export const pairOf = (left: PairSide, right: PairSide, status: PairStatus = 'linked', id = 1): Pair => ({
  id,
  status,
  left,
  right,
});

export const link = (key: string, given: Partial<GroupLink> = {}): GroupLink => ({
  key,
  left: `g-${key}`,
  right: `s-${key}`,
  settled: true,
  ...given,
});

export const SIDE_PAIRS: readonly (readonly [Side, Side])[] = [
  ['left', 'right'],
  ['right', 'left'],
];
