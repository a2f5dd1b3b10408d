import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { createLeaseHolders } from './lease-holders.ts';
import { warnOfOpenDirectory } from './data-directory.ts';
import type { Parts } from './links.ts';
import { networkFor, trafficOf, type Traffic } from './network.ts';
import type { Runs } from './runs.ts';
import { credentialDigest, withReadableTokens } from './tokens.ts';
import { lazyTracing } from './tracing.ts';
import { systemClock, type Clock } from '../clock.ts';
import type { Config, LinkConfig } from '../config/config.ts';
import { bySide, type Side, type Sides } from '../contact/side.ts';
import type { Events } from '../events.ts';
import { createGates } from '../http/gates.ts';
import type { Budget } from '../http/governor.ts';
import { createNotifier, type Notifier } from '../notify/notifier.ts';
import type { Inspection } from '../providers/provider.ts';
import { providerNamed } from '../providers/registry.ts';
import { openVault, type Vault } from '../store/credentials.ts';
import { openStore } from '../store/sqlite/sqlite-store.ts';
import type { Store } from '../store/store.ts';
import type { LeaseHolders } from '../sync/lease.ts';

/** What tests and the demo may replace. */
export type AppOverrides = {
  readonly clock?: Clock;
  /** At least 0, less than 1. */
  readonly random?: () => number;
  readonly newId?: () => string;
};

/** The program, put together: everything that a command or a job needs. */
export type App = Runs & {
  readonly config: Config;
  readonly store: Store;
  /** The tokens that `connect` stored. */
  readonly vault: Vault;
  /** What this machine knows of the processes that hold leases. */
  readonly holders: LeaseHolders;
  /** Tells the receiver of NOTIFY_URL how links stand; null where there is none. */
  readonly notifier: Notifier | null;
  /** Asks a side, with one request of its API and no retries, who is behind a token. Throws a RemoteError. */
  inspect(link: LinkConfig, side: Side, token: string, signal: AbortSignal): Promise<Inspection>;
  /** A one-way digest of each side's credential as it is now; null where there is none. */
  credentials(link: LinkConfig): Promise<Sides<string | null>>;
  /** The requests that are free now, as the last process left them; null without a token, or where the remote does not say. */
  budget(link: LinkConfig): Promise<Sides<Budget | null>>;
  /** What this process has sent to the sides that it has reached so far. */
  traffic(): readonly Traffic[];
  [Symbol.asyncDispose](): Promise<void>;
};

const openVaultOf = ({ dataDir, credentialsKey, credentialsKeyOld }: Config, clock: Clock): Vault =>
  openVault({
    path: join(dataDir, 'credentials.json'),
    key: credentialsKey?.reveal() ?? null,
    oldKey: credentialsKeyOld?.reveal() ?? null,
    clock,
  });

/** The runs, loaded with both remotes and the whole engine when the first one is asked for. */
const createLazyRuns = (parts: Parts): Runs => {
  let loaded: Promise<Runs> | null = null;
  const runs = (): Promise<Runs> => (loaded ??= import('./runs.ts').then(({ createRuns }) => createRuns(parts)));
  return {
    run: async (...of) => (await runs()).run(...of),
    plan: async (...of) => (await runs()).plan(...of),
    undo: async (...of) => (await runs()).undo(...of),
    planUndo: async (...of) => (await runs()).planUndo(...of),
  };
};

const openNotifier = (config: Config, parts: Parts): Notifier | null => {
  const { notifyUrl, notifySecret, notifyFormat: format, logPersonalData: personalData } = config;
  if (notifyUrl === null) return null;
  const secret = notifySecret?.reveal() ?? null;
  return createNotifier({ ...parts, url: notifyUrl.reveal(), secret, format, personalData });
};

/**
 * Puts the program together: the only place that knows every room. Opens the store; remotes are opened when first used.
 *
 * @throws {StoreError} where the database cannot be used.
 */
export const createApp = (config: Config, events: Events, overrides: AppOverrides = {}): App => {
  const { clock = systemClock, random = Math.random, newId = randomUUID } = overrides;
  warnOfOpenDirectory(config.dataDir, events);
  const store = openStore(join(config.dataDir, 'contact-sync.db'));
  const gates = createGates({ clock, random, store, redisUrl: config.redisUrl?.reveal() ?? null });
  const vault = openVaultOf(config, clock);
  const holders = createLeaseHolders();
  const { retentionMs } = config;
  const tracing = lazyTracing(config, { clock, events });
  const shared = { clock, random, newId, events, tracing: tracing.open, store, gates };
  const parts: Parts = { ...shared, ways: new Map(), vault, holders, retentionMs };
  return {
    config,
    store,
    vault,
    holders,
    notifier: openNotifier(config, parts),
    inspect: async (link, side, token, signal) => {
      const { provider, settings } = link.sides[side];
      const network = networkFor(parts, link, side);
      const inspection = await providerNamed(provider).inspect(settings, token, network, signal);
      await gates.save();
      return inspection;
    },
    ...createLazyRuns(parts),
    credentials: async (link) => {
      const { sides } = await withReadableTokens(vault, link);
      return bySide((side) => {
        const { token } = sides[side];
        return token === null ? null : credentialDigest(sides[side], token.reveal());
      });
    },
    budget: async (link) => {
      const { sides } = await withReadableTokens(vault, link);
      const budgetOf = async (side: Side): Promise<Budget | null> => {
        const { provider, settings, token } = sides[side];
        const { meter } = providerNamed(provider);
        if (meter === null || token === null) return null;
        return meter.budget(settings, token.reveal(), networkFor(parts, link, side));
      };
      return { left: await budgetOf('left'), right: await budgetOf('right') };
    },
    traffic: () => trafficOf(parts.ways),
    [Symbol.asyncDispose]: async () => {
      // What is still under way nobody waits for any more.
      const outlets = [...parts.ways.values()].flatMap(({ left, right }) => [...left.outlets, ...right.outlets]);
      await Promise.all(outlets.map(({ dispatcher }) => dispatcher.destroy()));
      await gates.close();
      await tracing.close();
      await store.close();
    },
  };
};
