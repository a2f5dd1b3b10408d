import { bySide, SIDES, type Side } from '../contact/side.ts';
import { accountChanged } from '../reconcile/guard.ts';
import { HaltError, onBothSides, type Session } from './context.ts';

/**
 * Checks that each credential still opens the account that the link was made with (R8): in a full run, and where the
 * credential is not the one of the last run.
 *
 * @throws {HaltError} where it opens another one.
 */
export const checkAccounts = async (session: Session): Promise<void> => {
  const { store, link, credentials, remotes, signal, sides, writer } = session;
  const row = await store.link(link);
  const isDue = (side: Side): boolean => session.kind === 'full' || row.credentials[side] !== credentials[side];
  const found = await onBothSides((side) => {
    return isDue(side) ? remotes[side].identify(signal) : Promise.resolve(row.accounts[side]);
  });
  for (const side of SIDES) {
    const [known, now] = [row.accounts[side], found[side]];
    if (known !== null && now !== null && known !== now) {
      throw new HaltError(accountChanged(side, sides[side].place, `it was ${known}, it is ${now}`));
    }
  }
  if (!SIDES.some(isDue)) return;
  const accounts = bySide((side) => found[side] ?? row.accounts[side]);
  await writer.apply({}, (set) => set.add({ kind: 'link', patch: { accounts, credentials } }));
};
