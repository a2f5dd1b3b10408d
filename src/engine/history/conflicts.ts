import type { DecidingLink } from './writes.ts';
import { type Contact, scalarsOf, textIn, type SyncedField } from '../../core/contact/contact.ts';
import { type Half, halfKey } from '../../core/contact/half.ts';
import { idsIn } from '../../core/contact/pair.ts';
import { bySide, otherSide, SIDES, type Side, type Sides } from '../../core/contact/side.ts';
import { isOpen } from '../../core/reconcile/recorded-conflicts.ts';
import { decidedBy, type ConflictTerms } from '../../core/reconcile/conflict-policy.ts';
import { forField, mayWrite } from '../../core/reconcile/policy.ts';
import type { ConflictRow, StoreChange } from '../../core/state/rows.ts';
import { nameOf } from '../../core/view/values.ts';
import type { ConflictView } from '../../core/view/views.ts';
import { underLease } from '../change-link.ts';
import type { LeaseParts } from '../lease.ts';
import { loadHalves } from '../workload.ts';
import type { Store } from '../../store/store.ts';

/** The contacts of the conflicts in the store, by side and id. */
const halvesOf = async (
  store: Store,
  link: string,
  rows: readonly Pick<ConflictRow, 'leftId' | 'rightId'>[],
): Promise<ReadonlyMap<string, Half>> =>
  new Map((await loadHalves(store, link, idsIn(rows))).map((half) => [halfKey(half), half]));

/** The writes of the winners, by run, contact and field. Each has both contacts as they were before. */
const decidingWrites = async (store: Store, link: string, rows: readonly ConflictRow[]) => {
  const ids = [...new Set(rows.filter(({ winner }) => winner !== null).map(({ leftId }) => leftId))];
  const writes = ids.length === 0 ? [] : await store.journal(link, { ids, pairIds: [] });
  const updates = writes.flatMap((write) => (write.kind === 'update' ? [write] : []));
  return new Map(updates.flatMap((each) => each.fields.map((field) => [`${each.run} ${each.leftId} ${field}`, each])));
};

/** When each side had changed the contact of a conflict: before the write of the winner, or now if no rule decided. */
const changedAt = (
  { run, leftId, field, winner }: ConflictRow,
  halves: Sides<Half | undefined>,
  writes: Awaited<ReturnType<typeof decidingWrites>>,
): Sides<number | null> => {
  if (winner === null) return bySide((side) => halves[side]?.editedAtMs ?? null);
  const write = writes.get(`${run} ${leftId} ${field}`);
  return bySide((side) => (side === write?.side ? write.before : write?.source)?.modifiedAtMs ?? null);
};

/** Returns whether the link writes the value of that side to the other side. */
export const isTakable = (field: SyncedField, side: Side, terms: ConflictTerms): boolean =>
  mayWrite(forField(terms, field), otherSide(side));

/** The sides whose values may be chosen: a value that does not win now, if the link writes it to the other side. */
const choicesOf = ({ field, winner, decided, endedAtMs }: ConflictRow, terms: ConflictTerms): readonly Side[] =>
  endedAtMs === null ? SIDES.filter((side) => side !== (decided ?? winner) && isTakable(field, side, terms)) : [];

/** Returns the conflicts of a link, the oldest first: all, or those that have not ended. */
export const listConflicts = async (
  store: Store,
  link: string,
  terms: ConflictTerms,
  { all }: { readonly all: boolean },
): Promise<readonly ConflictView[]> => {
  const rows = await store.conflicts(link, { all });
  const halves = await halvesOf(store, link, rows);
  const writes = await decidingWrites(store, link, rows);
  return rows.map((row): ConflictView => {
    const { id, run, leftId, rightId, field, left, right, winner, decided, atMs, endedAtMs } = row;
    const own = { left: halves.get(`left ${leftId}`), right: halves.get(`right ${rightId}`) };
    // The halves of deleted contacts are removed before their conflicts.
    const before = writes.get(`${run} ${leftId} ${field}`)?.before.contact;
    const contacts = [
      ...SIDES.flatMap((side) => own[side]?.record.contact ?? []),
      ...(before === undefined ? [] : [before]),
    ];
    const [name = null] = contacts.flatMap((contact) => nameOf(contact) ?? []);
    const state = endedAtMs === null && isOpen(row) ? 'open' : 'settled';
    const values = { field, left, right, winner: decided ?? winner, changedAtMs: changedAt(row, own, writes) };
    const by = decidedBy(row, terms, values.changedAtMs);
    return { id, run, leftId, rightId, ...values, atMs, name, state, by, choices: choicesOf(row, terms) };
  });
};

/** The conflicts that were decided, and how many of their values the next run writes. */
type Decided = { readonly ids: readonly number[]; readonly writes: number };

/**
 * Stores a user's decision about conflicts of a link: the value of the side `from` wins, and the next run writes it. Decides no
 * conflict that has ended, or whose value the link does not write to the other side.
 *
 * @throws {LeaseError} if a run is in progress.
 */
export const decideConflicts = async (
  parts: LeaseParts,
  { name: link, ...terms }: DecidingLink,
  ids: readonly number[],
  from: Side,
): Promise<Decided> =>
  underLease(parts, link, async (token) => {
    const rows = (await parts.store.conflicts(link, { all: false })).filter(
      ({ id, field }) => ids.includes(id) && isTakable(field, from, terms),
    );
    const changes = rows.map(({ leftId, field, winner, decided }) => {
      // An earlier decision may be written to one side only: then the value of the winner is written again.
      const isUnchanged = winner === from && decided === null;
      return { kind: 'decide-conflict', leftId, field, decided: isUnchanged ? null : from } as const;
    });
    await parts.store.commit(link, token, changes);
    return { ids: rows.map(({ id }) => id), writes: changes.filter(({ decided }) => decided !== null).length };
  });

/** A decision about conflicts of a plan in these fields of two contacts: the values of the side `from` win. */
export type PlannedChoice = {
  readonly leftId: string;
  readonly rightId: string;
  readonly fields: readonly SyncedField[];
  readonly from: Side;
  /** The two contacts as the plan read them, which no run may have stored yet; left out of a plan that does not keep them. */
  readonly contacts?: Sides<Contact>;
};

/**
 * Stores a user's decisions about conflicts of a plan before a run records them: the next plan writes the chosen values. `run` is
 * the run that halted with the plan. Ignores values that the link does not write, and contacts that are not stored. Returns the
 * number of decided conflicts.
 *
 * @throws {LeaseError} if a run is in progress.
 */
export const decidePlanned = async (
  parts: LeaseParts,
  { name: link, ...terms }: DecidingLink,
  run: string,
  choices: readonly PlannedChoice[],
): Promise<number> =>
  underLease(parts, link, async (token) => {
    const { clock, store } = parts;
    const atMs = clock.now();
    const rows = await store.conflicts(link, { all: false });
    const halves = await halvesOf(store, link, choices);
    const decided = choices.flatMap(({ leftId, rightId, fields, from, contacts }) => {
      const left = contacts?.left ?? halves.get(`left ${leftId}`)?.record.contact;
      const right = contacts?.right ?? halves.get(`right ${rightId}`)?.record.contact;
      if (left === undefined || right === undefined) return [];
      return scalarsOf(fields).flatMap((field): readonly (readonly StoreChange[])[] => {
        const texts = { left: textIn(left, field), right: textIn(right, field) };
        if (texts.left === texts.right || !isTakable(field, from, terms)) return [];
        const own = rows.filter((row) => row.leftId === leftId && row.field === field);
        const isRecorded = own.some((row) => row.left === texts.left && row.right === texts.right);
        const record: readonly StoreChange[] = [
          { kind: 'end-conflicts', leftId, fields: [field], atMs },
          { kind: 'conflict', run, leftId, rightId, conflict: { field, ...texts, winner: null }, atMs },
        ];
        return [[...(isRecorded ? [] : record), { kind: 'decide-conflict', leftId, field, decided: from }]];
      });
    });
    await store.commit(link, token, decided.flat());
    return decided.length;
  });
