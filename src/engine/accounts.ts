import { hash } from 'node:crypto';
import { bySide, otherSide, SIDES, type Side, type Sides } from '../core/contact/side.ts';
import { accountChanged, bothSidesOneAccount, sameAccounts } from '../core/reconcile/guard.ts';
import type { LinkState } from '../core/state/rows.ts';
import { onBothSides, type Session } from './session.ts';
import { HaltError } from './errors.ts';
import { discard } from './discard.ts';
import type { Remote } from '../providers/remote.ts';
import type { Store } from '../store/store.ts';

type Identified = Pick<LinkState, 'accounts' | 'credentials'>;

/** Returns the account of each side that is asked; null for any other side, and for a side that does not report its account. */
const accountsOf = ({ identify }: Session, isAsked: (side: Side) => boolean): Promise<Sides<string | null>> =>
  onBothSides(async (side) => (isAsked(side) ? identify(side) : null));

/** Returns a side that is another account than the known one, with the halt for it; null if all accounts are the known ones. */
const findOther = ({ sides }: Session, known: Sides<string | null>, found: Sides<string | null>) => {
  const side = SIDES.find((each) => known[each] !== null && found[each] !== null && known[each] !== found[each]);
  if (side === undefined) return null;
  return { side, halt: accountChanged(side, sides[side].place, `it was ${known[side]}, it is ${found[side]}`) };
};

/** Returns whether both sides are one account. Ids are unique within an endpoint; an id that is an address is unique everywhere. */
const isOneAccount = ({ endpoints }: Session, { left, right }: Sides<string | null>): boolean =>
  left !== null && left === right && (endpoints.left === endpoints.right || URL.canParse(left));

/**
 * Checks that each credential still opens the account that the link was made with (R8): in a full run, and if the
 * credential is not the one of the last run. Returns the accounts and credentials to store; null if no side was asked.
 *
 * @throws {HaltError} if a credential opens another account, or if both sides are one account.
 */
export const checkAccounts = async (session: Session): Promise<Identified | null> => {
  const { credentials } = session;
  const row = session.state();
  const isDue = (side: Side): boolean => session.kind === 'full' || row.credentials[side] !== credentials[side];
  const found = await accountsOf(session, isDue);
  const other = findOther(session, row.accounts, found);
  if (other !== null) throw new HaltError(other.halt);
  if (!SIDES.some(isDue)) return null;
  const accounts = bySide((side) => found[side] ?? row.accounts[side]);
  if (isOneAccount(session, accounts)) throw new HaltError(bothSidesOneAccount(session.link, accounts.left ?? ''));
  return { accounts, credentials };
};

/**
 * Checks the account of each side before anything is written (R8): a credential may open another account than before. If a side is
 * another account, the next run lists it again.
 *
 * @throws {HaltError} if an account is not the one that the link was made with.
 */
export const confirmAccounts = async (session: Session, asked: readonly Side[] = SIDES): Promise<void> => {
  const { accounts } = session.state();
  const found = await accountsOf(session, (side) => asked.includes(side));
  const other = findOther(session, accounts, found);
  if (other === null) return;
  await discard(session, other.side);
  throw new HaltError(other.halt);
};

/** Returns a key for the two accounts of a link, in either order; null until both are known. */
const accountsKeyOf = (session: Session, { accounts }: LinkState): string | null => {
  if (accounts.left === null || accounts.right === null) return null;
  const { left, right } = originScopes(session);
  return hash('sha256', [left, right].toSorted().join(' '), 'base64url');
};

const hasPairs = async (store: Store, link: string): Promise<boolean> => (await store.counts(link)).pairs > 0;

/**
 * Whether the other link has priority: the only one of the two with linked contacts, else the first by name. A link that is
 * running has priority too: it may have started before this one stored its accounts.
 */
const hasPriority = async ({ link, store }: Session, other: string): Promise<boolean> => {
  if ((await store.leaseOwner(other)) !== null) return true;
  const [own, others] = [await hasPairs(store, link), await hasPairs(store, other)];
  return own === others ? other < link : others;
};

/**
 * Halts a link if another link connects the same two accounts: two first syncs would create each contact twice (R9). Each link
 * stores its accounts before it looks for others, so that at most one of two links that start together continues. Checked if
 * this run identified the sides (`isAsked`) until the link has linked contacts, after a halt, and when an account changes.
 *
 * @throws {HaltError} if another link of the store has priority.
 */
export const claimAccounts = async (session: Session, { isAsked }: { readonly isAsked: boolean }): Promise<void> => {
  const { link, store, writer } = session;
  const state = session.state();
  if (!isAsked && state.state !== 'halted') return;
  const accountsKey = accountsKeyOf(session, state);
  const isNew = accountsKey !== state.accountsKey;
  if (isNew) await writer.apply({}, (set) => set.add({ kind: 'link', patch: { accountsKey } }));
  if (accountsKey === null) return;
  if (!isNew && state.state !== 'halted' && (await hasPairs(store, link))) return;
  const others = (await store.links()).filter((each) => each.name !== link && each.accountsKey === accountsKey);
  for (const { name } of others) if (await hasPriority(session, name)) throw new HaltError(sameAccounts(link, name));
};

/** 96 bits: enough to distinguish accounts. */
const SCOPE_LENGTH = 16;

/**
 * Returns the name of each side's account in the origin ids that are written to the other side (R9): a short digest of the
 * provider, its address and the account.
 */
export const originScopes = ({ endpoints, state }: Pick<Session, 'endpoints' | 'state'>): Sides<string> => {
  const { accounts } = state();
  return bySide((side) => {
    const text = JSON.stringify([endpoints[side], accounts[side]]);
    return hash('sha256', text, 'base64url').slice(0, SCOPE_LENGTH);
  });
};

/** Each side's unpaired contacts, by the marks of the contacts that were created for them on the other side. */
type MarkedOrigins = Sides<ReadonlyMap<string, string>>;

/**
 * Returns the ids of each side's unpaired contacts by the marks that a create for them stores on the other side (R9). A remote may
 * have to find out its address first.
 */
export const markedOrigins = async (
  { remotes, signal }: { readonly remotes: Sides<Pick<Remote, 'originMarks'>>; readonly signal: AbortSignal },
  unpaired: Sides<readonly string[]>,
  scopes: Sides<string>,
): Promise<MarkedOrigins> => {
  const marked: Record<Side, ReadonlyMap<string, string>> = { left: new Map(), right: new Map() };
  if (SIDES.some((side) => unpaired[side].length === 0)) return marked;
  for (const side of SIDES) {
    const { originMarks } = remotes[otherSide(side)];
    if (originMarks !== undefined) marked[side] = await originMarks(unpaired[side], scopes[side], signal);
  }
  return marked;
};
