import type { StoreChange } from '../../../src/core/state/rows.ts';
import { statSync } from 'node:fs';
import type { Store } from '../../../src/store/store.ts';
import { keptSinceMs } from '../../../src/engine/session.ts';
import { halfOf, operationOf, recordOf } from './rows.ts';

const DAY_MS = 86_400_000;
const LINK = 'default';
const CONTACTS = 200;

/** Number of runs in a day of the soak. */
export const RUNS_A_DAY = 4;

/** The size of the database at this path with its log, in bytes. */
export const sizeOf = (path: string): number =>
  [path, `${path}-wal`].reduce((sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0);

/** A record of the size of a person with a few addresses and a note. */
const personOf = (contact: number, version: number) =>
  recordOf(`l${contact}`, { version: String(version), raw: JSON.stringify({ note: 'x'.repeat(900), version }) });

type Soak = {
  readonly firstRun: number;
  readonly runs: number;
  readonly changesPerRun: number;
  readonly retentionMs: number;
};

/** Stores the rows of runs that update contacts, hours after each other. Returns the size on disk after each run. */
export const soak = async (store: Store, path: string, plan: Soak): Promise<readonly number[]> => {
  const token = (await store.acquireLease(LINK, 'owner', 0, Number.MAX_SAFE_INTEGER)) ?? 0;
  const sizes: number[] = [];
  for (let number = plan.firstRun; number < plan.firstRun + plan.runs; number += 1) {
    const [run, atMs] = [`run-${number}`, (number / RUNS_A_DAY) * DAY_MS];
    const contacts = Array.from({ length: plan.changesPerRun }, (_, index) => {
      return (number * plan.changesPerRun + index) % CONTACTS;
    });
    const beginning = { id: run, kind: 'incremental', undoes: null, startedAtMs: atMs } as const;
    await store.commit(LINK, token, [{ kind: 'run-started', run: beginning }]);
    const intents = contacts.map((contact): StoreChange => {
      return { kind: 'intend', run, operation: operationOf('update', { before: personOf(contact, number) }), atMs };
    });
    const entries = await store.commit(LINK, token, intents);
    const answers = contacts.flatMap((contact, index): StoreChange[] => {
      const after = personOf(contact, number + 1);
      return [
        { kind: 'put', table: 'halves', row: { half: halfOf(after.id, { record: after }), digest: null } },
        { kind: 'journal', id: entries[index] ?? 0, state: 'done', after, error: null, atMs },
      ];
    });
    const end = { outcome: 'completed', reason: null, summary: {}, endedAtMs: atMs } as const;
    const beforeMs = keptSinceMs(plan.retentionMs, atMs) ?? 0;
    await store.commit(LINK, token, [
      ...answers,
      { kind: 'patch-run', id: run, set: end },
      { kind: 'prune', beforeMs },
    ]);
    sizes.push(sizeOf(path));
  }
  return sizes;
};
