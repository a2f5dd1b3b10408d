import {
  LIST_FIELDS,
  otherSide,
  SCALAR_FIELDS,
  type Contact,
  type ContactField,
  type ListField,
  type ScalarField,
  type Side,
  type SyncedField,
} from '../contact/contact.ts';
import type { ListElement } from '../contact/keys.ts';
import { keyLists, listOf, withList, type KeyedList } from '../contact/lists.ts';
import type { Conflict } from './decision.ts';
import { mayWrite, type Policy } from './policy.ts';
import { aliasLeftovers } from './similar.ts';

/** One side of a merge: its contact now and, where the contacts have met before, its own base (R2). */
export type MergeSide = {
  readonly contact: Contact;
  readonly base: Contact | null;
  readonly modifiedAtMs: number | null;
};

export type Merge = {
  /** What each side should hold; equal to what it holds where `fields` is empty. */
  readonly desired: { readonly google: Contact; readonly service: Contact };
  readonly fields: { readonly google: readonly ContactField[]; readonly service: readonly ContactField[] };
  readonly held: { readonly google: readonly SyncedField[]; readonly service: readonly SyncedField[] };
  readonly conflicts: readonly Conflict[];
};

type Sides<T> = { readonly google: T; readonly service: T };

/** The side whose value stands when both changed the same field (R4). */
export const conflictWinner = (policy: Policy, sides: Sides<{ modifiedAtMs: number | null }>): Side => {
  if (policy.direction === 'to-google') return 'service';
  if (policy.direction === 'to-service') return 'google';
  if (policy.conflicts !== 'newest') return policy.conflicts;
  const { google, service } = { google: sides.google.modifiedAtMs, service: sides.service.modifiedAtMs };
  return google !== null && service !== null && service > google ? 'service' : 'google';
};

type ScalarOutcome =
  | { readonly kind: 'quiet' }
  | { readonly kind: 'travel'; readonly from: Side }
  | { readonly kind: 'conflict' };

/** What becomes of one scalar field (R3, R4, R5; at a first meeting a filled field beats an empty one, R13). */
export const mergeScalar = (field: ScalarField, google: MergeSide, service: MergeSide): ScalarOutcome => {
  const values = { google: google.contact[field], service: service.contact[field] };
  if (google.base === null || service.base === null) {
    if (values.google === values.service) return { kind: 'quiet' };
    if (values.google === '') return { kind: 'travel', from: 'service' };
    return values.service === '' ? { kind: 'travel', from: 'google' } : { kind: 'conflict' };
  }
  const googleChanged = values.google !== google.base[field];
  const serviceChanged = values.service !== service.base[field];
  if ((!googleChanged && !serviceChanged) || values.google === values.service) return { kind: 'quiet' };
  if (googleChanged && serviceChanged) return { kind: 'conflict' };
  return { kind: 'travel', from: googleChanged ? 'google' : 'service' };
};

/** What one list field of one side gains and loses through the other side's changes. */
export type ListDelta = { readonly add: readonly ListElement[]; readonly remove: readonly string[] };

type ListMerge = { readonly google: ListDelta; readonly service: ListDelta; readonly keyed: Sides<KeyedList> };

/**
 * Merges a list element by element (R3). An element added on one side is added on the other; one removed on one side is
 * removed on the other, unless that side added it anew. Labels, spelling and order of a side that holds the element stay.
 */
export const mergeList = (field: ListField, google: MergeSide, service: MergeSide): ListMerge => {
  const elements = (contact: Contact | null) => (contact === null ? [] : listOf(contact, field));
  const keyed = keyLists(field, {
    google: elements(google.contact),
    service: elements(service.contact),
    googleBase: elements(google.base),
    serviceBase: elements(service.base),
  });
  const { google: g, service: s, googleBase: gBase, serviceBase: sBase } = aliasLeftovers(keyed);
  const met = google.base !== null && service.base !== null;
  const gains = (from: KeyedList, fromBase: KeyedList, to: KeyedList): ListElement[] => {
    return [...from].filter(([key]) => (!met || !fromBase.has(key)) && !to.has(key)).map(([, element]) => element);
  };
  const losses = (from: KeyedList, fromBase: KeyedList, to: KeyedList, toBase: KeyedList): string[] => {
    if (!met) return [];
    return [...fromBase.keys()].filter((key) => !from.has(key) && to.has(key) && toBase.has(key));
  };
  return {
    google: { add: gains(s, sBase, g), remove: losses(s, sBase, g, gBase) },
    service: { add: gains(g, gBase, s), remove: losses(g, gBase, s, sBase) },
    keyed: { google: g, service: s },
  };
};

const applyDelta = (keyed: KeyedList, delta: ListDelta): ListElement[] => {
  const removed = new Set(delta.remove);
  return [...[...keyed].filter(([key]) => !removed.has(key)).map(([, element]) => element), ...delta.add];
};

const isEmptyDelta = (delta: ListDelta): boolean => delta.add.length === 0 && delta.remove.length === 0;

type Draft = {
  readonly desired: Record<Side, Contact>;
  readonly fields: Record<Side, ContactField[]>;
  readonly held: Record<Side, SyncedField[]>;
  readonly conflicts: Conflict[];
};

const mergeScalarInto = (draft: Draft, field: ScalarField, sides: Sides<MergeSide>, policy: Policy): void => {
  const outcome = mergeScalar(field, sides.google, sides.service);
  if (outcome.kind === 'quiet') return;
  const from = outcome.kind === 'travel' ? outcome.from : conflictWinner(policy, sides);
  const to = otherSide(from);
  if (!mayWrite(policy, to)) {
    draft.held[from].push(field);
    return;
  }
  if (outcome.kind === 'conflict') {
    const { google, service } = sides;
    draft.conflicts.push({ field, google: google.contact[field], service: service.contact[field], winner: from });
  }
  draft.fields[to].push(field);
  draft.desired[to] = { ...draft.desired[to], [field]: sides[from].contact[field] };
};

const mergeListInto = (draft: Draft, field: ListField, sides: Sides<MergeSide>, policy: Policy): void => {
  const merged = mergeList(field, sides.google, sides.service);
  for (const to of ['google', 'service'] as const) {
    if (isEmptyDelta(merged[to])) continue;
    if (!mayWrite(policy, to)) {
      draft.held[otherSide(to)].push(field);
      continue;
    }
    draft.fields[to].push(field);
    draft.desired[to] = withList(draft.desired[to], field, applyDelta(merged.keyed[to], merged[to]));
  }
};

/** Merges two versions of one person field by field, each side measured against its own base. Pure. */
export const mergeContacts = (google: MergeSide, service: MergeSide, policy: Policy): Merge => {
  const draft: Draft = {
    desired: { google: google.contact, service: service.contact },
    fields: { google: [], service: [] },
    held: { google: [], service: [] },
    conflicts: [],
  };
  for (const field of SCALAR_FIELDS) mergeScalarInto(draft, field, { google, service }, policy);
  for (const field of LIST_FIELDS) mergeListInto(draft, field, { google, service }, policy);
  return draft;
};
