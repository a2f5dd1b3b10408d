import type { LinkConfig } from './config/link-config.ts';
import type { Clock } from '../util/clock.ts';
import type { Side } from '../core/contact/side.ts';
import { providerNamed } from '../providers/registry.ts';
import { SignInError, type Consent, type Grant } from '../providers/sign-in.ts';
import { storeSignIn, type SignInStep } from './store-sign-in.ts';

/** Whether a side is signed in at on a consent page. A stored token is not used if the configuration sets one. */
export const hasBrowserSignIn = ({ sides }: LinkConfig, side: Side): boolean =>
  sides[side].token === null && providerNamed(sides[side].provider).hasPassword !== true;

/** A sign-in for which a consent page was opened. */
type Pending = {
  readonly owner: string;
  readonly link: string;
  readonly side: Side;
  readonly address: string;
  readonly untilMs: number;
  readonly answer: (query: URLSearchParams) => void;
  readonly grant: Promise<Grant>;
  readonly end: AbortController;
};

/** A request for consent: the session that began it, and the place of the redirect. */
type ConsentRequest = {
  readonly owner: string;
  readonly link: LinkConfig;
  readonly side: Side;
  readonly redirectUri: string;
};

/** Sign-ins through consent pages that redirect the browser to this process. Each answer is accepted once. */
export type BrowserSignIns = {
  /** Returns the address of the consent page. Throws a SignInError or a ConfigError. */
  begin(request: ConsentRequest): Promise<string>;
  /** The link of the owner's sign-in with that state; null for any other state. */
  linkOf(owner: string, state: string): string | null;
  /**
   * Exchanges the code of an answer and stores the token; returns sentences about the result.
   *
   * @throws {SignInError} if the owner has not begun a sign-in with that state, or the consent was refused.
   */
  finish(owner: string, link: LinkConfig, answer: URLSearchParams): Promise<readonly string[]>;
  close(): void;
};

type BrowserSignInParts = Pick<SignInStep, 'app' | 'clock'> & {
  /** A text that cannot be guessed. */
  readonly newSecret: () => string;
};

const VALID_FOR_MS = 10 * 60_000;

const UNKNOWN =
  'The answer belongs to no sign-in that this session has begun, or it came too late. Nothing was stored.';

/** The code of an answer whose state was compared before. Throws {@link SignInError} if consent was refused. */
const codeOf = (answer: URLSearchParams): string => {
  const error = answer.get('error');
  const code = answer.get('code') ?? '';
  if (error === null && code !== '') return code;
  const word = (error ?? 'no code').replaceAll(/[^\w. -]/gu, '').slice(0, 40);
  throw new SignInError(`The sign-in was refused (${word}). Nothing was stored.`);
};

/** Begins the provider's sign-in, which then waits for the answer of the consent page. */
const startConsent = async (
  { link, side, redirectUri }: ConsentRequest,
  state: string,
  clock: Clock,
): Promise<Pick<Pending, 'address' | 'answer' | 'grant' | 'end'>> => {
  const requested = Promise.withResolvers<string>();
  const answered = Promise.withResolvers<Consent>();
  // A sign-in that ends early leaves the promise without a reader.
  answered.promise.catch(() => undefined);
  const end = new AbortController();
  end.signal.addEventListener('abort', () => answered.reject(end.signal.reason), { once: true });
  const { provider, settings } = link.sides[side];
  const grant = providerNamed(provider).signIn.withConsent(
    settings,
    (addressFor) => {
      requested.resolve(addressFor({ redirectUri, state }));
      return answered.promise;
    },
    { clock, signal: end.signal },
  );
  grant.catch((error: unknown) => requested.reject(error));
  const answer = (query: URLSearchParams): void => {
    try {
      answered.resolve({ code: codeOf(query), redirectUri });
    } catch (error) {
      answered.reject(error);
    }
  };
  return { address: await requested.promise, answer, grant, end };
};

/** Stores the granted token; returns the printed sentences. */
const storeGranted = async (
  { app, clock }: BrowserSignInParts,
  link: LinkConfig,
  { side, end, grant }: Pending,
): Promise<readonly string[]> => {
  const said: string[] = [];
  const note = (text: string): void => void said.push(text.replace(/(?<![.!?])$/u, '.'));
  const replaceHint = `run: contact-sync connect ${link.sides[side].name} ${link.name} --replace-account`;
  const step = { app, link, side, clock, signal: end.signal, replaceAccount: false, replaceHint };
  await storeSignIn({ ...step, print: note, warn: note }, await grant);
  return said;
};

/** The sign-ins that wait for an answer, by their states, each for a short time. */
const createPendingSignIns = ({ now }: Pick<Clock, 'now'>) => {
  const all = new Map<string, Pending>();
  const drop = (state: string): void => {
    all.get(state)?.end.abort(new SignInError('The sign-in has expired. Nothing was stored.'));
    all.delete(state);
  };
  const current = (): readonly (readonly [string, Pending])[] => {
    for (const [state, { untilMs }] of all) if (untilMs < now()) drop(state);
    return [...all];
  };
  return {
    /** Adds one. An earlier one of the same owner and side ends. */
    add: (state: string, pending: Pending): void => {
      const { owner, link, side } = pending;
      for (const [each, one] of current()) {
        if (one.owner === owner && one.link === link && one.side === side) drop(each);
      }
      all.set(state, pending);
    },
    get: (state: string): Pending | null => current().find(([each]) => each === state)?.[1] ?? null,
    remove: (state: string): void => void all.delete(state),
    clear: (): void => all.keys().forEach(drop),
  };
};

export const createBrowserSignIns = (parts: BrowserSignInParts): BrowserSignIns => {
  const { clock, newSecret } = parts;
  const signIns = createPendingSignIns(clock);
  return {
    begin: async (request) => {
      const { owner, link, side } = request;
      if (!hasBrowserSignIn(link, side)) {
        throw new SignInError(`No sign-in in a browser at ${link.sides[side].place}. Nothing was stored.`);
      }
      const state = newSecret();
      const consent = await startConsent(request, state, clock);
      const untilMs = clock.now() + VALID_FOR_MS;
      signIns.add(state, { owner, link: link.name, side, untilMs, ...consent });
      return consent.address;
    },
    linkOf: (owner, state) => {
      const pending = signIns.get(state);
      return pending?.owner === owner ? pending.link : null;
    },
    finish: async (owner, link, query) => {
      const state = query.get('state') ?? '';
      const pending = signIns.get(state);
      if (pending?.owner !== owner || pending.link !== link.name) throw new SignInError(UNKNOWN);
      signIns.remove(state);
      pending.answer(query);
      return storeGranted(parts, link, pending);
    },
    close: () => signIns.clear(),
  };
};
