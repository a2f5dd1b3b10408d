import { createHash, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { systemClock, type Clock } from './clock.ts';
import { ConfigError, type Config, type LinkConfig } from './config.ts';
import type { Side } from './contact/contact.ts';
import type { Events } from './events.ts';
import { createGate, type Gate } from './http/gate.ts';
import type { RateLimit } from './http/rate-headers.ts';
import { createTransport, type TransportRequest } from './http/transport.ts';
import type { Remote } from './remotes/remote.ts';
import { openStore, type FileStore } from './store/sqlite-store.ts';
import type { RunKind } from './store/store.ts';
import type { LinkContext } from './sync/context.ts';
import type { RunEvent } from './sync/run-event.ts';
import { logResult, logRunEvent } from './sync/run-log.ts';
import { planLink, runLink, type PlanResult, type RunResult } from './sync/run.ts';

/** What tests and the demo may replace. */
export type AppOverrides = {
  readonly clock?: Clock;
  /** At least 0, less than 1. */
  readonly random?: () => number;
  readonly newId?: () => string;
};

export type LinkRunOptions = {
  readonly kind: RunKind;
  readonly acceptDeletes: boolean;
  readonly signal: AbortSignal;
  readonly onEvent?: (event: RunEvent) => void;
};

/** The program, put together: everything that a command or a job needs. */
export type App = {
  readonly config: Config;
  readonly store: FileStore;
  /** Runs one link; throws {@link LeaseError} where another process works on it, {@link ConfigError} without tokens. */
  run(link: LinkConfig, options: LinkRunOptions): Promise<RunResult>;
  /** Plans a run on a copy of the store and writes nothing anywhere; throws what keeps it from planning. */
  plan(link: LinkConfig, options: Omit<LinkRunOptions, 'acceptDeletes'>): Promise<PlanResult>;
  [Symbol.asyncDispose](): Promise<void>;
};

/** How long one request may be tried again and again; with the timeouts below a command gives up within 90 s. */
const RETRY_BUDGET_MS = 25_000;
const SERVICE_TIMEOUT_MS = 15_000;
/** A batch of 200 contacts takes Google longer than one contact takes the service. */
const GOOGLE_TIMEOUT_MS = 30_000;

const digest = (secret: string): string => createHash('sha256').update(secret).digest('hex').slice(0, 32);

const storedBudget = z.object({
  completedAtMs: z.array(z.number()),
  unanswered: z.number(),
  stoppedUntilMs: z.number(),
  kind: z.enum(['unknown', 'fixed', 'sliding']),
});

type Transport = ReturnType<typeof createTransport>;

type Parts = {
  readonly clock: Clock;
  readonly random: () => number;
  readonly newId: () => string;
  readonly events: Events;
  readonly store: FileStore;
  /** One gate for each limit, shared by every link that uses the same credential. */
  readonly gates: Map<string, Gate>;
  readonly transports: Transport[];
};

const openGate = async (
  parts: Parts,
  key: string,
  { link, side, limit }: { link: string; side: Side; limit: RateLimit },
): Promise<Gate> => {
  const known = parts.gates.get(key);
  if (known !== undefined) return known;
  const { clock, random, store, events } = parts;
  const text = await store.loadBudget(key);
  const gate = createGate({
    limit,
    clock,
    random,
    snapshot: text === null ? null : storedBudget.parse(JSON.parse(text)),
    onLimited: ({ stoppedForMs }) => events.rateLimited({ link, side, retryAfterMs: stoppedForMs }),
  });
  parts.gates.set(key, gate);
  return gate;
};

const saveBudgets = async ({ gates, store }: Parts): Promise<void> => {
  for (const [key, gate] of gates) await store.saveBudget(key, JSON.stringify(gate.snapshot()));
};

/** A side's one way out to the network, with a count of what went through it. */
const openTransport = (
  parts: Parts,
  timeoutMs: number,
  gatesFor: (request: TransportRequest) => readonly Gate[],
): { dispatcher: Transport; requestCount: () => number } => {
  let requests = 0;
  const dispatcher = createTransport({
    gatesFor,
    onAttempt: () => {
      requests += 1;
    },
    headersTimeoutMs: timeoutMs,
    bodyTimeoutMs: timeoutMs,
  });
  parts.transports.push(dispatcher);
  return { dispatcher, requestCount: () => requests };
};

const openService = async (parts: Parts, link: LinkConfig, accessToken: string): Promise<Remote> => {
  const { createServiceRemote } = await import('./remotes/service/service-remote.ts');
  const limit = link.service.rateLimit;
  const gate = await openGate(parts, `service ${digest(accessToken)}`, { link: link.name, side: 'service', limit });
  const transport = openTransport(parts, SERVICE_TIMEOUT_MS, () => [gate]);
  const { clock, random } = parts;
  const { baseUrl } = link.service;
  return createServiceRemote({ baseUrl, accessToken, ...transport, clock, random, maxElapsedMs: RETRY_BUDGET_MS });
};

const openGoogle = async (parts: Parts, link: LinkConfig, refreshToken: string): Promise<Remote> => {
  const { createGoogleRemote } = await import('./remotes/google/google-remote.ts');
  const { classifyGoogleRequest } = await import('./remotes/google/limits.ts');
  const { clientId, clientSecret, rootUrl, tokenUrl, readLimit, writeLimit } = link.google;
  const key = `google ${digest(refreshToken)}`;
  const shared = { link: link.name, side: 'google' } as const;
  const gates = {
    read: await openGate(parts, `${key} read`, { ...shared, limit: readLimit }),
    write: await openGate(parts, `${key} write`, { ...shared, limit: writeLimit }),
  };
  const transport = openTransport(parts, GOOGLE_TIMEOUT_MS, ({ method, path }) => {
    return classifyGoogleRequest(method, path).map((quota) => gates[quota]);
  });
  const { clock, random } = parts;
  const credentials = { clientId, clientSecret: clientSecret.reveal(), refreshToken };
  return createGoogleRemote({
    rootUrl,
    tokenUrl,
    ...credentials,
    ...transport,
    clock,
    random,
    maxElapsedMs: RETRY_BUDGET_MS,
  });
};

const requireTokens = (link: LinkConfig): { accessToken: string; refreshToken: string } => {
  const accessToken = link.service.accessToken?.reveal();
  const refreshToken = link.google.refreshToken?.reveal();
  const problems = [
    ...(accessToken === undefined
      ? [
          {
            where: 'SERVICE_ACCESS_TOKEN',
            what: `is not set for the link ${link.name}. Set it or SERVICE_ACCESS_TOKEN_FILE.`,
          },
        ]
      : []),
    ...(refreshToken === undefined
      ? [
          {
            where: 'GOOGLE_REFRESH_TOKEN',
            what: `is not set for the link ${link.name}. Set it or GOOGLE_REFRESH_TOKEN_FILE.`,
          },
        ]
      : []),
  ];
  if (accessToken === undefined || refreshToken === undefined) throw new ConfigError(problems);
  return { accessToken, refreshToken };
};

const openContext = async (parts: Parts, link: LinkConfig): Promise<LinkContext> => {
  const { accessToken, refreshToken } = requireTokens(link);
  return {
    link: link.name,
    policy: {
      direction: link.direction,
      conflicts: link.conflictPolicy,
      deletes: link.deletePolicy,
      deleteLimit: link.deleteLimit,
      buckets: link.buckets,
    },
    sweepIntervalMs: link.sweepIntervalMs,
    remotes: {
      google: await openGoogle(parts, link, refreshToken),
      service: await openService(parts, link, accessToken),
    },
    credentials: { google: digest(refreshToken), service: digest(accessToken) },
    store: parts.store,
    clock: parts.clock,
    newId: parts.newId,
  };
};

/**
 * Puts the program together: the only place that knows every room. Opens the store; remotes are opened when first used.
 *
 * @throws {StoreError} where the database cannot be used.
 */
export const createApp = (config: Config, events: Events, overrides: AppOverrides = {}): App => {
  const { clock = systemClock, random = Math.random, newId = randomUUID } = overrides;
  const store = openStore(join(config.dataDir, 'contact-sync.db'));
  const parts: Parts = { clock, random, newId, events, store, gates: new Map(), transports: [] };
  const contexts = new Map<string, Promise<LinkContext>>();
  const contextOf = (link: LinkConfig): Promise<LinkContext> => {
    const known = contexts.get(link.name);
    if (known !== undefined) return known;
    const opening = openContext(parts, link);
    contexts.set(link.name, opening);
    return opening;
  };
  const tell = (link: LinkConfig, options: { readonly onEvent?: (event: RunEvent) => void }) => {
    return (event: RunEvent, run: string): void => {
      logRunEvent(events, { link: link.name, run }, event);
      options.onEvent?.(event);
    };
  };
  return {
    config,
    store,
    run: async (link, options) => {
      const result = await runLink(await contextOf(link), { ...options, onEvent: tell(link, options) });
      await saveBudgets(parts);
      logResult(events, result);
      return result;
    },
    plan: async (link, options) => {
      const copy = store.copy();
      try {
        const context = { ...(await contextOf(link)), store: copy };
        return await planLink(context, { ...options, acceptDeletes: false, onEvent: tell(link, options) });
      } finally {
        await copy.close();
        await saveBudgets(parts);
      }
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(parts.transports.map((transport) => transport.close()));
      await store.close();
    },
  };
};
