import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { createLeaseHolders } from './lease-holders.ts';
import { warnOfOpenDirectory, keysOf, openStoreOf, type OpenedStore } from './store.ts';
import { keepLinks, credentialDigest, withReadableTokens, type Parts } from './links.ts';
import { lazyAgent, limitsOf, networkFor, trafficOf, type NamedBudget, type Traffic } from './network.ts';
import type { Runs } from './runs.ts';
import { systemClock, type Clock } from '../util/clock.ts';
import type { Config, LinkConfig } from './config/config.ts';
import { bySide, type Side, type Sides } from '../core/contact/side.ts';
import type { Events } from '../engine/events.ts';
import { createGates } from '../net/gates.ts';
import type { Budget } from '../net/governor.ts';
import type { Inspection } from '../providers/provider.ts';
import { providerNamed } from '../providers/registry.ts';
import { createAccessTokens } from '../store/access-tokens.ts';
import { importTokenFile, TOKEN_FILE } from '../store/token-file.ts';
import { openVault, type Vault } from '../store/vault.ts';
import { openLinkShelf, type LinkShelf } from '../store/hosted-links.ts';
import type { HostedStore } from '../store/hosted.ts';
import type { Store } from '../store/store.ts';
import { LeaseChecks, type LeaseHolders } from '../engine/lease.ts';

/** What tests and the demo may replace. */
export type AppOverrides = {
  readonly clock?: Clock;
  /** At least 0, less than 1. */
  readonly random?: () => number;
  readonly newId?: () => string;
  /** In place of the one that the configuration names. */
  readonly store?: HostedStore;
};

/** The program, put together: everything that a command or a job needs. */
export type App = Runs & {
  readonly config: Config;
  readonly store: Store;
  /** The tokens that `connect` stored. */
  readonly vault: Vault;
  /** The links that the database keeps; null where it keeps none. */
  readonly shelf: LinkShelf | null;
  /** What this machine knows of the processes that hold leases. */
  readonly holders: LeaseHolders;
  /** Asks a side, with one request of its API and no retries, who is behind a token. Throws a RemoteError. */
  inspect(link: LinkConfig, side: Side, token: string, signal: AbortSignal): Promise<Inspection>;
  /** Lists the address books, or the like, that an account may have several of. Throws a RemoteError. */
  collections(
    link: LinkConfig,
    side: Side,
    token: string,
    signal: AbortSignal,
  ): Promise<readonly { readonly value: string; readonly name: string }[]>;
  /** A one-way digest of each side's credential as it is now; null where there is none. */
  credentials(link: LinkConfig): Promise<Sides<string | null>>;
  /** The requests that are free now, as the last process left them; null without a token, or where the remote does not say. */
  budget(link: LinkConfig): Promise<Sides<Budget | null>>;
  /** The rate limits that the link's requests count against, as far as its runs in this process have met them. */
  limits(link: string): readonly NamedBudget[];
  /** What this process has sent to the sides that it has reached so far. */
  traffic(): readonly Traffic[];
  /** Lets go of what this process has opened for any link but these; a run under way goes on with what it has. */
  keep(links: ReadonlySet<string>): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

/** The tokens of `connect`, in the database of the state. On SQLite the file of an earlier version is moved there. */
const openVaultOf = (config: Config, { store, isShared }: OpenedStore, clock: Clock): Vault => {
  const shared = { ...keysOf(config), clock, rows: store.hosted };
  if (isShared) return openVault({ ...shared, setting: 'DATABASE_URL' });
  const file = join(config.dataDir, TOKEN_FILE);
  return openVault({ ...shared, setting: 'DATA_DIR', prepare: () => importTokenFile(store.hosted, file) });
};

/** The runs, loaded with both remotes and the whole engine when the first one is asked for. */
const createLazyRuns = (parts: Parts): Runs => {
  let loaded: Promise<Runs> | null = null;
  const runs = (): Promise<Runs> => (loaded ??= import('./runs.ts').then(({ createRuns }) => createRuns(parts)));
  return {
    run: async (...of) => (await runs()).run(...of),
    plan: async (...of) => (await runs()).plan(...of),
    undo: async (...of) => (await runs()).undo(...of),
    planUndo: async (...of) => (await runs()).planUndo(...of),
    mergeDuplicates: async (...of) => (await runs()).mergeDuplicates(...of),
    planMerge: async (...of) => (await runs()).planMerge(...of),
  };
};

const createInspector = (parts: Parts): Pick<App, 'inspect' | 'collections'> => ({
  inspect: async (link, side, token, signal) => {
    const { provider, settings } = link.sides[side];
    const network = networkFor(parts, link, side);
    const inspection = await providerNamed(provider).inspect(settings, token, network, signal);
    await parts.gates.save();
    return inspection;
  },
  collections: async (link, side, token, signal) => {
    const { provider, settings } = link.sides[side];
    const { collection } = providerNamed(provider);
    return (await collection?.list(settings, token, networkFor(parts, link, side), signal)) ?? [];
  },
});

/**
 * Puts the program together: the only place that knows every room. Opens the store; remotes are opened when first used.
 *
 * @throws {StoreError} where the database cannot be used.
 */
export const createApp = (config: Config, events: Events, overrides: AppOverrides = {}): App => {
  const { clock = systemClock, random = Math.random, newId = randomUUID } = overrides;
  warnOfOpenDirectory(config.dataDir, events);
  const own: OpenedStore | null = overrides.store ? { store: overrides.store, isShared: false } : null;
  const opened = own ?? openStoreOf(config, { clock, events, newId });
  const { store, isShared } = opened;
  const hosted = isShared ? { rows: store.hosted, ...keysOf(config) } : null;
  const gates = createGates({ clock, random, store, redisUrl: config.redisUrl?.reveal() ?? null });
  const vault = openVaultOf(config, opened, clock);
  const accessTokens = hosted === null ? null : createAccessTokens({ ...hosted, clock, newId });
  const holders = createLeaseHolders();
  const { retentionMs } = config;
  const agent = lazyAgent();
  const leaseChecks = new LeaseChecks();
  const reached = { gates, accessTokens, agent: agent.open };
  const shared = { clock, leaseChecks, random, newId, events, store, ...reached };
  const parts: Parts = { ...shared, ways: new Map(), contexts: new Map(), vault, holders, retentionMs };
  return {
    config,
    store,
    vault,
    shelf: hosted === null ? null : openLinkShelf(hosted),
    holders,
    ...createInspector(parts),
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
    limits: (link) => limitsOf(parts.ways, link),
    traffic: () => trafficOf(parts.ways),
    keep: (links) => keepLinks(parts, links),
    [Symbol.asyncDispose]: async () => {
      // What is still under way nobody waits for any more.
      await agent.close();
      await gates.close();
      await store.close();
    },
  };
};
