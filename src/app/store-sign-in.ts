import type { LinkState } from '../core/state/rows.ts';
import { endpointOf, placeOf } from './config/accounts.ts';
import type { LinkConfig } from './config/link-config.ts';
import { otherSide, type Side } from '../core/contact/side.ts';
import type { Clock } from '../util/clock.ts';
import { accountWords, type Account } from '../providers/account.ts';
import { providerNamed } from '../providers/registry.ts';
import { SignInError, type Grant } from '../providers/sign-in.ts';
import { underLease } from '../engine/change-link.ts';
import { LeaseError } from '../engine/errors.ts';
import { nextLinkState } from '../core/state/link.ts';
import type { App } from './app.ts';

/** A sign-in at one side of a link, and the functions that print about it. */
export type SignInStep = {
  readonly app: Pick<App, 'store' | 'vault' | 'lease' | 'inspect'>;
  readonly link: LinkConfig;
  readonly side: Side;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly replaceAccount: boolean;
  /** The way to replace the account of the side, within a sentence. */
  readonly replaceHint: string;
  readonly print: (text: string) => void;
  readonly warn: (text: string) => void;
};

/** The account of a side of the link; null if no run has read it yet. */
const knownAccount = async ({ app, link }: SignInStep, side: Side): Promise<string | null> =>
  (await app.store.links()).find(({ name }) => name === link.name)?.accounts[side] ?? null;

/** Throws {@link SignInError} if the account is already that of the other side. */
const refuseOtherSide = async (step: SignInStep, account: Account): Promise<void> => {
  const { app, link, side } = step;
  const other = otherSide(side);
  // Only accounts of one remote have comparable ids.
  if (account.id === null || endpointOf(link.sides.left) !== endpointOf(link.sides.right)) return;
  const stored = await app.vault.read(link.name, link.sides[other].name).catch(() => null);
  const taken = stored?.account ?? (await knownAccount(step, other));
  if (taken !== account.id) return;
  throw new SignInError(
    `${accountWords(account)} is the account at ${link.sides[other].place} of the link ${link.name} already. ` +
      'Nothing was stored. Sign in with the account that is to be kept the same as that one.',
    'account',
  );
};

/** Whether the link had another account. Throws {@link SignInError} if it may not be replaced. */
const replacesAccount = async (step: SignInStep, account: Account): Promise<boolean> => {
  const { link, side, replaceHint } = step;
  const known = await knownAccount(step, side);
  if (known === null || account.id === null || known === account.id) return false;
  if (step.replaceAccount) return true;
  throw new SignInError(
    `${accountWords(account)} is not the account at ${link.sides[side].place} that the link ${link.name} was made with ` +
      `(${known}). Nothing was stored. Sign in with that account, give this one a link of its own, or ${replaceHint}: ` +
      'the link then forgets which contacts are pairs, and its next run matches both address books ' +
      'again and deletes nothing.',
    'account',
  );
};

/** The state of a link after a sign-in, which ends a pause. */
const afterSignIn = (
  { state }: LinkState,
  event: 'connected' | 'replaced',
): { readonly state: LinkState['state']; readonly reason: string | null } => ({
  state: nextLinkState(state, event),
  reason: state === 'paused' ? 'It was paused. A new sign-in is stored; the next run resumes it.' : null,
});

const printResumed = ({ print, link }: SignInStep, { state }: LinkState): void => {
  if (state === 'paused') print(`The link ${link.name} was paused; it is active again.`);
};

/**
 * Replaces the account of a side while no run is in progress. The token is stored first: otherwise a failure would delete the
 * mapping of the old account without a usable new one. Throws {@link LeaseError} if a run is in progress.
 */
const replaceAccount = async (step: SignInStep, account: string, storeToken: () => Promise<void>): Promise<void> => {
  const { app, link, side, print } = step;
  const before = await underLease(app.lease, link.name, async (token) => {
    await storeToken();
    const row = await app.store.link(link.name);
    const accounts = { ...row.accounts, [side]: account };
    await app.store.commit(link.name, token, [
      { kind: 'forget-mapping' },
      { kind: 'link', patch: { accounts, ...afterSignIn(row, 'replaced') } },
    ]);
    return row;
  });
  print(`The link ${link.name} has another account now: its next run matches both address books again.`);
  printResumed(step, before);
};

/**
 * Stores the token. The pause of a link ends in the same step: a daemon that sees the new token could otherwise start a run
 * in between. If a run is in progress nevertheless, the token is stored before the error is thrown.
 *
 * @throws {LeaseError} if another process syncs the paused link.
 */
const keepAccount = async (step: SignInStep, storeToken: () => Promise<void>): Promise<void> => {
  const { app, link } = step;
  const before = await app.store.link(link.name);
  if (before.state !== 'paused') return storeToken();
  let isStored = false;
  const storeOnce = async (): Promise<void> => {
    if (!isStored) await storeToken();
    isStored = true;
  };
  try {
    await underLease(app.lease, link.name, async (token) => {
      await storeOnce();
      const patch = afterSignIn(await app.store.link(link.name), 'connected');
      await app.store.commit(link.name, token, [{ kind: 'link', patch }]);
    });
  } catch (error) {
    if (error instanceof LeaseError) await storeOnce();
    throw error;
  }
  printResumed(step, before);
};

const store = async (step: SignInStep, grant: Grant, account: Account): Promise<void> => {
  const { print, app, link, side, clock } = step;
  const { name } = link.sides[side];
  const { token, scopes } = grant;
  const { id, email } = account;
  await app.vault.save(link.name, name, { token, scopes, account: id, email, storedAtMs: clock.now() });
  const { place, seals } = app.vault;
  print(`Stored in ${place}, ${seals ? 'encrypted' : 'not encrypted (CREDENTIALS_KEY is not set)'}.`);
};

/** Warns if the configuration has a token, because it is used instead of the stored one. */
const warnOfOwnToken = ({ warn, link, side }: SignInStep): void => {
  const { token, provider } = link.sides[side];
  if (token === null) return;
  const place = placeOf(link, side, providerNamed(provider).tokenKey);
  warn(`The configuration sets ${place}, which is used instead of the stored token. Remove it there.`);
};

/**
 * Checks whose account was granted, and stores the token for the side. A link that was paused runs again. Nothing is stored
 * if an error is thrown, except by a {@link LeaseError}.
 *
 * @throws {SignInError} if it is another account, or the account of the other side.
 * @throws {RemoteError} if the remote does not answer.
 * @throws {LeaseError} if another process syncs the link.
 */
export const storeSignIn = async (step: SignInStep, grant: Grant): Promise<void> => {
  const { print, app, link, side, signal } = step;
  const { account } = await app.inspect(link, side, grant.token, signal);
  print(`Signed in at ${link.sides[side].place} as ${accountWords(account)}.`);
  await refuseOtherSide(step, account);
  const isReplacement = await replacesAccount(step, account);
  if (grant.scopes !== null) print(`Granted at ${link.sides[side].place}: ${grant.scopes.join(', ')}`);
  const storeToken = () => store(step, grant, account);
  if (isReplacement && account.id !== null) await replaceAccount(step, account.id, storeToken);
  else await keepAccount(step, storeToken);
  warnOfOwnToken(step);
};
