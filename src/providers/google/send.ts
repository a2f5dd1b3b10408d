import type { people_v1 } from '@googleapis/people';
import type { z } from 'zod';
import type { Clock } from '../../util/clock.ts';
import { UnauthenticatedError, UnreadableError } from '../errors.ts';
import type { RetryPolicy } from '../../net/retry.ts';
import { retrying } from '../send.ts';
import type { GoogleClient } from './client.ts';
import { USUAL_MAPPING, type PersonMapping } from './fields.ts';
import { toRemoteError, toTokenError, type RequestContext } from './failure.ts';
import { createLane } from './limits.ts';

type CallOptions = { readonly signal: AbortSignal; readonly rootUrl: string };

/** One request of the People API. */
type GoogleCall<Schema extends z.ZodType> = {
  /** Method and route without ids. */
  readonly route: string;
  readonly isMutation: boolean;
  readonly hasSyncToken?: boolean;
  readonly schema: Schema;
  readonly send: (people: people_v1.People, options: CallOptions) => Promise<{ data: unknown }>;
};

/**
 * Sends one request and parses its answer. Throws a {@link RemoteError}, or the reason of the aborted signal. A read is
 * repeated if that may succeed; a mutation only if it certainly was not applied.
 */
type Call = <Schema extends z.ZodType>(call: GoogleCall<Schema>, signal: AbortSignal) => Promise<z.output<Schema>>;

/** Call, with the mapping of the contacts that are read or written. */
export type CallGoogle = Call & { readonly mapping: PersonMapping };

type CallerOptions = RetryPolicy & {
  readonly client: GoogleClient;
  /** {@link USUAL_MAPPING} by default. */
  readonly mapping?: PersonMapping;
};

/** Creates the function for all requests to Google: token, mutation lane, retries, errors and parsing. */
export const createCaller = (options: CallerOptions): CallGoogle => {
  const { client, clock, mapping = USUAL_MAPPING } = options;
  const lane = createLane();
  const call: Call = (request, signal) => {
    const persist = (): Promise<z.output<typeof request.schema>> =>
      retrying((attempt) => attemptCall(client, request, attempt, clock, signal), {
        ...options,
        signal,
        isRead: !request.isMutation,
      });
    return request.isMutation ? lane(persist) : persist();
  };
  return Object.assign(call, { mapping });
};

const attemptCall = async <Schema extends z.ZodType>(
  client: GoogleClient,
  call: GoogleCall<Schema>,
  attempt: number,
  clock: Clock,
  signal: AbortSignal,
): Promise<z.output<Schema>> => {
  const context = {
    route: call.route,
    isMutation: call.isMutation,
    hasSyncToken: call.hasSyncToken ?? false,
    limitFloorMs: limitFloorMs(attempt),
    nowMs: clock.now(),
  };
  await authorise(client, false, context, signal);
  const answer = await sendOnce(client, call, context, signal).catch(async (error: unknown) => {
    if (!(error instanceof UnauthenticatedError)) throw error;
    await authorise(client, true, context, signal);
    return sendOnce(client, call, context, signal);
  });
  const parsed = call.schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  throw new UnreadableError(`Google's answer to ${call.route} is not of the documented shape`, {
    status: 200,
    route: call.route,
    applied: call.isMutation ? 'unknown' : 'no',
    cause: parsed.error,
  });
};

const sendOnce = async <Schema extends z.ZodType>(
  client: GoogleClient,
  call: GoogleCall<Schema>,
  context: RequestContext,
  signal: AbortSignal,
): Promise<unknown> => {
  try {
    const { data } = await call.send(client.people, { signal, rootUrl: client.rootUrl });
    return data;
  } catch (error) {
    signal.throwIfAborted();
    throw toRemoteError(error, context);
  }
};

const authorise = async (
  client: GoogleClient,
  force: boolean,
  context: RequestContext,
  signal: AbortSignal,
): Promise<void> => {
  signal.throwIfAborted();
  try {
    await untilAborted(client.authorise(force), signal);
  } catch (error) {
    signal.throwIfAborted();
    throw toTokenError(error, context);
  }
};

/** Calls share the token request, so an aborted call only stops waiting for it. */
const untilAborted = async <Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> => {
  const aborted = Promise.withResolvers<never>();
  const onAbort = (): void => aborted.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
};

const FIRST_LIMIT_FLOOR_MS = 5_000;
/** Google's quotas are per minute, so waiting longer than this window has no benefit. */
const QUOTA_WINDOW_MS = 60_000;

const limitFloorMs = (attempt: number): number =>
  Math.min(QUOTA_WINDOW_MS, FIRST_LIMIT_FLOOR_MS * 2 ** Math.max(0, attempt - 1));
