import { bySide, SIDES, type Side } from '../contact/side.ts';
import { accountChanged } from '../reconcile/guard.ts';
import type { LinkState } from '../store/store.ts';
import { HaltError, onBothSides, type Session } from './context.ts';
import { discard } from './discard.ts';

type Identified = Pick<LinkState, 'accounts' | 'credentials'>;

/**
 * Checks that each credential still opens the account that the link was made with (R8): in a full run, and where the
 * credential is not the one of the last run. Answers what is to be stored of them; null where nobody was asked.
 *
 * @throws {HaltError} where it opens another one.
 */
export const checkAccounts = async (session: Session): Promise<Identified | null> => {
  const { store, link, credentials, remotes, signal, sides } = session;
  const row = await store.link(link);
  const isDue = (side: Side): boolean => session.kind === 'full' || row.credentials[side] !== credentials[side];
  const found = await onBothSides(async (side) => {
    if (!isDue(side)) return row.accounts[side];
    const account = await remotes[side].identify(signal);
    session.identified.add(side);
    return account;
  });
  for (const side of SIDES) {
    const [known, now] = [row.accounts[side], found[side]];
    if (known !== null && now !== null && known !== now) {
      throw new HaltError(accountChanged(side, sides[side].place, `it was ${known}, it is ${now}`));
    }
  }
  if (!SIDES.some(isDue)) return null;
  return { accounts: bySide((side) => found[side] ?? row.accounts[side]), credentials };
};

/** Stores whose accounts the sides are, and by which credentials that was found. */
export const storeAccounts = async ({ writer }: Session, patch: Identified | null): Promise<void> => {
  if (patch !== null) await writer.apply({}, (set) => set.add({ kind: 'link', patch }));
};

/**
 * Asks each side that was not asked in this run whose account it is, before anything is written (R8): a credential may open
 * another account than it did. What was read of another account is read again by the next run.
 *
 * @throws {HaltError} where an account is not the one that the link was made with.
 */
export const confirmAccounts = async (session: Session, asked: readonly Side[] = SIDES): Promise<void> => {
  const { store, link, remotes, signal, sides } = session;
  const { accounts } = await store.link(link);
  const found = await onBothSides(async (side) => {
    if (!asked.includes(side) || session.identified.has(side)) return null;
    const account = await remotes[side].identify(signal);
    session.identified.add(side);
    return account;
  });
  for (const side of SIDES) {
    const [known, now] = [accounts[side], found[side]];
    if (known === null || now === null || known === now) continue;
    await discard(session, side);
    throw new HaltError(accountChanged(side, sides[side].place, `it was ${known}, it is ${now}`));
  }
};
