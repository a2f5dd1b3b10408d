import type { Clock } from '../util/clock.ts';
import { createGate, type Gate, type GateOptions } from './gate.ts';
import { parseGovernorState, type GovernorState } from './governor-state.ts';
import type { RateLimit } from '../util/values.ts';
import type { RedisLimiters } from './redis-limiter.ts';
import { createLocalLimiter, type RateLimiter } from './limiter.ts';

type GatesOptions = {
  readonly clock: Clock;
  /** At least 0, less than 1. */
  readonly random: () => number;
  /** Stores the budgets for the next process. */
  readonly store: {
    budget(key: string): Promise<string | null>;
    saveBudget(key: string, stateJson: string): Promise<void>;
  };
  /** The Redis through which processes share their limits; null if this process does not share them. */
  readonly redisUrl: string | null;
};

type OnLimited = NonNullable<GateOptions['onLimited']>;

/** A budget lists every request of its window. If many runs share it, storing it after each run would cost more than the runs. */
const SAVE_EVERY_MS = 1_000;

/** The longest time to wait until Redis has recorded the requests that ended. */
const LONGEST_END_MS = 1_000;

/** Records which gates have state that is not stored yet, and stores it. */
const createUses = ({ clock, store }: GatesOptions, gates: ReadonlyMap<string, Promise<Gate>>) => {
  const used = new Set<string>();
  const savedTickMs = new Map<string, number>();
  return {
    note: (name: string): void => void used.add(name),
    isDue: (name: string): boolean => clock.monotonic() - (savedTickMs.get(name) ?? -Infinity) >= SAVE_EVERY_MS,
    save: async (isMeant: (name: string) => boolean): Promise<void> => {
      const names = [...used];
      for (const name of names) {
        // A gate that is used during this call, or could not be stored, stays for the next call. A gate that a concurrent
        // call stores is left to that call.
        const gate = await gates.get(name);
        if (gate === undefined || !isMeant(name) || !used.delete(name)) continue;
        savedTickMs.set(name, clock.monotonic());
        await store.saveBudget(name, JSON.stringify(gate.snapshot())).catch((error: unknown) => {
          used.add(name);
          savedTickMs.delete(name);
          throw error;
        });
      }
    },
  };
};

/** Creates the gates of a process, which continue from the stored budgets. Connects to Redis when the first gate is opened. */
export const createGates = (options: GatesOptions) => {
  const { clock, random, store, redisUrl } = options;
  const gates = new Map<string, Promise<Gate>>();
  const uses = createUses(options, gates);
  let limiters: Promise<RedisLimiters> | null = null;

  const openLimiter = async (name: string, limit: RateLimit, snapshot: GovernorState | null): Promise<RateLimiter> => {
    if (redisUrl === null) return createLocalLimiter(limit, clock, snapshot);
    limiters ??= import('./redis-limiter.ts').then(({ createRedisLimiters }) => createRedisLimiters(redisUrl));
    return (await limiters).open(name, { limit, clock, snapshot });
  };
  const openGate = async (name: string, limit: RateLimit, onLimited: OnLimited): Promise<Gate> => {
    const text = await store.budget(name);
    const limiter = await openLimiter(name, limit, text === null ? null : parseGovernorState(text));
    return createGate({ limiter, clock, random, onLimited, onUse: () => uses.note(name) });
  };
  return {
    /** Returns the gate of that name, and opens it at the first call. It has the limit of the latest call. */
    open: (name: string, limit: RateLimit, onLimited: OnLimited): Promise<Gate> => {
      const known = gates.get(name)?.then((gate) => {
        gate.use(limit);
        return gate;
      });
      if (known !== undefined) return known;
      const gate = openGate(name, limit, onLimited);
      gates.set(name, gate);
      gate.catch(() => gates.delete(name));
      return gate;
    },
    /**
     * Stores the state of the gates that were used since the last call. A gate that was stored less than a second ago is left
     * for a later call or `close`, so a process that dies loses the requests of one second at most.
     */
    save: (): Promise<void> => uses.save(uses.isDue),
    /** Stores the state of all gates that were used, and closes the connection to Redis. */
    close: async (): Promise<void> => {
      // A request whose end Redis has not recorded keeps its place in a shared limiter until the lease of the place expires.
      const ends = [...gates.values()].map((gate) => gate.then((opened) => opened.settled()).catch(() => undefined));
      const settled = new AbortController();
      await Promise.race([Promise.all(ends), clock.sleep(LONGEST_END_MS, settled.signal).catch(() => undefined)]);
      settled.abort();
      await uses.save(() => true).catch(() => undefined);
      await (await limiters)?.close();
    },
  };
};

/** The gates of a process, one for each rate limit. */
export type Gates = ReturnType<typeof createGates>;
