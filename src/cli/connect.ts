import { randomUUID } from 'node:crypto';
import type { App } from '../app.ts';
import { systemClock } from '../clock.ts';
import type { LinkConfig } from '../config.ts';
import type { Side } from '../contact/side.ts';
import type { Account } from '../providers/account.ts';
import { RemoteError } from '../providers/errors.ts';
import { CredentialsError, type Credential } from '../store/credentials.ts';
import { LeaseError } from '../sync/context.ts';
import type { ConsentOptions } from './connect/consent.ts';
import { signInAtGoogle } from './connect/google.ts';
import { SIDE_NAMES, type Grant } from './connect/grant.ts';
import { readHiddenLine } from './connect/pasted.ts';
import { exchangeKeyAtService, lacksWriting, signInAtService } from './connect/service.ts';
import { SignInError } from './connect/sign-in-error.ts';
import { EXIT, exitCodeOf, type ExitCode } from './exit-codes.ts';
import type { Terminal } from './terminal.ts';
import { UsageError } from './usage-error.ts';
import { withApp, type CommonOptions, type Opened } from './with-app.ts';

export type ConnectOptions = Pick<CommonOptions, 'config'> & {
  /** False: the address is only printed. */
  readonly browser?: boolean;
  readonly port?: number;
  /** A v1 application's key; `-`: it comes on standard input. */
  readonly apiKey?: string;
  readonly replaceAccount?: boolean;
};

const oneLink = (links: readonly LinkConfig[], side: Side): LinkConfig => {
  const [link, ...others] = links;
  if (link !== undefined && others.length === 0) return link;
  const names = links.map(({ name }) => name).join(', ');
  throw new UsageError(`There are several links: ${names}. Say which one: contact-sync connect ${side} <LINK>`);
};

type Step = {
  readonly terminal: Terminal;
  readonly app: App;
  readonly link: LinkConfig;
  readonly side: Side;
  readonly signal: AbortSignal;
  readonly options: ConnectOptions;
};

const signIn = async ({ terminal, link, side, signal, options }: Step): Promise<Grant> => {
  const { apiKey, port = 0, browser: opensBrowser = true } = options;
  const consent: ConsentOptions = { terminal, input: process.stdin, clock: systemClock, signal, port, opensBrowser };
  if (side === 'google') {
    if (apiKey !== undefined)
      throw new UsageError('--api-key belongs to a v1 application of the service, not to Google.');
    return signInAtGoogle(link, consent);
  }
  if (apiKey === undefined) return signInAtService(link, consent);
  if (apiKey === '-' && process.stdin.isTTY) terminal.print('The api_key (it is not shown):');
  const key = apiKey === '-' ? await readHiddenLine(process.stdin, 'api_key', signal) : apiKey;
  return exchangeKeyAtService(link, key, consent);
};

const nameOf = ({ email, id }: Account): string =>
  email === null ? (id ?? 'an account that does not tell its name') : id === null ? email : `${email} (${id})`;

/** Whether the link was made with another account. Throws {@link SignInError} where that is not asked for. */
const replacesAccount = async ({ app, link, side, options }: Step, account: Account): Promise<boolean> => {
  const known = (await app.store.links()).find(({ name }) => name === link.name)?.accounts[side] ?? null;
  if (known === null || account.id === null || known === account.id) return false;
  if (options.replaceAccount) return true;
  throw new SignInError(
    `${nameOf(account)} is not the account at ${SIDE_NAMES[side]} that the link ${link.name} was made with (${known}). ` +
      'Nothing was stored. Sign in with that account, give this one a link of its own, or pass --replace-account: the ' +
      'link then forgets who is who, and its next run pairs both address books anew and deletes nothing.',
    EXIT.halted,
  );
};

/** Takes the new account while no run is under way. Throws {@link LeaseError} where one is. */
const replaceAccount = async ({ app, link, side }: Step, account: string): Promise<void> => {
  const owner = `connect ${randomUUID()}`;
  const nowMs = systemClock.now();
  const isFree = await app.store.acquireLease(link.name, owner, nowMs, nowMs + 15_000);
  if (!isFree) throw new LeaseError(link.name, 'busy');
  try {
    await app.store.replaceAccount(link.name, side, account);
  } finally {
    await app.store.releaseLease(link.name, owner);
  }
};

/** A sign-in that cannot be read any more is about to be replaced. */
const readBefore = ({ app, link, side }: Step): Promise<Credential | null> =>
  app.vault.read(link.name, side).catch(() => null);

const tellScopes = ({ terminal, side }: Step, { scopes }: Grant, before: Credential | null): void => {
  if (scopes === null) {
    terminal.print('Granted: the service does not tell; contacts:manage and buckets:manage were asked for.');
    return;
  }
  terminal.print(`Granted at ${SIDE_NAMES[side]}: ${scopes.join(', ')}`);
  const earlier = before?.scopes ?? null;
  if (earlier !== null && earlier.toSorted().join() !== scopes.toSorted().join()) {
    terminal.print(`This is not what was granted before: ${earlier.join(', ')}`);
  }
};

/** Makes a paused link active, so that its next run is not left out; the reason lets a daemon tell that it resumes. */
const resume = async ({ terminal, app, link }: Step, isReplaced: boolean): Promise<void> => {
  const { state } = await app.store.link(link.name);
  if (state !== 'paused' && !isReplaced) return;
  const reason = state === 'paused' ? 'It was paused. Somebody has signed in since; the next run resumes it.' : null;
  await app.store.updateLink(link.name, { state: 'active', reason });
  if (state === 'paused') terminal.print(`The link ${link.name} was paused; it is active again.`);
};

/** What stands in the way of using this sign-in, and what comes next. */
const tellNext = async ({ terminal, app, link, side }: Step): Promise<void> => {
  const configured = { google: link.google.refreshToken, service: link.service.accessToken };
  const variables = { google: 'GOOGLE_REFRESH_TOKEN', service: 'SERVICE_ACCESS_TOKEN' };
  if (configured[side] !== null) {
    terminal.warn(`The configuration has ${variables[side]}, which wins over what was stored now. Remove it there.`);
  }
  const other = side === 'google' ? 'service' : 'google';
  const digests = await app.credentials(link);
  terminal.print(
    digests[other] === null
      ? `Next: contact-sync connect ${other} ${link.name}`
      : `Next: contact-sync plan ${link.name} shows what a sync would do.`,
  );
};

const connectSide = async (step: Step): Promise<void> => {
  const { terminal, app, link, side, signal } = step;
  const grant = await signIn(step);
  const { account } = await app.inspect(link, side, grant.token, signal);
  terminal.print(`Signed in at ${SIDE_NAMES[side]} as ${nameOf(account)}.`);
  const isReplacement = await replacesAccount(step, account);
  const before = await readBefore(step);
  tellScopes(step, grant, before);
  if (side === 'service' && (await lacksWriting(link, grant.token, { clock: systemClock, signal }))) {
    terminal.warn(
      'The service refuses writing with this token: contacts:manage or buckets:manage was not granted. ' +
        'Grant both, or a sync will pause the link at its first write.',
    );
  }
  const credential = { ...grant, account: account.id, storedAtMs: systemClock.now() };
  if (isReplacement && account.id !== null) {
    await replaceAccount(step, account.id);
    terminal.print(`The link ${link.name} has another account now: its next run pairs both address books anew.`);
  } else if (before?.account && account.id !== null && before.account !== account.id) {
    terminal.print(`Before, ${before.account} was signed in.`);
  }
  await app.vault.save(link.name, side, credential);
  const isSealed = await app.vault.isSealed(link.name, side);
  terminal.print(
    `Stored in ${app.vault.path}${isSealed ? ', encrypted' : ', not encrypted (CREDENTIALS_KEY is not set)'}.`,
  );
  await resume(step, isReplacement);
  await tellNext(step);
};

/** Errors that are an answer to the person who signs in, and need no stack. */
const tellFailure = (terminal: Terminal, error: unknown, { signal }: Opened): ExitCode => {
  if (error instanceof SignInError) {
    terminal.warn(error.message);
    return error.exitCode;
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

/** `connect google|service [LINK]`: signs in, checks who that is, and stores the token. */
export const connect = (
  terminal: Terminal,
  side: Side,
  linkName: string | undefined,
  options: ConnectOptions,
): Promise<ExitCode> =>
  withApp(terminal, linkName, options, async (opened) => {
    const link = oneLink(opened.links, side);
    try {
      await connectSide({ terminal, app: opened.app, link, side, signal: opened.signal, options });
      return EXIT.done;
    } catch (error) {
      return tellFailure(terminal, error, opened);
    }
  });
