import { hash } from 'node:crypto';
import { sameAccounts } from '../reconcile/guard.ts';
import type { LinkState, Store } from '../store/store.ts';
import { HaltError, type Session } from './context.ts';
import { originScopes } from './origin-scope.ts';

/** Names the accounts of a link in either order; null until both are known. */
const accountsKeyOf = async (session: Session, { accounts }: LinkState): Promise<string | null> => {
  if (accounts.left === null || accounts.right === null) return null;
  const { left, right } = await originScopes(session);
  return hash('sha256', [left, right].toSorted().join(' '), 'base64url');
};

const hasPairs = async (store: Store, link: string): Promise<boolean> => (await store.counts(link)).pairs > 0;

/**
 * Whether the other link goes first: the only one of the two with linked contacts, else the first by name. A link that runs
 * now goes first too, whatever its name: it may have started before this one stored its accounts.
 */
const goesFirst = async ({ link, store }: Session, other: string): Promise<boolean> => {
  if ((await store.leaseOwner(other)) !== null) return true;
  const [own, others] = [await hasPairs(store, link), await hasPairs(store, other)];
  return own === others ? other < link : others;
};

/**
 * Halts a link whose two accounts another link connects already: two first syncs would create each contact twice (R9). Each
 * link stores its accounts before it looks for others, so that of two links that start together at most one continues.
 * Checked where the sides were asked for their accounts in this run (`isAsked`) until the link has linked contacts, after a
 * halt, and when an account changes.
 *
 * @throws {HaltError} where another link of the store goes first.
 */
export const checkSameAccounts = async (
  session: Session,
  { isAsked }: { readonly isAsked: boolean },
): Promise<void> => {
  const { link, store, writer } = session;
  const state = await store.link(link);
  if (!isAsked && state.state !== 'halted') return;
  const accountsKey = await accountsKeyOf(session, state);
  const isNew = accountsKey !== state.accountsKey;
  if (isNew) await writer.apply({}, (set) => set.add({ kind: 'link', patch: { accountsKey } }));
  if (accountsKey === null) return;
  if (!isNew && state.state !== 'halted' && (await hasPairs(store, link))) return;
  const others = (await store.links()).filter((each) => each.name !== link && each.accountsKey === accountsKey);
  for (const { name } of others) if (await goesFirst(session, name)) throw new HaltError(sameAccounts(link, name));
};
