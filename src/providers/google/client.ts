import { people, type people_v1 } from '@googleapis/people';
import { OAuth2Client } from 'google-auth-library';
import { type Dispatcher, fetch, install, type RequestInit, Response, type Response as Answer } from 'undici';
import { ANSWER_LIMITS, type AnswerLimits } from '../listing.ts';
import type { Clock } from '../../util/clock.ts';

/** The answer exceeded a limit, so reading was stopped. */
export class AnswerLimitError extends Error {
  override readonly name = 'AnswerLimitError';
}

/**
 * Reads the whole body of an answer within the limits. Only `text()` of the result has the body. Bytes are counted after
 * decompression, time from the arrival of the headers. Throws an {@link AnswerLimitError} beyond a limit. The transport ends
 * a body that stalls.
 */
export const readWithin = async (
  answer: Answer,
  clock: Clock,
  { bytes: maxBytes, timeMs }: AnswerLimits = ANSWER_LIMITS,
): Promise<Answer> => {
  const { body, headers, status, statusText } = answer;
  const deadlineMs = clock.monotonic() + timeMs;
  // Decoded in chunks: a long text that is decoded at once is outside the heap, and the heap limit does not cover it.
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  // An error that leaves the loop closes the connection.
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw new AnswerLimitError(`it is longer than ${maxBytes} bytes`);
    if (clock.monotonic() > deadlineMs) throw new AnswerLimitError(`it took longer than ${timeMs} ms`);
    text += decoder.decode(chunk, { stream: true });
  }
  text += decoder.decode();
  return Object.assign(new Response(null, { status, statusText, headers }), { text: () => Promise.resolve(text) });
};

export type GoogleClientOptions = {
  /** Root of the People API, with or without a trailing slash. */
  readonly rootUrl: string;
  /** Null: Google's own endpoint. */
  readonly tokenUrl: string | null;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly refreshToken: string;
  /** Sends every request, including token requests. */
  readonly dispatcher: Dispatcher;
  readonly clock: Clock;
};

/** Google's own client. It neither retries nor refreshes tokens by itself. */
export type GoogleClient = {
  readonly people: people_v1.People;
  /** Must be in the options of every call: only there is a path in the URL kept. */
  readonly rootUrl: string;
  /** Ensures that an access token is available; `force` gets a new one. Throws the error of the token request. */
  authorise(force: boolean): Promise<void>;
};

/** Creates the client of one account. Sends nothing. */
export const createGoogleClient = (options: GoogleClientOptions): GoogleClient => {
  // Google's client uses the global Headers class. Without this, Node would also load its built-in undici for it.
  install();
  const auth = new OAuth2Client({
    clientId: options.clientId,
    clientSecret: options.clientSecret,
    ...(options.tokenUrl === null ? {} : { endpoints: { oauth2TokenUrl: options.tokenUrl } }),
    useAuthRequestParameters: false,
    transporterOptions: {
      fetchImplementation: fetchThrough(options),
      responseType: 'json',
      // This is merged into every request and also overrides the retry settings of the token request.
      retryConfig: { retry: 0 },
    },
  });
  auth.setCredentials({ refresh_token: options.refreshToken });
  return {
    people: people({ version: 'v1', auth, retry: false }),
    rootUrl: options.rootUrl,
    authorise: createAuthoriser(auth, options.refreshToken),
  };
};

/** The lifetime that Google's client assumes for a token without an expiry time. */
const USUAL_LIFE_MS = 3_600_000;

/** Gets access tokens for Google's client. Their expiry is measured by the system clock, as the client does. */
const createAuthoriser = (auth: OAuth2Client, refreshToken: string): GoogleClient['authorise'] => {
  const refresh = async (): Promise<void> => {
    const { access_token: token, expiry_date: expiresAtMs } = (await auth.refreshAccessToken()).credentials;
    if (!token) throw new Error('The answer holds no access token.');
    const expiry = expiresAtMs ?? Date.now() + USUAL_LIFE_MS;
    auth.setCredentials({ refresh_token: refreshToken, access_token: token, expiry_date: expiry });
  };
  const isGood = (): boolean => {
    const { access_token: token, expiry_date: expiresAtMs } = auth.credentials;
    return Boolean(token) && (expiresAtMs ?? Infinity) > Date.now() + auth.eagerRefreshThresholdMillis;
  };
  let underWay: Promise<void> | null = null;
  return async (force) => {
    if (!force && isGood()) return;
    await (underWay ??= refresh().finally(() => {
      underWay = null;
    }));
  };
};

/** Requests contain a credential, so redirects are not followed. Answers are read within limits. */
const fetchThrough = ({ clock, dispatcher }: Pick<GoogleClientOptions, 'clock' | 'dispatcher'>) => {
  const fetchWithin = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const url = input instanceof Request ? input.url : input;
    return readWithin(await fetch(url, { ...init, dispatcher, redirect: 'manual' }), clock);
  };
  // The client's type is that of the built-in fetch, whose options are those of undici without the dispatcher.
  return fetchWithin as unknown as typeof globalThis.fetch;
};
