import type { App } from '../../app.ts';
import type { LinkConfig } from '../../config.ts';
import { SIDES, type Side } from '../../contact/side.ts';
import { isCredentialError } from '../../providers/errors.ts';
import type { Credential } from '../../store/credentials.ts';
import { EXIT, exitCodeOf, messageOf } from '../exit-codes.ts';
import { isoOf } from '../words.ts';
import { fault, fine, warning, type Finding } from './finding.ts';

/** What was learnt of one link, and how far each side's clock is from ours. */
export type LinkReport = { readonly findings: readonly Finding[]; readonly skewsMs: readonly number[] };

type Inspection = Awaited<ReturnType<App['inspect']>>;

type Subject = { readonly app: App; readonly link: LinkConfig; readonly side: Side; readonly signal: AbortSignal };

const connectCommand = ({ side, link }: Subject): string => `Sign in: contact-sync connect ${side} ${link.name}`;

type Token =
  | { readonly token: string; readonly origin: string; readonly stored: Credential | null }
  | { readonly token: null; readonly finding: Finding };

const findToken = async (subject: Subject): Promise<Token> => {
  const { app, link, side } = subject;
  const configured = side === 'google' ? link.google.refreshToken : link.service.accessToken;
  if (configured !== null) return { token: configured.reveal(), origin: 'from the configuration', stored: null };
  const about = { name: `${side}-credentials`, link: link.name };
  try {
    const stored = await app.vault.read(link.name, side);
    if (stored === null) {
      return { token: null, finding: fault(about, 'no token', connectCommand(subject), EXIT.credentials) };
    }
    const seal = (await app.vault.isSealed(link.name, side)) ? 'encrypted' : 'not encrypted';
    return { token: stored.token, origin: `stored ${isoOf(stored.storedAtMs)} by connect, ${seal}`, stored };
  } catch (error) {
    return { token: null, finding: fault(about, messageOf(error), null, EXIT.credentials) };
  }
};

/** A token that serves: whose it is, and what it may do as far as that is known. */
const judgeAccount = async (
  subject: Subject,
  { account }: Inspection,
  { origin, stored }: { readonly origin: string; readonly stored: Credential | null },
): Promise<Finding> => {
  const { app, link, side } = subject;
  const about = { name: `${side}-credentials`, link: link.name };
  const known = (await app.store.links()).find(({ name }) => name === link.name)?.accounts[side] ?? null;
  if (known !== null && account.id !== null && known !== account.id) {
    const detail = `${account.email ?? account.id} is not the account that the link was made with (${known})`;
    return fault(about, detail, connectCommand(subject), EXIT.credentials);
  }
  const who = [account.email, account.id === null ? null : `(${account.id})`].filter((part) => part !== null).join(' ');
  const scopes = stored?.scopes ? `scopes ${stored.scopes.join(' ')}` : 'scopes not told';
  return fine(about, `${who === '' ? 'account not told' : who}, ${scopes}, ${origin}`);
};

const judgeRate = ({ link, side }: Subject, { rate }: Inspection): readonly Finding[] => {
  if (side === 'google') return [];
  const about = { name: 'service-rate', link: link.name };
  const { limit, remaining } = rate;
  if (limit === null) return [fine(about, 'the service tells no rate limit')];
  const ours = link.service.rateLimit;
  const told = `${limit.requests} in ${limit.windowMs / 1000} s`;
  if (limit.requests / limit.windowMs < ours.requests / ours.windowMs) {
    const detail = `the service allows ${told}, fewer than SERVICE_RATE_LIMIT`;
    return [warning(about, detail, `Set SERVICE_RATE_LIMIT to what the service allows.`)];
  }
  return [fine(about, `${remaining ?? 'an untold number'} of ${told} left`)];
};

/** A side that was not of use: it is the credential, or the side itself. */
const judgeFailure = (subject: Subject, error: unknown): readonly Finding[] => {
  const { link, side } = subject;
  const credentials = { name: `${side}-credentials`, link: link.name };
  const remote = { name: side, link: link.name };
  if (isCredentialError(error)) {
    return [
      fine(remote, `answered with ${error.status ?? 'a refusal'}`),
      fault(credentials, error.message, connectCommand(subject), EXIT.credentials),
    ];
  }
  const address = side === 'google' ? 'GOOGLE_ROOT_URL and GOOGLE_TOKEN_URL' : 'SERVICE_BASE_URL';
  return [
    fault(remote, messageOf(error), `Check the network and ${address}; else try again later.`, exitCodeOf(error)),
    warning(credentials, 'there is a token, which was not tried', 'Run doctor again when the side answers.'),
  ];
};

const checkSide = async (subject: Subject, now: () => number): Promise<LinkReport> => {
  const { app, link, side, signal } = subject;
  const found = await findToken(subject);
  const remote = { name: side, link: link.name };
  if (found.token === null) {
    const notAsked = warning(remote, 'not asked, since there is no token', connectCommand(subject));
    return { findings: [found.finding, notAsked], skewsMs: [] };
  }
  try {
    const startedAtMs = now();
    const inspection = await app.inspect(link, side, found.token, signal);
    const endedAtMs = now();
    const { serverTimeMs } = inspection;
    const answered = fine(remote, `answered in ${Math.round(endedAtMs - startedAtMs)} ms`);
    const findings = [answered, await judgeAccount(subject, inspection, found), ...judgeRate(subject, inspection)];
    return { findings, skewsMs: serverTimeMs === null ? [] : [serverTimeMs - endedAtMs] };
  } catch (error) {
    signal.throwIfAborted();
    return { findings: judgeFailure(subject, error), skewsMs: [] };
  }
};

const checkState = async (app: App, link: LinkConfig): Promise<Finding> => {
  const about = { name: 'link', link: link.name };
  const { state, reason } = await app.store.link(link.name);
  if (state === 'active') return fine(about, 'active');
  return warning(about, `${state}: ${reason ?? 'no reason is known'}`, `See contact-sync status ${link.name}.`);
};

/** One link: its state, and for each side the credential, whether it answers, and its rate limit. `now` in epoch milliseconds. */
export const checkLink = async (
  app: App,
  link: LinkConfig,
  { now, signal }: { readonly now: () => number; readonly signal: AbortSignal },
): Promise<LinkReport> => {
  const reports: LinkReport[] = [];
  for (const side of SIDES) reports.push(await checkSide({ app, link, side, signal }, now));
  return {
    findings: [await checkState(app, link), ...reports.flatMap(({ findings }) => findings)],
    skewsMs: reports.flatMap(({ skewsMs }) => skewsMs),
  };
};

const MOST_SKEW_MS = 60_000;

/** How far this machine's clock is from the remotes', at worst; null where none told its time. */
export const judgeClock = (skewsMs: readonly number[]): Finding | null => {
  const worst = skewsMs.toSorted((left, right) => Math.abs(right) - Math.abs(left))[0];
  if (worst === undefined) return null;
  const about = { name: 'clock' };
  const seconds = Math.round(Math.abs(worst) / 1000);
  if (Math.abs(worst) <= MOST_SKEW_MS) return fine(about, `within ${Math.max(seconds, 1)} s of the remotes`);
  const detail = `this machine is ${seconds} s ${worst > 0 ? 'behind' : 'ahead of'} a remote`;
  return warning(about, detail, 'Let it keep its time by NTP: the newer edit wins by these clocks.');
};
