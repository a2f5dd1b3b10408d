import type { LinkConfig } from './config/link-config.ts';
import type { Clock } from '../util/clock.ts';
import type { Side } from '../core/contact/side.ts';
import { providerNamed } from '../providers/registry.ts';
import { codeIn, SignInError, type Consent, type Grant } from '../providers/sign-in.ts';
import { storeSignIn, type SignInStep } from './store-sign-in.ts';

/** Whether a side is signed in at on a consent page. A stored token is not used if the configuration sets one. */
export const hasBrowserSignIn = ({ sides }: LinkConfig, side: Side): boolean =>
  sides[side].token === null && providerNamed(sides[side].provider).signIn !== null;

/** A sign-in for which a consent page was opened. */
type Pending = {
  readonly owner: string;
  readonly link: string;
  readonly side: Side;
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

type BrowserSignInParts = Pick<SignInStep, 'app' | 'clock'> & {
  /** A text that cannot be guessed. */
  readonly newSecret: () => string;
};

const VALID_FOR_MS = 10 * 60_000;

const UNKNOWN =
  'The answer belongs to no sign-in that this session has begun, or it came too late. Nothing was stored.';

/** Begins the provider's sign-in, which then waits for the answer of the consent page. */
const startConsent = async (
  { link, side, redirectUri }: ConsentRequest,
  state: string,
  clock: Clock,
): Promise<Pick<Pending, 'answer' | 'grant' | 'end'> & { readonly address: string }> => {
  const requested = Promise.withResolvers<string>();
  const answered = Promise.withResolvers<Consent>();
  // A sign-in that ends early leaves the promise without a reader.
  answered.promise.catch(() => undefined);
  const end = new AbortController();
  end.signal.addEventListener('abort', () => answered.reject(end.signal.reason), { once: true });
  const { provider, settings } = link.sides[side];
  const { signIn } = providerNamed(provider);
  if (signIn === null) throw new SignInError('The side has no sign-in page.');
  const grant = signIn(
    settings,
    (addressFor) => {
      requested.resolve(addressFor({ redirectUri, state }));
      return answered.promise;
    },
    { clock, signal: end.signal },
  );
  grant.catch((error: unknown) => requested.reject(error));
  const answer = (query: URLSearchParams): void =>
    answered.resolve(Promise.try(() => ({ code: codeIn(query), redirectUri })));
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

/** Creates sign-ins through consent pages that redirect the browser to this process. Each answer is accepted once. */
export const createBrowserSignIns = (parts: BrowserSignInParts) => {
  const { clock, newSecret } = parts;
  /** The sign-ins that wait for an answer, by their states, each for a short time. */
  const pending = new Map<string, Pending>();
  const dropIf = (isOver: (one: Pending) => boolean): void => {
    for (const [state, one] of pending) {
      if (!isOver(one)) continue;
      one.end.abort(new SignInError('The sign-in has expired. Nothing was stored.'));
      pending.delete(state);
    }
  };
  const find = (owner: string, state: string): Pending | null => {
    dropIf(({ untilMs }) => untilMs < clock.now());
    const found = pending.get(state);
    return found?.owner === owner ? found : null;
  };
  return {
    /** Returns the address of the consent page. Throws a SignInError or a ConfigError. */
    begin: async (request: ConsentRequest): Promise<string> => {
      const { owner, link, side } = request;
      if (!hasBrowserSignIn(link, side)) {
        throw new SignInError(`No sign-in in a browser at ${link.sides[side].place}. Nothing was stored.`);
      }
      const state = newSecret();
      const { address, ...consent } = await startConsent(request, state, clock);
      // An earlier one of the same owner and side ends.
      dropIf((one) => one.owner === owner && one.link === link.name && one.side === side);
      pending.set(state, { owner, link: link.name, side, untilMs: clock.now() + VALID_FOR_MS, ...consent });
      return address;
    },
    /** The link of the owner's sign-in with that state; null for any other state. */
    linkOf: (owner: string, state: string): string | null => find(owner, state)?.link ?? null,
    /**
     * Exchanges the code of an answer and stores the token; returns sentences about the result.
     *
     * @throws {SignInError} if the owner has not begun a sign-in with that state, or the consent was refused.
     */
    finish: async (owner: string, link: LinkConfig, query: URLSearchParams): Promise<readonly string[]> => {
      const state = query.get('state') ?? '';
      const found = find(owner, state);
      if (found?.link !== link.name) throw new SignInError(UNKNOWN);
      pending.delete(state);
      found.answer(query);
      return storeGranted(parts, link, found);
    },
    close: (): void => dropIf(() => true),
  };
};

export type BrowserSignIns = ReturnType<typeof createBrowserSignIns>;
