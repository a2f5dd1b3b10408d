import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { cacheContexts, withReadableTokens, type Parts } from './app/links.ts';
import { digest, inspectSide, openServiceGate, type Inspection } from './app/remotes.ts';
import { systemClock, type Clock } from './clock.ts';
import type { Config, LinkConfig } from './config.ts';
import type { Secret } from './config/secret.ts';
import type { Side } from './contact/contact.ts';
import type { Events } from './events.ts';
import { createGates } from './http/gates.ts';
import type { Budget } from './http/governor.ts';
import { openVault, type Vault } from './store/credentials.ts';
import { openStore, type FileStore } from './store/sqlite-store.ts';
import type { RunKind, RunRow } from './store/store.ts';
import type { LinkContext } from './sync/context.ts';
import type { RunEvent } from './sync/run-event.ts';
import { logResult, logRunEvent } from './sync/run-log.ts';
import { planLink, runLink, type PlanResult, type RunResult } from './sync/run.ts';
import { planUndoRun, undoRun } from './sync/undo.ts';

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
  /** Ends the run at once, with requests under way. */
  readonly signal: AbortSignal;
  /** Ends the run before its next page or write. */
  readonly stop?: AbortSignal;
  /** Lists the service whole where that was last done longer ago than this; the link's own interval where left out. */
  readonly sweepAfterMs?: number;
  readonly onEvent?: (event: RunEvent) => void;
};

type UndoRunOptions = Omit<LinkRunOptions, 'kind' | 'stop' | 'sweepAfterMs'>;

/** The program, put together: everything that a command or a job needs. */
export type App = {
  readonly config: Config;
  readonly store: FileStore;
  /** The tokens that `connect` stored. */
  readonly vault: Vault;
  /** Asks a side, with one request of its API and no retries, who is behind a token. Throws a RemoteError. */
  inspect(link: LinkConfig, side: Side, token: string, signal: AbortSignal): Promise<Inspection>;
  /** Runs one link; throws {@link LeaseError} where another process works on it, ConfigError without tokens. */
  run(link: LinkConfig, options: LinkRunOptions): Promise<RunResult>;
  /** Plans a run on a copy of the store and writes nothing anywhere; throws what keeps it from planning. */
  plan(link: LinkConfig, options: Omit<LinkRunOptions, 'acceptDeletes'>): Promise<PlanResult>;
  /** Puts back what a run wrote; throws as `run` does. */
  undo(link: LinkConfig, run: RunRow, options: UndoRunOptions): ReturnType<typeof undoRun>;
  /** Plans an undo on a copy of the store and writes nothing anywhere; throws as `plan` does. */
  planUndo(link: LinkConfig, run: RunRow, options: UndoRunOptions): ReturnType<typeof planUndoRun>;
  /** A one-way digest of each side's credential as it is now; null where there is none. */
  credentials(link: LinkConfig): Promise<Readonly<Record<Side, string | null>>>;
  /** The service's requests that are free now, as the last process left them; null without a token. */
  budget(link: LinkConfig): Promise<Budget | null>;
  [Symbol.asyncDispose](): Promise<void>;
};

const openVaultOf = ({ dataDir, credentialsKey, credentialsKeyOld }: Config, clock: Clock): Vault =>
  openVault({
    path: join(dataDir, 'credentials.json'),
    key: credentialsKey?.reveal() ?? null,
    oldKey: credentialsKeyOld?.reveal() ?? null,
    clock,
  });

/** The runs over one link, whose contexts last from run to run. */
const createRuns = (parts: Parts, store: FileStore): Pick<App, 'run' | 'plan' | 'undo' | 'planUndo'> => {
  const { events } = parts;
  const contextOf = cacheContexts(parts);
  const tell = (link: LinkConfig, options: { readonly onEvent?: (event: RunEvent) => void }) => {
    return (event: RunEvent, run: string): void => {
      logRunEvent(events, { link: link.name, run }, event);
      options.onEvent?.(event);
    };
  };
  /** Works with a copy of the store, so that whatever is done leaves the store as it is. */
  const onCopy = async <T>(link: LinkConfig, work: (context: LinkContext) => Promise<T>): Promise<T> => {
    const copy = store.copy();
    try {
      return await work({ ...(await contextOf(link)), store: copy });
    } finally {
      await copy.close();
      await parts.gates.save();
    }
  };
  return {
    run: async (link, options) => {
      const context = await contextOf(link);
      const sweepIntervalMs = options.sweepAfterMs ?? context.sweepIntervalMs;
      const result = await runLink({ ...context, sweepIntervalMs }, { ...options, onEvent: tell(link, options) });
      await parts.gates.save();
      logResult(events, result);
      return result;
    },
    plan: (link, options) =>
      onCopy(link, (context) => planLink(context, { ...options, acceptDeletes: false, onEvent: tell(link, options) })),
    undo: async (link, run, options) => {
      const undone = await undoRun(await contextOf(link), { ...options, onEvent: tell(link, options) }, run);
      await parts.gates.save();
      logResult(events, undone.result);
      return undone;
    },
    planUndo: (link, run, options) =>
      onCopy(link, (context) => planUndoRun(context, { ...options, onEvent: tell(link, options) }, run)),
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
  const gates = createGates({ clock, random, store, redisUrl: config.redisUrl?.reveal() ?? null });
  const vault = openVaultOf(config, clock);
  const parts: Parts = { clock, random, newId, events, store, gates, transports: [], vault };
  return {
    config,
    store,
    vault,
    inspect: (link, side, token, signal) => inspectSide(parts, link, side, { token, signal }),
    ...createRuns(parts, store),
    credentials: async (link) => {
      const { google, service } = await withReadableTokens(parts, link);
      const digestOf = (secret: Secret | null): string | null => (secret === null ? null : digest(secret.reveal()));
      return { google: digestOf(google.refreshToken), service: digestOf(service.accessToken) };
    },
    budget: async (link) => {
      const accessToken = (await withReadableTokens(parts, link)).service.accessToken?.reveal();
      return accessToken === undefined ? null : (await openServiceGate(parts, link, accessToken)).budget();
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(parts.transports.map((transport) => transport.close()));
      await gates.close();
      await store.close();
    },
  };
};
