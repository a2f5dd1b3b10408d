import type { people_v1 } from '@googleapis/people';
import type { z } from 'zod';
import { createLane } from '../../util/batches.ts';
import { untilAborted } from '../../util/until-aborted.ts';
import { UnauthenticatedError, UnreadableError } from '../errors.ts';
import { appliedWhenSent } from '../failure.ts';
import type { RetryPolicy } from '../../net/retry.ts';
import { retrying } from '../send.ts';
import type { GoogleClient } from './client.ts';
import { USUAL_MAPPING, type PersonMapping } from './fields.ts';
import { toRemoteError, toTokenError, type RequestContext } from './failure.ts';

type CallOptions = { readonly signal: AbortSignal; readonly rootUrl: string };

/** Sends a request with Google's client. */
type SendRequest = (people: people_v1.People, options: CallOptions) => Promise<{ data: unknown }>;

/**
 * Sends one request of an operation and parses its answer. The route has no ids; a GET is a read, any other method a mutation.
 * Throws a {@link RemoteError}, or the reason of the operation's signal. A read is repeated if that may succeed; a mutation only
 * if it certainly was not applied.
 */
type Call = <Schema extends z.ZodType>(
  route: `${'GET' | 'POST' | 'PUT' | 'DELETE'} ${string}`,
  schema: Schema,
  send: SendRequest,
  options?: { readonly hasSyncToken?: boolean },
) => Promise<z.output<Schema>>;

/** Call, with the mapping of the contacts that are read or written. */
export type CallGoogle = Call & { readonly mapping: PersonMapping };

type CallerOptions = RetryPolicy & {
  readonly client: GoogleClient;
  /** {@link USUAL_MAPPING} by default. */
  readonly mapping?: PersonMapping;
};

/** Creates the function that returns the {@link CallGoogle} of an operation: token, mutation lane, retries, errors and parsing. */
export const createCaller = (options: CallerOptions): ((signal: AbortSignal) => CallGoogle) => {
  const { client, clock, mapping = USUAL_MAPPING } = options;
  // Google requires that the mutations of one account are sequential (People API reference, every write).
  const lane = createLane();
  return (signal) => {
    const call: Call = (route, schema, send, { hasSyncToken = false } = {}) => {
      const isRead = route.startsWith('GET ');
      const attempt = async (count: number): Promise<z.output<typeof schema>> => {
        const limits = { limitFloorMs: limitFloorMs(count), nowMs: clock.now() };
        const answer = await sendAuthorised(client, send, { route, isRead, hasSyncToken, ...limits }, signal);
        const parsed = schema.safeParse(answer);
        if (parsed.success) return parsed.data;
        throw new UnreadableError(`Google's answer to ${route} is not of the documented shape`, {
          status: 200,
          route,
          applied: appliedWhenSent({ isRead }),
          cause: parsed.error,
        });
      };
      const persist = (): Promise<z.output<typeof schema>> => retrying(attempt, { ...options, signal, isRead });
      return isRead ? persist() : lane(persist);
    };
    return Object.assign(call, { mapping });
  };
};

/** Sends a request with an access token, and once more with a new one if the token is refused. */
const sendAuthorised = async (
  client: GoogleClient,
  send: SendRequest,
  context: RequestContext,
  signal: AbortSignal,
): Promise<unknown> => {
  const sendOnce = async (): Promise<unknown> => {
    try {
      return (await send(client.people, { signal, rootUrl: client.rootUrl })).data;
    } catch (error) {
      signal.throwIfAborted();
      throw toRemoteError(error, context);
    }
  };
  await authorise(client, false, context, signal);
  return sendOnce().catch(async (error: unknown) => {
    if (!(error instanceof UnauthenticatedError)) throw error;
    await authorise(client, true, context, signal);
    return sendOnce();
  });
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
