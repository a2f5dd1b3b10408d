import type { Clock } from '../util/clock.ts';
import { createGate, type Gate, type GateOptions } from './gate.ts';
import { parseGovernorState, type GovernorState } from './governor-state.ts';
import type { RateLimit } from './rate-headers.ts';
import type { RedisRings } from './redis-ring.ts';
import { createLocalRing, type RequestRing } from './ring.ts';

export type GatesOptions = {
  readonly clock: Clock;
  /** At least 0, less than 1. */
  readonly random: () => number;
  /** Where budgets outlast the process. */
  readonly store: {
    budget(key: string): Promise<string | null>;
    saveBudget(key: string, stateJson: string): Promise<void>;
  };
  /** The Redis through which all processes share their limits; null: this process has them for itself. */
  readonly redisUrl: string | null;
};

/** The gates of a process, one for each limit. */
export type Gates = {
  /** The gate of that name, opened when first asked for; the limit is that of the latest call. */
  open(name: string, limit: RateLimit, onLimited: NonNullable<GateOptions['onLimited']>): Promise<Gate>;
  /**
   * Stores what the next process must know of the gates that were used since this was last done; of one that was stored a
   * moment ago a later call does, or the end: a process that dies forgets the requests of a second at most.
   */
  save(): Promise<void>;
  /**
   * Lets go of the gates that nobody needs any more, and through which nothing has gone for so long that no run can be under
   * way that holds one. What is stored of them stays.
   */
  keep(isNeeded: (name: string) => boolean): Promise<void>;
  /** Stores what was used since, too. */
  close(): Promise<void>;
};

/** A budget lists every request of its window: where many runs share it, storing it for each would cost more than they do. */
const SAVE_EVERY_MS = 1_000;

/** Longer than a run waits at a gate, which a remote may close for an hour. */
const LET_GO_AFTER_MS = 2 * 3_600_000;

/** A Redis that has not learnt by then of the requests that ended is not there. */
const LONGEST_END_MS = 1_000;

/** The same gate, which tells when a request enters it and when one has ended. */
const telling = (gate: Gate, tell: () => void): Gate => ({
  ...gate,
  acquire: async (...of) => {
    tell();
    const permit = await gate.acquire(...of);
    return {
      done: (answer) => {
        tell();
        permit.done(answer);
      },
    };
  },
});

/** When gates were used, and what is to be stored of them. */
const createUses = ({ clock, store }: GatesOptions, gates: ReadonlyMap<string, Promise<Gate>>) => {
  /** Those of which something is not stored yet. */
  const used = new Set<string>();
  const usedAtMs = new Map<string, number>();
  const savedAtMs = new Map<string, number>();
  const begin = (name: string): void => void usedAtMs.set(name, clock.monotonic());
  const agoMs = (times: ReadonlyMap<string, number>, name: string): number =>
    clock.monotonic() - (times.get(name) ?? -Infinity);
  return {
    begin,
    note: (name: string): void => {
      begin(name);
      used.add(name);
    },
    isDue: (name: string): boolean => agoMs(savedAtMs, name) >= SAVE_EVERY_MS,
    /** Whether no run can be under way that uses it, and everything of it is stored. */
    isOver: (name: string): boolean => !used.has(name) && agoMs(usedAtMs, name) >= LET_GO_AFTER_MS,
    forget: (name: string): void => {
      for (const times of [usedAtMs, savedAtMs]) times.delete(name);
    },
    save: async (isMeant: (name: string) => boolean): Promise<void> => {
      const names = [...used];
      for (const name of names) {
        // One that is used meanwhile, or could not be stored, is the next call's too; one that a call besides this one has
        // taken up is that one's alone.
        const gate = await gates.get(name);
        if (gate === undefined || !isMeant(name) || !used.delete(name)) continue;
        savedAtMs.set(name, clock.monotonic());
        await store.saveBudget(name, JSON.stringify(gate.snapshot())).catch((error: unknown) => {
          used.add(name);
          savedAtMs.delete(name);
          throw error;
        });
      }
    },
  };
};

/** Gates that go on from the budgets of the process before. Redis is connected to when the first one is opened. */
export const createGates = (options: GatesOptions): Gates => {
  const { clock, random, store, redisUrl } = options;
  const gates = new Map<string, Promise<Gate>>();
  const uses = createUses(options, gates);
  let rings: Promise<RedisRings> | null = null;

  const openRing = async (name: string, limit: RateLimit, snapshot: GovernorState | null): Promise<RequestRing> => {
    if (redisUrl === null) return createLocalRing(limit, clock, snapshot);
    rings ??= import('./redis-ring.ts').then(({ createRedisRings }) => createRedisRings(redisUrl));
    return (await rings).open(name, { limit, clock, snapshot });
  };
  const openGate = async (name: string, limit: RateLimit, onLimited: GateOptions['onLimited']): Promise<Gate> => {
    const text = await store.budget(name);
    const ring = await openRing(name, limit, text === null ? null : parseGovernorState(text));
    return telling(createGate({ ring, clock, random, ...(onLimited && { onLimited }) }), () => uses.note(name));
  };
  return {
    open: (name, limit, onLimited) => {
      const known = gates.get(name)?.then((gate) => {
        gate.use(limit);
        return gate;
      });
      if (known !== undefined) return known;
      uses.begin(name);
      const gate = openGate(name, limit, onLimited);
      gates.set(name, gate);
      gate.catch(() => gates.delete(name));
      return gate;
    },
    save: () => uses.save(uses.isDue),
    keep: async (isNeeded) => {
      await uses.save((name) => !isNeeded(name));
      for (const name of gates.keys()) {
        if (isNeeded(name) || !uses.isOver(name)) continue;
        gates.delete(name);
        uses.forget(name);
      }
    },
    close: async () => {
      // An end that another process does not learn of holds its place in a shared ring until the lease of that is over.
      const ends = [...gates.values()].map((gate) => gate.then((opened) => opened.settled()).catch(() => undefined));
      const settled = new AbortController();
      await Promise.race([Promise.all(ends), clock.sleep(LONGEST_END_MS, settled.signal).catch(() => undefined)]);
      settled.abort();
      await uses.save(() => true).catch(() => undefined);
      await (await rings)?.close();
    },
  };
};
