import { randomUUID } from 'node:crypto';
import type { App } from '../../app/app.ts';
import { systemClock } from '../../clock.ts';
import { placeOf } from '../../config/accounts.ts';
import type { LinkConfig } from '../../config/config.ts';
import { otherSide, SIDES, type Side } from '../../contact/side.ts';
import { accountWords, type Account } from '../../providers/account.ts';
import { RemoteError } from '../../providers/errors.ts';
import { providerNamed } from '../../providers/registry.ts';
import { SignInError, type Grant, type SignInContext, type SignInFault } from '../../providers/sign-in.ts';
import type { Credential } from '../../store/vault.ts';
import { CredentialsError, type LinkState } from '../../store/store.ts';
import { underLease } from '../../sync/change-link.ts';
import { LeaseError } from '../../sync/context.ts';
import type { LeaseParts } from '../../sync/lease.ts';
import { nextLinkState } from '../../sync/state/link.ts';
import type { PlaceOptions } from '../configuration.ts';
import { EXIT, exitCodeOf, type ExitCode } from '../exit-codes.ts';
import { askSecret, InterruptedError } from '../prompts.ts';
import { readSecretFile } from '../read-secret-file.ts';
import type { Terminal } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';
import { withApp, type Opened } from '../with-app.ts';
import { askForConsent } from './consent.ts';
import { readPipedLine } from './pasted.ts';

export type ConnectOptions = PlaceOptions & {
  /** False: the address is only printed. */
  readonly browser?: boolean;
  readonly port?: number;
  /** `-`: a v1 application's key comes on standard input. Anything else is refused. */
  readonly apiKey?: string;
  /** The file that a v1 application's key stands in. */
  readonly apiKeyFile?: string;
  /** The password, if it is known already; otherwise it is asked for. */
  readonly password?: string;
  readonly replaceAccount?: boolean;
  /** False: the next command is not printed. */
  readonly printsNext?: boolean;
};

const oneLink = (links: readonly LinkConfig[], word: string): LinkConfig => {
  const [link, ...others] = links;
  if (link !== undefined && others.length === 0) return link;
  const names = links.map(({ name }) => name).join(', ');
  throw new UsageError(`There are several links: ${names}. Say which one: contact-sync connect ${word} <LINK>`);
};

/** The side of that name, or the only one with the provider of that name. Throws {@link UsageError}. */
const sideCalled = ({ name, sides }: LinkConfig, word: string): Side => {
  const named = SIDES.find((side) => sides[side].name === word);
  if (named !== undefined) return named;
  const [played, ...others] = SIDES.filter((side) => sides[side].provider === word);
  if (played !== undefined && others.length === 0) return played;
  const names = SIDES.map((side) => sides[side].name).join(', ');
  throw new UsageError(`The link ${name} has no side named ${word}. Its sides are: ${names}.`);
};

type Step = {
  readonly terminal: Terminal;
  readonly app: App;
  readonly link: LinkConfig;
  readonly side: Side;
  readonly signal: AbortSignal;
  readonly options: ConnectOptions;
};

/** Every user of the machine can read the arguments of its processes. */
const refuseArgument = (apiKey: string): void => {
  if (apiKey === '-') return;
  throw new UsageError(
    'A key does not belong on the command line, where every user of this machine can read it. Give it on standard ' +
      'input with --api-key -, or in a file with --api-key-file FILE; and as it was shown now, have a new one made.',
  );
};

/** Reads a secret, whose name is shown at the prompt. */
const readKey = async ({ terminal, signal, options }: Step, name: string): Promise<string> => {
  if (options.apiKeyFile !== undefined) return readSecretFile('--api-key-file', options.apiKeyFile);
  refuseArgument(options.apiKey ?? '-');
  if (!process.stdin.isTTY) return readPipedLine(process.stdin, name, signal);
  return askSecret({ input: process.stdin, output: terminal.stdout }, `${name} (not shown)`).catch((cause: unknown) => {
    if (!(cause instanceof InterruptedError)) throw cause;
    throw new SignInError(`No ${name} was given. Nothing was stored.`, 'other', { cause });
  });
};

const signIn = async (step: Step): Promise<Grant> => {
  const { terminal, link, side, signal, options } = step;
  const { apiKey, apiKeyFile, port = 0, browser: opensBrowser = true } = options;
  const { provider, settings } = link.sides[side];
  const { hasPassword = false, signIn: ways, title } = providerNamed(provider);
  const context: SignInContext = { clock: systemClock, signal };
  if (hasPassword && ways.withKey !== null) {
    return ways.withKey(settings, options.password ?? (await readKey(step, 'password')), context);
  }
  if (apiKey === undefined && apiKeyFile === undefined) {
    const consent = { ...context, terminal, input: process.stdin, port, opensBrowser };
    return ways.withConsent(settings, (addressFor) => askForConsent(addressFor, consent), context);
  }
  if (ways.withKey === null) throw new UsageError(`--api-key is of no use at ${title}: it has no v1 applications.`);
  return ways.withKey(settings, await readKey(step, 'api_key'), context);
};

/** The account that a side of the link was made with, as far as it is known. */
const knownAccount = async ({ app, link }: Step, side: Side): Promise<string | null> =>
  (await app.store.links()).find(({ name }) => name === link.name)?.accounts[side] ?? null;

/** Whether both sides are accounts of one remote, so that equal ids mean one account. */
const areAtOneRemote = ({ sides: { left, right } }: LinkConfig): boolean =>
  left.provider === right.provider &&
  providerNamed(left.provider).addressKeys.every((key) => left.settings[key] === right.settings[key]);

/** Throws {@link SignInError} where the account is the other side's already: a link of an account with itself. */
const refuseOtherSide = async (step: Step, account: Account): Promise<void> => {
  const { app, link, side } = step;
  const other = otherSide(side);
  if (account.id === null || !areAtOneRemote(link)) return;
  const stored = await app.vault.read(link.name, link.sides[other].name).catch(() => null);
  const taken = stored?.account ?? (await knownAccount(step, other));
  if (taken !== account.id) return;
  throw new SignInError(
    `${accountWords(account)} is the account at ${link.sides[other].place} of the link ${link.name} already. ` +
      'Nothing was stored. Sign in with the account that is to be kept the same as that one.',
    'account',
  );
};

/** Whether the link was made with another account. Throws {@link SignInError} where that is not asked for. */
const replacesAccount = async (step: Step, account: Account): Promise<boolean> => {
  const { link, side, options } = step;
  const known = await knownAccount(step, side);
  if (known === null || account.id === null || known === account.id) return false;
  if (options.replaceAccount) return true;
  throw new SignInError(
    `${accountWords(account)} is not the account at ${link.sides[side].place} that the link ${link.name} was made with ` +
      `(${known}). Nothing was stored. Sign in with that account, give this one a link of its own, or pass ` +
      '--replace-account: the link then forgets which contacts are pairs, and its next run matches both address books ' +
      'again and deletes nothing.',
    'account',
  );
};

const leaseParts = ({ store, holders }: App): LeaseParts => ({ store, holders, clock: systemClock, newId: randomUUID });

/** The state of a link after a sign-in: a link that was paused runs again. */
const afterSignIn = (
  { state }: LinkState,
  event: 'connected' | 'replaced',
): { readonly state: LinkState['state']; readonly reason: string | null } => ({
  state: nextLinkState(state, event),
  reason: state === 'paused' ? 'It was paused. A new sign-in is stored; the next run resumes it.' : null,
});

const printResumed = ({ terminal, link }: Step, { state }: LinkState): void => {
  if (state === 'paused') terminal.print(`The link ${link.name} was paused; it is active again.`);
};

/**
 * Takes the new account while no run is under way, once its token is stored: without it the mapping of the old one would be
 * lost for nothing. Throws {@link LeaseError} where a run is under way.
 */
const replaceAccount = async (step: Step, account: string, storeToken: () => Promise<void>): Promise<void> => {
  const { app, link, side, terminal } = step;
  const before = await underLease(leaseParts(app), link.name, async (token) => {
    await storeToken();
    const row = await app.store.link(link.name);
    const accounts = { ...row.accounts, [side]: account };
    await app.store.commit(link.name, token, [
      { kind: 'forget-mapping' },
      { kind: 'link', patch: { accounts, ...afterSignIn(row, 'replaced') } },
    ]);
    return row;
  });
  terminal.print(`The link ${link.name} has another account now: its next run matches both address books again.`);
  printResumed(step, before);
};

/** A sign-in that cannot be read any more is about to be replaced. */
const readBefore = ({ app, link, side }: Step): Promise<Credential | null> =>
  app.vault.read(link.name, link.sides[side].name).catch(() => null);

const printScopes = ({ terminal, link, side }: Step, grant: Grant, before: Credential | null): void => {
  const { place } = link.sides[side];
  const { scopes, asked } = grant;
  if (scopes === null) {
    if (asked.length > 0) {
      terminal.print(`Granted scopes: ${place} does not report them; requested: ${asked.join(', ')}`);
    }
    return;
  }
  terminal.print(`Granted at ${place}: ${scopes.join(', ')}`);
  const earlier = before?.scopes ?? null;
  if (earlier !== null && earlier.toSorted().join() !== scopes.toSorted().join()) {
    terminal.print(`This is not what was granted before: ${earlier.join(', ')}`);
  }
};

/**
 * Stores the token. The pause of a link ends in the same step: a daemon that sees the new token could otherwise start a run
 * in between. If a run is under way all the same, the token is stored before the error is thrown.
 *
 * @throws {LeaseError} if another process syncs the paused link.
 */
const keepAccount = async (step: Step, storeToken: () => Promise<void>): Promise<void> => {
  const { app, link } = step;
  const before = await app.store.link(link.name);
  if (before.state !== 'paused') return storeToken();
  let isStored = false;
  const storeOnce = async (): Promise<void> => {
    if (!isStored) await storeToken();
    isStored = true;
  };
  try {
    await underLease(leaseParts(app), link.name, async (token) => {
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

/** Warns if the configuration has a token, because it is used instead of the stored one. */
const warnOfOwnToken = ({ terminal, link, side }: Step): void => {
  const { token, provider } = link.sides[side];
  if (token === null) return;
  const place = placeOf(link, side, providerNamed(provider).tokenKey);
  terminal.warn(`The configuration sets ${place}, which is used instead of the stored token. Remove it there.`);
};

const printNext = async ({ terminal, app, link, side }: Step): Promise<void> => {
  const other = otherSide(side);
  const digests = await app.credentials(link);
  terminal.print(
    digests[other] === null
      ? `Next: contact-sync connect ${link.sides[other].name} ${link.name}`
      : `Next: contact-sync plan ${link.name} shows what a sync would do.`,
  );
};

const warnOfMissingRights = async ({ terminal, link, side, signal }: Step, token: string): Promise<void> => {
  const { provider, settings } = link.sides[side];
  const missing = await providerNamed(provider).signIn.missingRights(settings, token, { clock: systemClock, signal });
  if (missing !== null) terminal.warn(missing);
};

const store = async (step: Step, grant: Grant, account: Account): Promise<void> => {
  const { terminal, app, link, side } = step;
  const { name } = link.sides[side];
  const { token, scopes } = grant;
  await app.vault.save(link.name, name, { token, scopes, account: account.id, storedAtMs: systemClock.now() });
  const isSealed = await app.vault.isSealed(link.name, name);
  terminal.print(
    `Stored in ${app.vault.place}${isSealed ? ', encrypted' : ', not encrypted (CREDENTIALS_KEY is not set)'}.`,
  );
};

const connectSide = async (step: Step): Promise<void> => {
  const { terminal, app, link, side, signal } = step;
  const grant = await signIn(step);
  const { account } = await app.inspect(link, side, grant.token, signal);
  terminal.print(`Signed in at ${link.sides[side].place} as ${accountWords(account)}.`);
  await refuseOtherSide(step, account);
  const isReplacement = await replacesAccount(step, account);
  const before = await readBefore(step);
  printScopes(step, grant, before);
  await warnOfMissingRights(step, grant.token);
  const storeToken = () => store(step, grant, account);
  if (isReplacement && account.id !== null) {
    await replaceAccount(step, account.id, storeToken);
  } else {
    if (before?.account && account.id !== null && before.account !== account.id) {
      terminal.print(`Before, ${before.account} was signed in.`);
    }
    await keepAccount(step, storeToken);
  }
  warnOfOwnToken(step);
  if (step.options.printsNext ?? true) await printNext(step);
};

const EXIT_CODES: Readonly<Record<SignInFault, ExitCode>> = {
  rights: EXIT.credentials,
  account: EXIT.halted,
  other: EXIT.failed,
};

/** Errors that are an answer to the person who signs in, and need no stack. */
const printFailure = (terminal: Terminal, error: unknown, { signal }: Opened): ExitCode => {
  if (error instanceof SignInError) {
    terminal.warn(error.message);
    return EXIT_CODES[error.fault];
  }
  if (error instanceof CredentialsError) {
    terminal.warn(error.message);
    return EXIT.failed;
  }
  if (error instanceof RemoteError) {
    terminal.warn(`${error.message}. Nothing was stored.`);
    return exitCodeOf(error);
  }
  if (!signal.aborted) throw error;
  terminal.warn('Interrupted. Nothing was stored.');
  return EXIT.failed;
};

/** `connect SIDE [LINK]`: signs in at the side of that name or provider, checks who that is, and stores the token. */
export const connect = (
  terminal: Terminal,
  word: string,
  linkName: string | undefined,
  options: ConnectOptions,
): Promise<ExitCode> =>
  withApp(terminal, linkName, options, async (opened) => {
    const link = oneLink(opened.links, word);
    const side = sideCalled(link, word);
    try {
      await connectSide({ terminal, app: opened.app, link, side, signal: opened.signal, options });
      return EXIT.done;
    } catch (error) {
      return printFailure(terminal, error, opened);
    }
  });
