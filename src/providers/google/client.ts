import { people, type people_v1 } from '@googleapis/people';
import { OAuth2Client } from 'google-auth-library';
import { type Dispatcher, fetch, install, type RequestInit, Response, type Response as Answer } from 'undici';
import { ANSWER_LIMITS, type AnswerLimits } from '../listing.ts';
import type { AccessToken, ShareAccessToken } from '../provider.ts';
import type { Clock } from '../../util/clock.ts';

/** An answer of which no more is read. */
export class AnswerLimitError extends Error {
  override readonly name = 'AnswerLimitError';
}

/**
 * The answer, its body read whole and within the limits, for `text()` alone to tell: bytes count after decompression, the time
 * from the headers on. Throws an {@link AnswerLimitError} beyond them. A body that stalls is the transport's to end.
 */
export const readWithin = async (
  answer: Answer,
  clock: Clock,
  { bytes: maxBytes, timeMs }: AnswerLimits = ANSWER_LIMITS,
): Promise<Answer> => {
  const { body, headers, status, statusText } = answer;
  const deadlineMs = clock.monotonic() + timeMs;
  // Piece by piece: a long text that is decoded at once lies outside of the heap, whose limit it does not count for.
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  // Leaving the loop by an error ends the connection.
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw new AnswerLimitError(`it is longer than ${maxBytes} bytes`);
    if (clock.monotonic() > deadlineMs) throw new AnswerLimitError(`it took longer than ${timeMs} ms`);
    text += decoder.decode(chunk, { stream: true });
  }
  text += decoder.decode();
  return Object.assign(new Response(null, { status, statusText, headers }), { text: () => Promise.resolve(text) });
};

type GoogleClientOptions = {
  readonly rootUrl: string;
  /** Null: Google's own. */
  readonly tokenUrl: string | null;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly refreshToken: string;
  /** Every request, token requests too, goes through it. */
  readonly dispatcher: Dispatcher;
  readonly clock: Clock;
  /** Where access tokens are shared with other processes; left out: each process has its own. */
  readonly shareAccessToken?: ShareAccessToken;
};

/** Google's own client, which neither retries nor refreshes on its own account. */
export type GoogleClient = {
  readonly people: people_v1.People;
  /** Goes into the options of every call: only there a path in the URL survives. */
  readonly rootUrl: string;
  /** Sees to it that an access token is at hand; `force` gets a new one. Throws what the token request threw. */
  authorise(force: boolean): Promise<void>;
};

/** Makes the client of one account. Sends nothing. */
export const createGoogleClient = (options: GoogleClientOptions): GoogleClient => {
  // Google's client makes its headers of the global class, for which Node would load the undici that it has built in besides.
  install();
  const auth = new OAuth2Client({
    clientId: options.clientId,
    clientSecret: options.clientSecret,
    ...(options.tokenUrl === null ? {} : { endpoints: { oauth2TokenUrl: options.tokenUrl } }),
    useAuthRequestParameters: false,
    transporterOptions: {
      fetchImplementation: fetchThrough(options),
      responseType: 'json',
      // Merged into every request, the token request's own retry settings included.
      retryConfig: { retry: 0 },
    },
  });
  auth.setCredentials({ refresh_token: options.refreshToken });
  const authorise = createAuthoriser(auth, options);
  return {
    people: people({ version: 'v1', auth, retry: false }),
    rootUrl: options.rootUrl,
    authorise,
  };
};

/** As long as Google's client takes a token to last that comes without a time. */
const USUAL_LIFE_MS = 3_600_000;

/** Gets access tokens for Google's client, which tracks their expiry by its own clock. */
const createAuthoriser = (
  auth: OAuth2Client,
  { refreshToken, shareAccessToken = (_refused, refresh) => refresh() }: GoogleClientOptions,
): GoogleClient['authorise'] => {
  const refresh = async (): Promise<AccessToken> => {
    const { access_token: token, expiry_date: expiresAtMs } = (await auth.refreshAccessToken()).credentials;
    if (!token) throw new Error('The answer holds no access token.');
    return { token, lastsMs: expiresAtMs ? expiresAtMs - Date.now() : USUAL_LIFE_MS };
  };
  const renew = async (refused: string | null): Promise<void> => {
    const { token, lastsMs } = await shareAccessToken(refused, refresh);
    auth.setCredentials({ refresh_token: refreshToken, access_token: token, expiry_date: Date.now() + lastsMs });
  };
  const isGood = (): boolean => {
    const { access_token: token, expiry_date: expiresAtMs } = auth.credentials;
    return Boolean(token) && (expiresAtMs ?? Infinity) > Date.now() + auth.eagerRefreshThresholdMillis;
  };
  let underWay: Promise<void> | null = null;
  return async (force) => {
    if (!force && isGood()) return;
    const { access_token: known } = auth.credentials;
    await (underWay ??= renew(force && known ? known : null).finally(() => {
      underWay = null;
    }));
  };
};

/** What is sent holds a credential, so no redirect is followed; what comes is read within limits. */
const fetchThrough = ({ clock, dispatcher }: Pick<GoogleClientOptions, 'clock' | 'dispatcher'>) => {
  const fetchWithin = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const url = input instanceof Request ? input.url : input;
    return readWithin(await fetch(url, { ...init, dispatcher, redirect: 'manual' }), clock);
  };
  // The client's types name the built-in fetch, whose options are the package's own without the dispatcher.
  return fetchWithin as unknown as typeof globalThis.fetch;
};
