import { availableParallelism } from 'node:os';
import { startChild } from './child.ts';
import type { Cell, GovernorProcess } from './governor-process.ts';
import { MODELS, type ModelName } from '../support/limiter-models.ts';
import { percent, type Table } from './table.ts';
import { LIMIT, type TrafficResult } from './traffic.ts';

const MODEL_NAMES = Object.keys(MODELS) as ModelName[];
const ROUND_TRIPS_MS = [75, 270];
const FOREIGN_PER_MINUTE = 50;

/** The common input of all cells in a column. */
type Column = Omit<Cell, 'model'>;

/** Computes the cells of the tables, with one process for each processor. */
const createRunner = () => {
  const queue: { readonly cell: Cell; readonly done: PromiseWithResolvers<TrafficResult> }[] = [];
  const work = async (): Promise<void> => {
    const child = startChild<GovernorProcess>('governor-process.ts');
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      try {
        next.done.resolve(await child.call('run', next.cell));
      } catch (error) {
        next.done.reject(error);
      }
    }
    await child.stop();
  };
  return {
    measure: (cell: Cell): Promise<TrafficResult> => {
      const done = Promise.withResolvers<TrafficResult>();
      queue.push({ cell, done });
      return done.promise;
    },
    work: () => Promise.all(Array.from({ length: availableParallelism() }, work)),
  };
};

type Measure = (cell: Cell) => Promise<TrafficResult>;

/** Returns a row for each model. `show` converts its results, one for each column, to cells. */
const rowsOf = (
  columns: readonly Column[],
  measure: Measure,
  show: (results: readonly TrafficResult[]) => string[],
): Promise<string[][]> => {
  const rowOf = async (model: ModelName): Promise<string[]> => {
    const results = await Promise.all(columns.map((column) => measure({ ...column, model })));
    return [model, ...show(results)];
  };
  return Promise.all(MODEL_NAMES.map(rowOf));
};

const shareAndRefused =
  (minutes: number, { requests, windowMs } = LIMIT) =>
  ({ accepted, foreignAccepted, refused }: TrafficResult): string =>
    `${percent((accepted + foreignAccepted) / ((requests * minutes * 60_000) / windowMs))} / ${refused}`;

const ownTable = async (minutes: number, measure: Measure): Promise<Table> => {
  const columns = [1, 4].flatMap((processes) => ROUND_TRIPS_MS.map((medianMs) => ({ processes, medianMs, minutes })));
  const names = columns.map(
    ({ processes, medianMs }) => `${processes} process${processes > 1 ? 'es' : ''}, ${medianMs} ms`,
  );
  return {
    title: `1. The governor in virtual time, ${minutes} minutes: share of the allowed rate / refused requests`,
    head: ['the server counts', ...names],
    rows: await rowsOf(columns, measure, (results) => results.map(shareAndRefused(minutes))),
    notes: [
      'A request counts for the window and a guard after its answer. The guard is a sixtieth of the window, a second at least. Bounds: no refusal; at least 97 % at 75 ms on fixed windows and sliding logs.',
    ],
  };
};

const foreignTable = async (minutes: number, measure: Measure): Promise<Table> => {
  const columns = ROUND_TRIPS_MS.map((medianMs) => ({ processes: 1, medianMs, minutes, foreign: FOREIGN_PER_MINUTE }));
  const theirs = ({ foreignRefused }: TrafficResult): string => String(foreignRefused);
  return {
    title: `1c. Somebody else sends ${FOREIGN_PER_MINUTE} a minute on the same quota, ${minutes} minutes: joint share / own refusals`,
    head: ['the server counts', '75 ms', '270 ms', 'theirs refused at 75 ms', 'theirs refused at 270 ms'],
    rows: await rowsOf(columns, measure, (results) => [
      ...results.map(shareAndRefused(minutes)),
      ...results.map(theirs),
    ]),
    notes: ['Bounds: none of ours refused, and at least 95 % of the joint rate, on fixed windows and sliding logs.'],
  };
};

const windowsTable = async (minutes: number, measure: Measure): Promise<Table> => {
  const second = { requests: 50, windowMs: 1_000 };
  const hour = { requests: 30_000, windowMs: 3_600_000 };
  // Each column has at least as many requests as an hour at the service's own limit.
  const column = { processes: 1, minutes: minutes / 3 };
  const columns = [
    { ...column, limit: second, medianMs: 3 },
    { ...column, limit: second, medianMs: 5, steadyMs: 70 },
    { ...column, limit: second, medianMs: 75 },
    { ...column, limit: hour, medianMs: 75, minutes },
  ];
  return {
    title: `1d. Windows of a second (50 requests, ${minutes / 3} minutes) and of an hour (30,000, ${minutes} minutes)`,
    head: ['the server counts', 'second, 3 ms', 'second, 75 ms of which 5 vary', 'second, 75 ms', 'hour, 75 ms'],
    rows: await rowsOf(columns, measure, (results) =>
      results.map((result, index) => shareAndRefused(columns[index]?.minutes ?? 0, columns[index]?.limit)(result)),
    ),
    notes: [
      'A place is taken for the window, the guard and the round trip. In a window of a second the guard is 10 ms, so about 1000 / 1091 = 92 % is used at 75 ms (81 on average). Bounds: no refusal on fixed windows, sliding logs and buckets; at least 98 % at 3 ms, 91 % at 75 ms. A server that counts whole seconds, or estimates from two buckets, refuses requests in so short a window. Each refusal stops all requests for a second at least.',
    ],
  };
};

/** Runs the items 1 and "foreign use" of the suite. */
export const benchGovernor = async (minutes: number): Promise<readonly Table[]> => {
  const { measure, work } = createRunner();
  const tables = Promise.all([ownTable, foreignTable, windowsTable].map((table) => table(minutes, measure)));
  const [done] = await Promise.all([tables, work()]);
  return done;
};
