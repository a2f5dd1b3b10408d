import { randomUUID } from 'node:crypto';
import { openStoreOf } from './open-store.ts';
import { credentialDigest, withReadableTokens, type ContextParts } from './links.ts';
import { lazyAgent, networkFor, trafficOf, type Traffic } from './network.ts';
import type { Runs } from './runs.ts';
import { systemClock, type Clock } from '../util/clock.ts';
import type { Config } from './config/config.ts';
import { namePlaces } from './config/accounts.ts';
import type { LinkConfig } from './config/link-config.ts';
import { bySide, type Side, type Sides } from '../core/contact/side.ts';
import type { Events } from './events.ts';
import { createGates } from '../net/gates.ts';
import { answerAt } from '../providers/at-side.ts';
import type { Inspection } from '../providers/provider.ts';
import { providerNamed } from '../providers/registry.ts';
import { openVault, type StoreWithTokens, type Vault } from '../store/vault.ts';
import type { Store } from '../store/store.ts';
import { LeaseChecks, type LeaseParts } from '../engine/lease.ts';

/** Parts that tests and the demo replace. */
type AppOverrides = {
  readonly clock?: Clock;
  /** Replaces the store of the configuration. */
  readonly store?: StoreWithTokens;
};

/** The program: everything that commands and jobs use. */
export type App = Runs & {
  readonly config: Config;
  readonly store: Store;
  /** The tokens that `connect` stored. */
  readonly vault: Vault;
  /** The parts that a change of a link under its lease needs. */
  readonly lease: LeaseParts;
  /** Reads the account of a token with one request and no retries. Throws a RemoteError. */
  inspect(link: LinkConfig, side: Side, token: string, signal: AbortSignal): Promise<Inspection>;
  /** A one-way digest of the current credential of each side; null without one. */
  credentials(link: LinkConfig): Promise<Sides<string | null>>;
  /** The requests of this process to each side. */
  traffic(): readonly Traffic[];
  /** Releases the connections of all links except these. A current run keeps its own. */
  keep(links: ReadonlySet<string>): void;
  [Symbol.asyncDispose](): Promise<void>;
};

/** The runs, loaded with the engine at the first call. */
const createLazyRuns = (parts: ContextParts): Runs => {
  let loaded: Promise<Runs> | null = null;
  const runs = (): Promise<Runs> => (loaded ??= import('./runs.ts').then(({ createRuns }) => createRuns(parts)));
  return {
    run: async (...of) => (await runs()).run(...of),
    plan: async (...of) => (await runs()).plan(...of),
    undo: async (...of) => (await runs()).undo(...of),
    planUndo: async (...of) => (await runs()).planUndo(...of),
    missing: async (...of) => (await runs()).missing(...of),
  };
};

const inspectorOf =
  (parts: ContextParts): App['inspect'] =>
  async (link, side, token, signal) => {
    const { provider, settings } = link.sides[side];
    const network = networkFor(parts, link, side);
    const answer = providerNamed(provider).inspect(settings, token, network, signal);
    const inspection = await answerAt(side, answer, (message) => namePlaces(message, link.sides[side]));
    await parts.gates.save();
    return inspection;
  };

/**
 * Creates the program. Opens the store; remotes are opened when they are first used.
 *
 * @throws {StoreError} if the database cannot be used.
 */
export const createApp = (config: Config, events: Events, overrides: AppOverrides = {}): App => {
  const { clock = systemClock } = overrides;
  const store = overrides.store ?? openStoreOf(config, { clock, events });
  const gates = createGates({ clock, random: Math.random, store, redisUrl: config.redisUrl?.reveal() ?? null });
  const key = config.credentialsKey?.reveal() ?? null;
  const vault = openVault({ key, clock, rows: store.tokens });
  const lease = { store, clock, newId: randomUUID };
  const agent = lazyAgent();
  const network = { clock, random: Math.random, events, gates, agent: agent.open, leaseChecks: new LeaseChecks() };
  const { retentionMs } = config;
  const parts: ContextParts = { ...network, connections: new Map(), contexts: new Map(), lease, vault, retentionMs };
  return {
    config,
    store,
    vault,
    lease,
    inspect: inspectorOf(parts),
    ...createLazyRuns(parts),
    credentials: async (link) => {
      const { sides } = await withReadableTokens(vault, link);
      return bySide((side) => {
        const { token } = sides[side];
        return token === null ? null : credentialDigest(sides[side], token.reveal());
      });
    },
    traffic: () => trafficOf(parts.connections),
    keep: (links) => {
      for (const byLink of [parts.contexts, parts.connections]) {
        for (const name of byLink.keys()) if (!links.has(name)) byLink.delete(name);
      }
    },
    [Symbol.asyncDispose]: async () => {
      // No caller waits for the requests that are aborted here.
      await agent.close();
      await gates.close();
      await store.close();
    },
  };
};
