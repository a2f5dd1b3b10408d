import { lazyAgent, networkFor, type NetworkParts } from '../../src/app/network.ts';
import { systemClock } from '../../src/util/clock.ts';
import { loadConfig } from '../../src/app/config/config.ts';
import type { LinkConfig } from '../../src/app/config/link-config.ts';
import { otherSide, SIDES, type Side } from '../../src/core/contact/side.ts';
import { createEvents } from '../../src/engine/events.ts';
import { createGates } from '../../src/net/gates.ts';
import { createLogger } from '../../src/util/logger.ts';
import { providerNamed } from '../../src/providers/registry.ts';
import type { Remote } from '../../src/providers/remote.ts';
import { openStore } from '../../src/store/sqlite/sqlite-store.ts';
import { LeaseChecks } from '../../src/engine/lease.ts';
import { serve } from './child.ts';
import { measureOwn, type Cost } from './own-cost.ts';

const NEVER = new AbortController().signal;

const openParts = (): NetworkParts => {
  const clock = systemClock;
  const { random } = Math;
  const store = openStore(':memory:');
  return {
    clock,
    random,
    events: createEvents(createLogger({ level: 'silent', format: 'json', destination: process.stderr }), {
      personalData: false,
    }),
    gates: createGates({ clock, random, store, redisUrl: null }),
    connections: new Map(),
    leaseChecks: new LeaseChecks(),
    agent: lazyAgent().open,
  };
};

const openSide = (parts: NetworkParts, link: LinkConfig, side: Side): Promise<Remote> => {
  const { provider, settings, token } = link.sides[side];
  return providerNamed(provider).openRemote(
    settings,
    token?.reveal() ?? '',
    networkFor(parts, link, side),
    link.fields,
  );
};

/** Creates every contact of `from` on `to`, with as many concurrent requests as a run. Returns the number of contacts. */
const copyAll = async (from: Remote, to: Remote): Promise<number> => {
  let copied = 0;
  for await (const { changes } of from.pull({ mode: 'whole', resume: null }, NEVER)) {
    const queue = changes.values();
    const work = async (): Promise<void> => {
      for (const change of queue) {
        if (change.kind !== 'upsert') throw new Error(`A contact came as ${change.kind}.`);
        const { contact, id } = change.record;
        const [result] = await to.create([{ key: id, draft: contact, groupIds: [], originId: id }], NEVER);
        if (result?.ok !== true) throw result?.error ?? new Error('Nothing was answered.');
        copied += 1;
      }
    };
    await Promise.all(Array.from({ length: to.capabilities.writeConcurrency }, work));
  }
  return copied;
};

type Copied = Cost & { readonly copied: number };

/**
 * Copies Google's contacts to the service with only the providers, in one process: nothing is compared, planned, stored or
 * journaled. This is the minimum cost of a first sync that reads and writes through the providers.
 */
const copy = async (environment: Record<string, string>): Promise<Copied> => {
  const { links } = loadConfig({ env: environment, configPath: null, cwd: process.cwd() });
  const [link] = links;
  const google = SIDES.find((side) => link?.sides[side].provider === 'google');
  if (link === undefined || google === undefined) throw new Error('There is no link with Google.');
  const parts = openParts();
  const from = await openSide(parts, link, google);
  const to = await openSide(parts, link, otherSide(google));
  let copied = 0;
  const cost = await measureOwn(async () => void (copied = await copyAll(from, to)));
  return { ...cost, copied };
};

const handlers = { copy };
export type CopyProcess = typeof handlers;
serve(handlers);
