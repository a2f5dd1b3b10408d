import type { Side } from '../contact/side.ts';
import { applyChange, checkChange, readRowsBelow } from './memory/apply.ts';
import { openLayer, type Layer } from './memory/layer.ts';
import {
  readConflicts,
  readCounts,
  readPresence,
  readHalves,
  readIndex,
  readJournal,
  readKnown,
  readMembers,
} from './memory/read.ts';
import { readPairs, readRuns, readShown, readWriteCounts } from './memory/read.ts';
import { FenceError, type HalfQuery, type JournalQuery, type LinkState, type RunQuery } from './store.ts';
import type { RowDigest, Store, StoreChange } from './store.ts';
import type { Told } from './told.ts';

type Lease = { readonly owner: string | null; readonly untilMs: number; readonly token: number };

const FREE: Lease = { owner: null, untilMs: 0, token: 0 };

/** Far above any id that a database gives, so that new rows get none of those below and come after them. */
const FIRST_ID = 2 ** 40;

class OverlayStore implements Store {
  readonly #below: Store;
  readonly #layers = new Map<string, Promise<Layer>>();
  readonly #leases = new Map<string, Lease>();
  readonly #budgets = new Map<string, string>();
  #nextId = FIRST_ID;

  constructor(below: Store) {
    this.#below = below;
  }

  #layer(link: string): Promise<Layer> {
    const layer = this.#layers.get(link) ?? openLayer(this.#below, link);
    this.#layers.set(link, layer);
    return layer;
  }

  readonly #newId = (): number => {
    this.#nextId += 1;
    return this.#nextId;
  };

  sharedId = (): Promise<string | null> => this.#below.sharedId();

  links = async (): Promise<readonly LinkState[]> => {
    const below = await this.#below.links();
    const names = new Set([...below.map(({ name }) => name), ...this.#layers.keys()]);
    for (const [name, layer] of this.#layers) {
      // One that is made again is leased first.
      if ((await layer).isDropped && this.#leases.get(name)?.owner === null) names.delete(name);
    }
    return Promise.all([...names].toSorted().map((name) => this.link(name)));
  };

  link = async (name: string): Promise<LinkState> => (await this.#layer(name)).state;

  acquireLease = async (link: string, owner: string, nowMs: number, untilMs: number): Promise<number | null> => {
    await this.#layer(link);
    const lease = this.#leases.get(link) ?? FREE;
    const isOwn = lease.owner === owner;
    if (lease.owner !== null && !isOwn && lease.untilMs > nowMs) return null;
    const token = isOwn ? lease.token : lease.token + 1;
    this.#leases.set(link, { owner, untilMs, token });
    return token;
  };

  leaseOwner = (link: string): Promise<string | null> => Promise.resolve(this.#leases.get(link)?.owner ?? null);

  releaseLease = async (link: string, owner: string): Promise<void> => {
    const lease = this.#leases.get(link) ?? FREE;
    if (lease.owner === owner) this.#leases.set(link, { ...lease, owner: null });
  };

  swapTold = async (link: string, before: Told, after: Told): Promise<boolean> => {
    const layer = await this.#layer(link);
    const { told } = layer.state;
    const keys = ['trouble', 'failingSinceMs', 'claimedUntilMs'] as const;
    if (!keys.every((key) => told[key] === before[key])) return false;
    layer.state = { ...layer.state, told: after };
    return true;
  };

  pausedByHandAtMs = async (link: string) => (await this.#layer(link)).state.pausedByHandAtMs;

  setPausedByHand = async (link: string, atMs: number | null): Promise<boolean> => {
    const layer = await this.#layer(link);
    if ((layer.state.pausedByHandAtMs === null) === (atMs === null)) return false;
    layer.state = { ...layer.state, pausedByHandAtMs: atMs };
    return true;
  };

  halves = async (link: string, query: HalfQuery) => readHalves(await this.#layer(link), query);
  pairs = async (link: string, ids: readonly number[]) => readPairs(await this.#layer(link), ids);
  index = async (link: string, side: Side) => readIndex(await this.#layer(link), side);
  members = async (link: string, groupIds: readonly string[]) => readMembers(await this.#layer(link), groupIds);
  shown = async (link: string, side: Side) => readShown(await this.#layer(link), side);
  known = async (link: string, side: Side, rows: readonly RowDigest[]) =>
    readKnown(await this.#layer(link), side, rows);
  anyPresent = async (link: string) => readPresence(await this.#layer(link));
  counts = async (link: string) => readCounts(await this.#layer(link));

  commit = async (link: string, token: number, changes: readonly StoreChange[]): Promise<readonly number[]> => {
    const layer = await this.#layer(link);
    const below = await readRowsBelow(layer, changes);
    const lease = this.#leases.get(link) ?? FREE;
    if (lease.owner === null || lease.token !== token) throw new FenceError(link, token);
    // All or none: whatever throws, throws here, and from here on nothing waits.
    for (const change of changes) checkChange(change);
    if (changes.some(({ kind }) => kind === 'forget-link')) this.#leases.set(link, { ...lease, owner: null });
    return changes.flatMap((change) => applyChange(layer, change, below, this.#newId));
  };

  journal = async (link: string, query: JournalQuery) => readJournal(await this.#layer(link), query);
  writeCounts = async (link: string, run: string) => readWriteCounts(await this.#layer(link), run);
  runs = async (link: string, query: RunQuery) => readRuns(await this.#layer(link), query);
  conflicts = async (link: string, { all }: { readonly all: boolean }) => readConflicts(await this.#layer(link), all);

  budget = async (key: string): Promise<string | null> => this.#budgets.get(key) ?? (await this.#below.budget(key));
  saveBudget = async (key: string, stateJson: string): Promise<void> => void this.#budgets.set(key, stateJson);
  compact = (): Promise<void> => Promise.resolve();
  close = (): Promise<void> => Promise.resolve();
}

/**
 * A store that reads from the one below and keeps every change in memory: the store below is never written to, and its
 * leases neither bind nor concern this one. It is closed by whoever opened it, and must not change meanwhile. It is not itself an overlay: both would give the same ids.
 */
export const overlayOf = (below: Store): Store => new OverlayStore(below);
