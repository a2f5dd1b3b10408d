import type { FeedPage, ReadAnswer, UpdateRequest } from '../../../src/core/contact/requests.ts';
import type { Side } from '../../../src/core/contact/side.ts';
import { atSide } from '../../../src/providers/at-side.ts';
import type { PullRequest, Remote, WriteResult } from '../../../src/providers/remote.ts';
import type { Store } from '../../../src/store/store.ts';
import type { MemoryRemote } from '../memory-remote.ts';
import type { VirtualClock } from '../clocks.ts';
import { faultyGroupWrite, faultyPage, faultyRead, faultyWrite, type Fault } from './incidents.ts';

/** The process died: its later calls have no effect. */
class CrashError extends Error {
  constructor() {
    super('the process died');
    this.name = 'CrashError';
  }
}

/** The calls of a remote that a fault can be aimed at. */
export type WriteOp = 'create' | 'update' | 'changeMembership' | 'delete' | 'merge';

/** A fault in a write, or the death of the process right after the write was applied. */
export type Aimed = Fault | 'kill';

export type ProcessPlan = {
  /** The step at which the process dies; null for none. */
  readonly crash: { readonly step: number; readonly when: 'before' | 'after' } | null;
  /** The fault of a call of a remote, by its number in this process. */
  readonly faultAt: (call: number) => Fault | undefined;
  /** The fault of a write by its kind. */
  readonly aimedAt?: (op: WriteOp, side: Side) => Aimed | undefined;
  /** Called after a write with an aimed fault. */
  readonly afterAimed?: (op: WriteOp, side: Side) => void;
  /** Called when updates of contacts are requested. */
  readonly onAsked?: (side: Side, requests: readonly UpdateRequest[]) => void;
  /** Called when the outcome of updates is known to the engine. */
  readonly onKnown?: (requests: readonly UpdateRequest[]) => void;
  /** Called when the answer to an update of a contact reaches the engine. */
  readonly onAnswered?: (side: Side, id: string) => void;
  /** Whether a row is unreadable in this process. */
  readonly isUnreadable?: (side: Side, id: string) => boolean;
  /** Whether the side does not know a contact in this process: its listings leave it out, and reads do not find it. */
  readonly isLost?: (side: Side, id: string) => boolean;
  /** Called before each call of a remote, for edits during a run. */
  readonly beforeCall: (call: number) => void;
  /** Whether full listings of this process omit one contact. */
  readonly hidesOne: () => boolean;
  /** Whether a listing may omit this contact: it must be linked already. */
  readonly mayHide: (side: Side, id: string) => boolean;
  /** Called when a fault was applied. */
  readonly onFault: (fault: Fault) => void;
  /** Varies the interleaving and the duration of calls. */
  readonly salt: number;
};

/** One process: its store and its remotes, with faults. */
export type Process = {
  readonly store: Store;
  readonly remotes: Readonly<Record<Side, Remote>>;
  readonly isDead: () => boolean;
  readonly steps: () => number;
  readonly calls: () => number;
};

const STALL_MS = 20_000;
const UNREADABLE = 'a documented list is absent';

const mix = (salt: number, step: number): number => {
  let hash = Math.imul(salt ^ (step + 0x9e3779b9), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
};

const MUTATIONS = new Set<string | symbol>(['acquireLease', 'releaseLease', 'commit']);

type Core = ReturnType<typeof createCore>;

const createCore = (clock: VirtualClock, plan: ProcessPlan) => {
  let steps = 0;
  let calls = 0;
  let dead = false;
  const assertAlive = (): void => {
    if (dead) throw new CrashError();
  };
  const dieAt = (step: number, when: 'before' | 'after'): void => {
    if (plan.crash?.step === step && plan.crash.when === when) dead = true;
    assertAlive();
  };
  const beginStep = (): number => {
    assertAlive();
    steps += 1;
    dieAt(steps, 'before');
    return steps;
  };
  const wait = async (step: number): Promise<void> => {
    const random = mix(plan.salt, step);
    for (let tick = random % 5; tick > 0; tick -= 1) await Promise.resolve();
    clock.advance(20 + (random % 300));
  };
  return {
    assertAlive,
    beginStep,
    endStep: (step: number) => dieAt(step, 'after'),
    isDead: () => dead,
    steps: () => steps,
    calls: () => calls,
    /** Performs one call of a remote with the effects of the process plan; `send` applies the fault. */
    call: async <T>(
      signal: AbortSignal,
      send: (fault: Fault | undefined) => Promise<T>,
      aim?: { readonly op: WriteOp; readonly side: Side },
    ): Promise<T> => {
      const step = beginStep();
      signal.throwIfAborted();
      await wait(step);
      calls += 1;
      const aimed = dead || aim === undefined ? undefined : plan.aimedAt?.(aim.op, aim.side);
      const numbered = dead ? undefined : plan.faultAt(calls);
      const fault = aimed === undefined || aimed === 'kill' ? numbered : aimed;
      if (!dead) plan.beforeCall(calls);
      if (fault === 'stall') {
        plan.onFault(fault);
        clock.advance(STALL_MS);
      }
      // A call that was in progress when the process died may arrive or not.
      if (dead && mix(plan.salt, step + 7_919) % 2 === 0) throw new CrashError();
      const result = await send(fault);
      if (aim !== undefined && aimed !== undefined) {
        if (aimed === 'kill') dead = true;
        plan.afterAimed?.(aim.op, aim.side);
        assertAlive();
      }
      await wait(step + 104_729);
      dieAt(step, 'after');
      return result;
    },
  };
};

const wrapStore = (core: Core, store: Store): Store => {
  const call = (name: string | symbol, method: (...given: unknown[]) => Promise<unknown>) => {
    return async (...given: unknown[]): Promise<unknown> => {
      if (!MUTATIONS.has(name)) {
        core.assertAlive();
        return method(...given);
      }
      const step = core.beginStep();
      const result = await method(...given);
      core.endStep(step);
      return result;
    };
  };
  return new Proxy(store, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? call(name, value as (...given: unknown[]) => Promise<unknown>) : value;
    },
  });
};

const wrapRemote = (core: Core, plan: ProcessPlan, side: Side, remote: MemoryRemote): Remote => {
  const { checksVersions } = remote.provider;
  const { merge } = remote;
  const read = <T>(signal: AbortSignal, send: () => Promise<T>): Promise<T> =>
    core.call(signal, (fault) => {
      if (fault !== undefined) {
        try {
          faultyRead(fault);
        } catch (error) {
          plan.onFault(fault);
          throw error;
        }
      }
      return send();
    });
  const write = <Item extends { readonly key: string }, Value>(
    op: WriteOp,
    items: readonly Item[],
    signal: AbortSignal,
    send: (items: readonly Item[]) => Promise<readonly WriteResult<Value>[]>,
  ): Promise<readonly WriteResult<Value>[]> =>
    core.call(
      signal,
      async (fault) => {
        if (fault === undefined) return send(items);
        const results = await faultyWrite(fault, checksVersions, items, send).catch((error: unknown) => {
          plan.onFault(fault);
          throw error;
        });
        if (results !== null) plan.onFault(fault);
        return results ?? send(items);
      },
      { op, side },
    );
  const groupWrite = <Value>(signal: AbortSignal, send: () => Promise<Value>): Promise<Value> =>
    core.call(signal, async (fault) => {
      if (fault === undefined) return send();
      return faultyGroupWrite(fault, send).catch((error: unknown) => {
        plan.onFault(fault);
        throw error;
      });
    });
  let hasPulled = false;
  const isUnreadable = (id: string): boolean => plan.isUnreadable?.(side, id) === true;
  const isLost = (id: string): boolean => plan.isLost?.(side, id) === true;
  const readable = (page: FeedPage): FeedPage => ({
    ...page,
    unchanged: page.unchanged.filter((id) => !isLost(id)),
    changes: page.changes.flatMap((change) => {
      if (change.kind === 'upsert' && isLost(change.record.id)) return [];
      if (change.kind !== 'upsert' || !isUnreadable(change.record.id)) return change;
      return { kind: 'unreadable', id: change.record.id, reason: UNREADABLE };
    }),
  });
  const readSome = async (ids: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, ReadAnswer>> => {
    const answers = await remote.read(ids, signal);
    return new Map(
      [...answers].map(([id, answer]): [string, ReadAnswer] => {
        if (isLost(id)) return [id, { kind: 'gone' }];
        const isHidden = 'record' in answer && isUnreadable(answer.record.id);
        return [id, isHidden ? { kind: 'unreadable', reason: UNREADABLE } : answer];
      }),
    );
  };
  async function* pull(request: PullRequest, signal: AbortSignal): AsyncGenerator<FeedPage> {
    hasPulled = true;
    const pages = remote.pull(request, signal)[Symbol.asyncIterator]();
    while (true) {
      const next = await core.call(signal, async (planned) => {
        const result = await pages.next();
        const fault = planned ?? (plan.hidesOne() ? 'hole' : undefined);
        if (fault === undefined || result.done === true) return result;
        try {
          const page = faultyPage(fault, request.mode, result.value, (id) => plan.mayHide(side, id));
          if (page !== result.value) plan.onFault(fault);
          return { ...result, value: page };
        } catch (error) {
          plan.onFault(fault);
          throw error;
        }
      });
      if (next.done === true) return;
      yield readable(next.value);
      if (next.value.cursor !== null) return;
    }
  }
  return {
    capabilities: remote.capabilities,
    requestCount: () => core.calls(),
    timeToSendMs: () => 0,
    // The identity check before the first write is not counted, because histories number the other calls.
    identify: (signal) => {
      if (!hasPulled) return read(signal, () => remote.identify(signal));
      core.assertAlive();
      return remote.identify(signal);
    },
    pull,
    read: (ids, signal) => read(signal, () => readSome(ids, signal)),
    create: (batch, signal) => write('create', batch, signal, (items) => remote.create(items, signal)),
    update: async (batch, signal) => {
      plan.onAsked?.(side, batch);
      const results = await write('update', batch, signal, (items) => remote.update(items, signal));
      const answered = new Set(results.filter(({ ok }) => ok).map(({ key }) => key));
      for (const { key, current } of batch) if (answered.has(key)) plan.onAnswered?.(side, current.id);
      const unknown = new Set(
        results.filter((each) => !each.ok && each.error.applied === 'unknown').map(({ key }) => key),
      );
      plan.onKnown?.(batch.filter(({ key }) => !unknown.has(key)));
      return results;
    },
    delete: (ids, signal) => {
      const items = ids.map((id) => ({ key: id }));
      return write('delete', items, signal, (some) =>
        remote.delete(
          some.map(({ key }) => key),
          signal,
        ),
      );
    },
    changeMembership: (batch, signal) =>
      write('changeMembership', batch, signal, (items) => remote.changeMembership(items, signal)),
    ...(merge && {
      merge: async (survivorId: string, id: string, signal: AbortSignal) => {
        const send = async (items: readonly { readonly key: string }[]) =>
          items.length === 0 ? [] : [await merge(survivorId, id, signal)];
        const [result] = await write('merge', [{ key: id }], signal, send);
        if (result === undefined) throw new Error('The merge was not answered.');
        return result;
      },
    }),
    findCreated: (requests, sinceMs, isTaken, signal) =>
      read(signal, () => remote.findCreated(requests, sinceMs, isTaken, signal)),
    listGroups: (signal) => read(signal, () => remote.listGroups(signal)),
    readGroup: (id, signal) => read(signal, () => remote.readGroup(id, signal)),
    createGroup: (name, signal) => groupWrite(signal, () => remote.createGroup(name, signal)),
    renameGroup: (group, name, signal) => groupWrite(signal, () => remote.renameGroup(group, name, signal)),
    deleteGroup: (id, signal) => groupWrite(signal, () => remote.deleteGroup(id, signal)),
  };
};

/** Starts a process. Each mutation of the store and each call of a remote is a numbered step. */
export const startProcess = (
  given: {
    readonly store: Store;
    readonly remotes: Readonly<Record<Side, MemoryRemote>>;
    readonly clock: VirtualClock;
  },
  plan: ProcessPlan,
): Process => {
  const core = createCore(given.clock, plan);
  return {
    store: wrapStore(core, given.store),
    remotes: {
      left: atSide('left', wrapRemote(core, plan, 'left', given.remotes.left)),
      right: atSide('right', wrapRemote(core, plan, 'right', given.remotes.right)),
    },
    isDead: core.isDead,
    steps: core.steps,
    calls: core.calls,
  };
};
