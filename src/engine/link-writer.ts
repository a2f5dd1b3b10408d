import { changedLink } from '../core/state/changed-link.ts';
import type { LinkState, RunStart, StoreChange } from '../core/state/rows.ts';
import { type Half, isAway } from '../core/contact/half.ts';
import { bySide, SIDES, type Side, type Sides } from '../core/contact/side.ts';
import type { Pair } from '../core/contact/pair.ts';
import type { Operation } from '../core/reconcile/operation.ts';
import { MOST_OPENING_HALVES, type Opening, type Store } from '../store/store.ts';
import { WorkingSet } from '../core/state/working-set.ts';

/** The number of rows that a step over many rows commits at a time. */
export const ROWS_PER_COMMIT = 500;

/** The rows that a step needs. Each half is loaded with its whole pair. */
type Needs = {
  readonly ids?: Partial<Sides<readonly string[]>>;
  readonly pairs?: readonly number[];
  /** Sides of which all halves in the state `gone` are needed (R12). */
  readonly gone?: readonly Side[];
};

/** The rows that a run read first. */
type Rows = Omit<Opening, 'state'>;

type Step = {
  readonly needs: Needs;
  readonly intents: readonly Extract<StoreChange, { kind: 'intend' }>[];
  readonly change: (set: WorkingSet) => void;
};

type Waiting = {
  readonly step: Step;
  readonly resolve: (journalIds: readonly number[]) => void;
  readonly reject: (error: unknown) => void;
};

/** Returns the halves with one of them replaced, and with the new one if it is `added`. */
const replaceHalf = (halves: readonly Half[], half: Half, added: boolean): readonly Half[] => {
  const others = halves.filter(({ side, id }) => side !== half.side || id !== half.id);
  return added || others.length < halves.length ? [...others, ...(added ? [half] : [])] : halves;
};

const few = (halves: readonly Half[]): readonly Half[] | null => (halves.length > MOST_OPENING_HALVES ? null : halves);

/** Returns the rows after a row is stored; null if they must be read again. */
const afterPut = (opening: Rows, change: Extract<StoreChange, { kind: 'put' }>): Rows | null => {
  if (change.table === 'pairs') return null;
  if (change.table !== 'halves') return opening;
  const { half } = change.row;
  const { alone, anyPresent, open } = opening;
  if (isAway(half) && anyPresent[half.side]) return null;
  const isAlone = alone?.some(({ side, id }) => side === half.side && id === half.id) === true;
  return {
    ...opening,
    anyPresent: { ...anyPresent, [half.side]: !isAway(half) || anyPresent[half.side] },
    alone: alone && (isAlone ? replaceHalf(alone, half, half.pair !== null) : alone),
    open: open && few(replaceHalf(open, half, half.state !== 'settled')),
  };
};

/**
 * Returns the rows after a change; null if they must be read again. A half that is stored alone is in the same pair as before, or has a
 * new id in it.
 */
const changedOpening = (opening: Rows, change: StoreChange): Rows | null => {
  switch (change.kind) {
    case 'put':
      return afterPut(opening, change);
    case 'link':
    case 'shown':
    case 'run-started':
      return opening;
    case 'drop':
      return ['shownPages', 'groupPairs', 'rejections', 'verdicts'].includes(change.table) ? opening : null;
    default:
      return null;
  }
};

/** Loads the rows that the steps need and the set lacks; each half with its whole pair. */
const load = async (store: Store, link: string, steps: readonly Step[], set: WorkingSet): Promise<void> => {
  const ids = bySide((side) => {
    const needed = new Set(steps.flatMap(({ needs }) => needs.ids?.[side] ?? []));
    return [...needed].filter((id) => !set.has(side, id));
  });
  // Lists may have hundreds of thousands of rows: they are concatenated, not spread into arguments.
  let halves: readonly Half[] = [];
  for (const side of SIDES) {
    if (steps.some(({ needs }) => needs.gone?.includes(side)))
      halves = halves.concat(await store.halves(link, { by: 'state', states: ['gone'], side }));
  }
  const named = [...steps.flatMap(({ needs }) => needs.pairs ?? []), ...halves.flatMap(({ pair }) => pair ?? [])];
  const pairs = [...new Set(named)].filter((id) => !set.hasPair(id));
  const needsLoading = pairs.length > 0 || SIDES.some((side) => ids[side].length > 0);
  const whole = needsLoading ? await store.wholePairs(link, { ids, pairs }) : { halves: [], pairs: [] };
  set.load(halves.concat(whole.halves), whole.pairs);
};

/**
 * The only way in which a run changes stored rows of its link. Steps run one after the other: each sees the changes of the steps
 * before it. Steps that are requested in one turn of the event loop are loaded and committed together, so that concurrent
 * writers wait for the disk once.
 */
export class LinkWriter {
  readonly #store: Store;
  readonly #link: string;
  readonly #token: number;
  #state: LinkState;
  #opening: Rows | null;
  /** The start of the run, which is stored with the first other commit: an idle run has one commit fewer. */
  #start: readonly StoreChange[] = [];
  /** Kept current: while the token is valid, only this run changes rows of the link, and only here. */
  #rows = new WorkingSet();
  #keepsRows = false;
  #waiting: Waiting[] = [];
  #isWorking = false;

  /** `token` is the fencing token of the run's lease, and `opening` was read under it. */
  constructor(store: Store, opening: Opening, token: number) {
    this.#store = store;
    this.#link = opening.state.name;
    this.#state = opening.state;
    this.#opening = opening;
    this.#token = token;
  }

  /** The rows that the run read first, with its later changes; null if they must be read again. */
  get opening(): Rows | null {
    return this.#opening;
  }

  /** The link's state after the last commit. A pause by hand and notifications are stored without the lease, and are not seen. */
  get state(): LinkState {
    return this.#state;
  }

  /** Stores that a run has started, together with the first other commit. */
  begin(run: RunStart): void {
    this.#start = [{ kind: 'run-started', run }];
  }

  /** Keeps rows that were loaded for a plan, and the rows of later steps, so that no step loads them again. */
  keepRows(unpaired: readonly Half[], pairs: readonly Pair[]): void {
    this.#keepsRows = true;
    this.#rows.load(unpaired, []);
    for (const { id, status, left, right } of pairs) {
      const halves = [left, right].filter((half) => half !== null);
      if (id !== null) this.#rows.load(halves, [{ id, status }]);
    }
  }

  /** Releases all kept rows. */
  releaseRows(): void {
    this.#keepsRows = false;
    this.#rows = new WorkingSet();
  }

  /**
   * Loads what the step needs, calls `change`, and stores the result. Resolves when it is on disk. An error of `change` rejects all
   * steps that are stored together.
   */
  async apply(needs: Needs, change: (set: WorkingSet) => void): Promise<void> {
    await this.#enqueue({ needs, intents: [], change });
  }

  /**
   * Loads what is needed, and returns what `read` returns for it: it must not change the set. It sees changes of steps whose commit
   * is outstanding.
   */
  read<Result>(needs: Needs, read: (set: WorkingSet) => Result): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.apply(needs, (set) => resolve(read(set))).catch(reject);
    });
  }

  /** Journals operations before their requests. Returns the entries' ids in order. */
  intend(run: string, operations: readonly Operation[], atMs: number): Promise<readonly number[]> {
    const intents = operations.map((operation) => ({ kind: 'intend', run, operation, atMs }) as const);
    return this.#enqueue({ needs: {}, intents, change: () => undefined });
  }

  #enqueue(step: Step): Promise<readonly number[]> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ step, resolve, reject });
      if (!this.#isWorking) void this.#work();
    });
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    while (this.#waiting.length > 0) {
      await new Promise(setImmediate);
      const batch = this.#waiting;
      this.#waiting = [];
      try {
        const ids = await this.#storeSteps(batch.map(({ step }) => step));
        for (const [index, { resolve }] of batch.entries()) resolve(ids[index] ?? []);
        if (!this.#keepsRows) this.releaseRows();
      } catch (error) {
        // Some changes of the rows may not be stored.
        this.#rows = new WorkingSet();
        for (const { reject } of batch) reject(error);
      }
    }
    this.#isWorking = false;
  }

  async #storeSteps(steps: readonly Step[]): Promise<readonly (readonly number[])[]> {
    const set = this.#rows;
    await load(this.#store, this.#link, steps, set);
    for (const { change } of steps) change(set);
    const rows = set.changes();
    const intents: readonly StoreChange[] = steps.flatMap((step) => step.intents);
    if (rows.length + intents.length === 0) return steps.map(() => []);
    const changes = [...this.#start, ...rows, ...intents];
    const ids = await this.#store.commit(this.#link, this.#token, changes);
    this.#start = [];
    this.#state = changedLink(this.#state, changes);
    this.#opening = changes.reduce<Rows | null>(
      (opening, change) => opening && changedOpening(opening, change),
      this.#opening,
    );
    const newPairs = ids.length - intents.length;
    set.markStored(ids.slice(0, newPairs));
    const journalIds = ids.slice(newPairs);
    return steps.map((step) => journalIds.splice(0, step.intents.length));
  }
}
