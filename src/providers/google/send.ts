import type { people_v1 } from '@googleapis/people';
import type { z } from 'zod';
import type { Clock } from '../../util/clock.ts';
import { untilAborted } from '../../util/until-aborted.ts';
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
  /** Method and route without ids. A GET is a read, any other method a mutation. */
  readonly route: `${'GET' | 'POST' | 'PUT' | 'DELETE'} ${string}`;
  readonly hasSyncToken?: boolean;
  readonly schema: Schema;
  readonly signal: AbortSignal;
  readonly send: (people: people_v1.People, options: CallOptions) => Promise<{ data: unknown }>;
};

/**
 * Sends one request and parses its answer. Throws a {@link RemoteError}, or the reason of the aborted signal. A read is
 * repeated if that may succeed; a mutation only if it certainly was not applied.
 */
type Call = <Schema extends z.ZodType>(call: GoogleCall<Schema>) => Promise<z.output<Schema>>;

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
  const call: Call = (request) => {
    const isRead = !isMutation(request);
    const policy = { ...options, signal: request.signal, isRead };
    const persist = (): Promise<z.output<typeof request.schema>> =>
      retrying((attempt) => attemptCall(client, request, attempt, clock), policy);
    return isRead ? persist() : lane(persist);
  };
  return Object.assign(call, { mapping });
};

const isMutation = ({ route }: Pick<GoogleCall<z.ZodType>, 'route'>): boolean => !route.startsWith('GET ');

const attemptCall = async <Schema extends z.ZodType>(
  client: GoogleClient,
  call: GoogleCall<Schema>,
  attempt: number,
  clock: Clock,
): Promise<z.output<Schema>> => {
  const { route, schema, signal, hasSyncToken = false } = call;
  const context = {
    route,
    isMutation: isMutation(call),
    hasSyncToken,
    limitFloorMs: limitFloorMs(attempt),
    nowMs: clock.now(),
  };
  await authorise(client, false, context, signal);
  const answer = await sendOnce(client, call, context).catch(async (error: unknown) => {
    if (!(error instanceof UnauthenticatedError)) throw error;
    await authorise(client, true, context, signal);
    return sendOnce(client, call, context);
  });
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  throw new UnreadableError(`Google's answer to ${route} is not of the documented shape`, {
    status: 200,
    route,
    applied: context.isMutation ? 'unknown' : 'no',
    cause: parsed.error,
  });
};

const sendOnce = async <Schema extends z.ZodType>(
  { people, rootUrl }: GoogleClient,
  { send, signal }: GoogleCall<Schema>,
  context: RequestContext,
): Promise<unknown> => {
  try {
    return (await send(people, { signal, rootUrl })).data;
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
    // Calls share the token request, so an aborted call only stops waiting for it.
    await untilAborted(client.authorise(force), signal);
  } catch (error) {
    signal.throwIfAborted();
    throw toTokenError(error, context);
  }
};

const FIRST_LIMIT_FLOOR_MS = 5_000;
/** Google's quotas are per minute, so waiting longer than this window has no benefit. */
const QUOTA_WINDOW_MS = 60_000;

const limitFloorMs = (attempt: number): number =>
  Math.min(QUOTA_WINDOW_MS, FIRST_LIMIT_FLOOR_MS * 2 ** Math.max(0, attempt - 1));
