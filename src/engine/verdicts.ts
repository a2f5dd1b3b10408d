import { nameOf } from '../core/view/values.ts';
import { halfKey, isPresent } from '../core/contact/half.ts';
import { idAt, idsIn } from '../core/contact/pair.ts';
import { bySide, otherSide, SIDES, type Side, type Sides } from '../core/contact/side.ts';
import { effectOf, type Verdict } from '../core/reconcile/verdict.ts';
import type { Store } from '../store/store.ts';
import { underLease } from './change-link.ts';
import type { Session } from './session.ts';
import type { LeaseParts } from './lease.ts';
import { loadHalves } from './workload.ts';

/** The ids of two contacts, in the order of `plan`. */
type TwoContacts = Pick<Verdict, 'leftId' | 'rightId'>;

/** The stored halves of two contacts; null for a contact that is not stored. */
type StoredContacts = Parameters<typeof effectOf>[1];

/** The reason why a verdict cannot be stored with the remedy (`said`), and the commands for it. */
type Refusal = { readonly said: string; readonly commands?: string };

/** A verdict cannot be stored. The message has the reason and the remedy, for a terminal. */
export class VerdictError extends Error {
  override readonly name = 'VerdictError';
  /** The message without the commands of a terminal. */
  readonly said: string;

  constructor({ said, commands }: Refusal) {
    super(commands === undefined ? said : `${said} ${commands}`);
    this.said = said;
  }
}

/** Returns a lookup of the stored halves of two contacts. */
const readContacts = async (
  store: Store,
  link: string,
  all: readonly TwoContacts[],
): Promise<(contacts: TwoContacts) => StoredContacts> => {
  const halves = await loadHalves(store, link, idsIn(all));
  const ids = [...new Set(halves.flatMap(({ pair }) => pair ?? []))];
  const linked = new Set<number | null>(
    (await store.pairs(link, ids)).flatMap(({ id, status }) => (status === 'linked' ? [id] : [])),
  );
  const known = new Map(halves.map((half) => [`${half.side} ${half.id}`, { half, isLinked: linked.has(half.pair) }]));
  return (contacts) => bySide((side) => known.get(`${side} ${idAt(contacts, side)}`) ?? null);
};

/** The verdicts of a link: those that apply to a plan, and those that are over. */
type SortedVerdicts = { readonly binding: readonly Verdict[]; readonly over: readonly Verdict[] };

/** Returns the verdicts. One is over if its contacts are paired, or if one of them is deleted or has another id. */
export const sortVerdicts = async ({ link, state, store }: Session): Promise<SortedVerdicts> => {
  const { verdicts } = state();
  if (verdicts.length === 0) return { binding: [], over: [] };
  const contactsOf = await readContacts(store, link, verdicts);
  const isBinding = (verdict: Verdict): boolean => effectOf(verdict, contactsOf(verdict)) === 'binds';
  return { binding: verdicts.filter(isBinding), over: verdicts.filter((verdict) => !isBinding(verdict)) };
};

/** Returns the reason why a verdict cannot be stored; null if it can. */
const refusalOf = (asked: Verdict, contacts: StoredContacts, others: readonly Verdict[]): Refusal | null => {
  const [left, right] = [asked.leftId, asked.rightId];
  const effect = effectOf(asked, contacts);
  if (effect === 'paired') {
    if (asked.says === 'together') return { said: `${left} and ${right} are paired already.` };
    return {
      said:
        `${left} and ${right} are paired already, and a pair cannot be split: each contact would be created again on the other side. ` +
        'Undo what a run wrote to them, then create a separate contact for the other person on one side.',
      commands: `\`contact-sync explain ${left}\` names the run, \`contact-sync undo RUN\` undoes it.`,
    };
  }
  if (effect === 'linked elsewhere') {
    const linked = SIDES.filter((side) => contacts[side]?.isLinked).map((side) => idAt(asked, side));
    const which =
      linked.length === 1 ? `${linked[0]} is paired with another contact` : 'Each of them is paired already';
    return { said: `${which}. Merge the two contacts of the person on one side: the other side follows.` };
  }
  // A contact that is not stored may be new: the next run reads it, or drops the verdict.
  const deleted = SIDES.find((side) => contacts[side]?.half.state === 'gone');
  if (deleted !== undefined) return { said: `${idAt(asked, deleted)} is deleted.` };
  const competing = others.find(
    (each) =>
      asked.says === 'together' && each.says === 'together' && (each.leftId === left) !== (each.rightId === right),
  );
  if (competing === undefined) return null;
  const { leftId, rightId } = competing;
  return {
    said: `${leftId} and ${rightId} are to be paired. Remove that decision first.`,
    commands: `contact-sync pair --forget ${leftId} ${rightId}`,
  };
};

/** Returns the sides on which a contact is not stored: it may be new, or the id may be wrong. */
export const unstoredSides = async (store: Store, link: string, contacts: TwoContacts): Promise<readonly Side[]> => {
  const stored = (await readContacts(store, link, [contacts]))(contacts);
  return SIDES.filter((side) => stored[side] === null);
};

/** @throws {VerdictError} if an id belongs to a contact of the other side. */
const checkSides = async (store: Store, link: string, contacts: TwoContacts): Promise<void> => {
  for (const side of SIDES) {
    const id = idAt(contacts, side);
    const [half] = await store.halves(link, { by: 'id', side: otherSide(side), ids: [id] });
    const [own] = await store.halves(link, { by: 'id', side, ids: [id] });
    if (half !== undefined && own === undefined) {
      throw new VerdictError({
        said: `${id} is a contact of the other side. Name the two in the order in which plan does.`,
      });
    }
  }
};

/**
 * Stores a user's verdict on two contacts: the next run pairs them, or no run ever does (R13).
 *
 * @throws {VerdictError} if it cannot be applied: they are paired, or one of them is linked with another contact, deleted, or
 * about to be paired with another contact.
 * @throws {LeaseError} if a run is in progress.
 */
export const giveVerdict = (
  parts: LeaseParts,
  link: string,
  { leftId, rightId, says }: Pick<Verdict, 'leftId' | 'rightId' | 'says'>,
): Promise<void> =>
  underLease(parts, link, async (token) => {
    const { clock, store } = parts;
    const verdict: Verdict = { leftId, rightId, says, atMs: clock.now() };
    await checkSides(store, link, verdict);
    const contacts = (await readContacts(store, link, [verdict]))(verdict);
    const refusal = refusalOf(verdict, contacts, (await store.link(link)).verdicts);
    if (refusal !== null) throw new VerdictError(refusal);
    await store.commit(link, token, [{ kind: 'put', table: 'verdicts', row: verdict }]);
  });

/**
 * Removes the verdict on two contacts.
 *
 * @throws {VerdictError} if no verdict on them is stored.
 * @throws {LeaseError} if a run is in progress.
 */
export const takeBackVerdict = (parts: LeaseParts, link: string, { leftId, rightId }: TwoContacts): Promise<void> =>
  underLease(parts, link, async (token) => {
    const { verdicts } = await parts.store.link(link);
    const isKept = verdicts.some((each) => each.leftId === leftId && each.rightId === rightId);
    if (!isKept) throw new VerdictError({ said: `There is no decision about ${leftId} and ${rightId} to remove.` });
    await parts.store.commit(link, token, [{ kind: 'drop', table: 'verdicts', where: { leftId, rightId } }]);
  });

/** A user's decision about two contacts, with their names; null for a contact that no run has read. */
export type VerdictView = Verdict & { readonly names: Sides<string | null> };

/** Returns the decisions of users about contacts that are not paired, the newest first (R13). */
export const listVerdicts = async (store: Store, link: string): Promise<readonly VerdictView[]> => {
  const { verdicts } = await store.link(link);
  if (verdicts.length === 0) return [];
  const present = (await loadHalves(store, link, idsIn(verdicts))).filter(isPresent);
  const names = new Map(present.map((half) => [halfKey(half), nameOf(half.record.contact)]));
  const nameIn = (verdict: Verdict) => bySide((side) => names.get(halfKey({ side, id: idAt(verdict, side) })) ?? null);
  return verdicts.map((verdict) => ({ ...verdict, names: nameIn(verdict) })).toSorted((a, b) => b.atMs - a.atMs);
};
