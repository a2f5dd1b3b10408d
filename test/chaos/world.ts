import Database from 'better-sqlite3';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom, type Random } from '../../src/sandbox/people/random.ts';
import { startSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts';
import { readSides } from '../support/compare-sides.ts';
import { FAST_LIMITS, FAST_SANDBOX } from '../support/linked-sandbox.ts';
import { editOnce, faultsOf, makeBooks, type Ledger } from './book.ts';
import { runChild, type ChildEnd, type Workplaces } from './child.ts';
import { createFolder } from '../support/folder.ts';

export type WorldReport = {
  readonly seed: number;
  readonly kills: number;
  /** Kills before the first sync had come to its end. */
  readonly firstSyncKills: number;
  readonly runs: number;
  readonly edits: number;
  readonly contacts: number;
  readonly duplicates: readonly string[];
  readonly lost: readonly string[];
  /** Contacts that a user deleted and that came back. */
  readonly back: readonly string[];
  readonly trouble: readonly string[];
};

type World = {
  readonly sandbox: Sandbox;
  readonly env: Readonly<Record<string, string>>;
  readonly random: Random;
  readonly ledger: Ledger;
  readonly trouble: string[];
  readonly workplaces: Workplaces;
  kills: number;
  firstSyncKills: number;
  runs: number;
  /** Whether a run has come to its end. */
  isSynced: boolean;
};

const PEOPLE = 60;
/** A killed process keeps its link for so long (engine/SPEC.md). */
const LEASE_MS = 15_000;
const BUSY = 6;

/** Kills after so many requests and a moment; now and then while the program starts or is about to end. */
const killTime = ({ sandbox, random, isSynced }: World): (() => boolean) => {
  const count = () => sandbox.google.requests.length + sandbox.service.requests.length;
  const target = count() + random.below(isSynced ? 25 : 45);
  const jitterMs = random.below(25);
  let dueAtMs = Number.POSITIVE_INFINITY;
  return () => {
    if (count() >= target && dueAtMs === Number.POSITIVE_INFINITY) dueAtMs = performance.now() + jitterMs;
    return performance.now() >= dueAtMs;
  };
};

const never = () => false;

const atWork = async <T>({ workplaces }: World, work: () => Promise<T>): Promise<T> => {
  using _ = await workplaces.take();
  return await work();
};

/** One run, killed or not; waits until a killed process's lease is over. */
const run = async (world: World, isTime: () => boolean, command: readonly string[] = ['sync']): Promise<ChildEnd> => {
  const end = await atWork(world, () => runChild([...command, '--json'], world.env, isTime));
  world.runs += 1;
  if (end.killed) {
    world.kills += 1;
    if (!world.isSynced) world.firstSyncKills += 1;
    await sleep(LEASE_MS);
  } else if (end.code === 0) {
    world.isSynced = true;
    world.ledger.edited.clear();
  } else if (end.code === BUSY) await sleep(1_000);
  else world.trouble.push(`exit ${end.code ?? end.signal}: ${end.output.slice(-2_000)}`);
  return end;
};

const edit = ({ sandbox, ledger, random, isSynced }: World): void => {
  for (let left = random.below(6); left > 0; left -= 1) editOnce(sandbox, ledger, random, { deletes: isSynced });
};

const QUARTER_HOUR_MS = 15 * 60_000;

/**
 * Makes the writes of unknown outcome a quarter of an hour older, because the children use the system's clock: until then a create
 * that Google does not show stays open (R9).
 */
const ageOpenWrites = ({ env }: World): void => {
  const database = new Database(join(env['DATA_DIR'] ?? '', 'contact-sync.db'));
  const age = 'update journal set intended_at_ms = intended_at_ms - ? where state = ?';
  database.prepare(age).run(QUARTER_HOUR_MS, 'intended');
  database.prepare('update rejections set retry_at_ms = retry_at_ms - ?').run(QUARTER_HOUR_MS);
  database.close();
};

/** Runs to the end without a kill; a lease that is still held is waited for. */
const finish = async (world: World): Promise<void> => {
  ageOpenWrites(world);
  for (const command of [['sync'], ['sync'], ['resync']]) {
    for (let end = await run(world, never, command); end.code === BUSY;) end = await run(world, never, command);
  }
};

const open = (shared: Pick<World, 'sandbox' | 'ledger' | 'random' | 'workplaces'>, dataDir: string): World => ({
  ...shared,
  env: { ...shared.sandbox.environment(), DATA_DIR: dataDir, ...FAST_LIMITS, SWEEP_INTERVAL: '1s', LOG_LEVEL: 'warn' },
  trouble: [],
  kills: 0,
  firstSyncKills: 0,
  runs: 0,
  isSynced: false,
});

/** Kills a link's process so often, edits in between, lets it finish in the end and compares both sides. */
export const playWorld = async (seed: number, kills: number, workplaces: Workplaces): Promise<WorldReport> => {
  const random = createRandom(seed);
  const { ledger, ...books } = makeBooks(random, PEOPLE);
  await using stack = new AsyncDisposableStack();
  const sandbox = stack.use(await startSandbox({ ...books, ...FAST_SANDBOX }));
  const { path: dataDir } = stack.use(await createFolder());
  const world = open({ sandbox, ledger, random, workplaces }, dataDir);
  while (world.kills < kills && world.trouble.length === 0) {
    await run(world, killTime(world));
    edit(world);
  }
  await finish(world);
  const faults = [faultsOf(sandbox, ledger, 'google'), faultsOf(sandbox, ledger, 'service')];
  const sides = readSides(sandbox);
  if (JSON.stringify(sides.google) !== JSON.stringify(sides.service)) world.trouble.push('the sides differ in the end');
  const all = (name: 'duplicates' | 'lost' | 'back') => [...new Set(faults.flatMap((fault) => fault[name]))];
  return {
    seed,
    kills: world.kills,
    firstSyncKills: world.firstSyncKills,
    runs: world.runs,
    edits: ledger.edits,
    contacts: ledger.alive.size,
    duplicates: all('duplicates'),
    lost: all('lost'),
    back: all('back'),
    trouble: world.trouble,
  };
};
