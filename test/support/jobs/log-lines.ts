import { Writable } from 'node:stream';
import { createWaiting } from '../waiting.ts';
import type { Events } from '../../../src/app/events.ts';

export type LogLine = Readonly<Record<string, unknown>> & { readonly level: string; readonly msg: string };

/** The log of a daemon. */
export type DaemonLog = {
  readonly lines: readonly LogLine[];
  /** Resolves with the first line from `from` on that the test means, whether it came already or will. */
  until(means: (line: LogLine) => boolean, from?: number): Promise<LogLine>;
};

/** A log that grows with every line that is written to its stream. */
export const collectLog = (): DaemonLog & { readonly stream: Writable } => {
  const lines: LogLine[] = [];
  const { notify, until } = createWaiting();
  let rest = '';
  const stream = new Writable({
    decodeStrings: false,
    write: (chunk: string | Buffer, _encoding, done) => {
      const [last = '', ...whole] = (rest + chunk.toString()).split('\n').toReversed();
      rest = last;
      for (const text of whole.toReversed()) lines.push(JSON.parse(text) as LogLine);
      notify();
      done();
    },
  });
  return { lines, stream, until: (means, from = 0) => until(() => lines.slice(from).find(means)) };
};

/** The line of a run of this link that completed. */
export const completed =
  (link: string, kind?: 'full' | 'incremental') =>
  (line: LogLine): boolean =>
    line.msg === 'run completed' && line['link'] === link && (kind === undefined || line['kind'] === kind);

/** A line with this message about this link. */
export const says =
  (msg: string, link?: string) =>
  (line: LogLine): boolean =>
    line.msg === msg && (link === undefined || line['link'] === link);

/** The lines with level error or fatal. */
export const errors = ({ lines }: DaemonLog): readonly LogLine[] =>
  lines.filter(({ level }) => level === 'error' || level === 'fatal');

/** A run is logged up to 20 ms after its lease was released. */
const LOGGED_LATE_MS = 20;

/** Number of runs of the link that started during another one, in any daemon. */
export const overlaps = (logs: readonly DaemonLog[], link: string): number => {
  const lines = logs.flatMap((log) => log.lines).filter((line) => line['link'] === link);
  const timeOf = ({ time }: LogLine): number => Date.parse(String(time));
  const runs = lines.filter(says('run completed')).flatMap((end) => {
    const begin = lines.find((line) => line.msg === 'run started' && line['run'] === end['run']);
    return begin === undefined ? [] : [{ beginMs: timeOf(begin), endMs: timeOf(end) }];
  });
  const inOrder = runs.toSorted((left, right) => left.beginMs - right.beginMs);
  return inOrder.filter((run, index) => run.beginMs < (inOrder[index - 1]?.endMs ?? 0) - LOGGED_LATE_MS).length;
};

type Line = { readonly name: string; readonly fields: unknown };

/** Events that are kept, and can be waited for. */
export type EventLog = {
  readonly events: Events;
  readonly lines: readonly Line[];
  /** Resolves with the first event of that name from `from` on, whether it came already or will. */
  until(name: keyof Events, from?: number): Promise<unknown>;
};

export const createEventLog = (): EventLog => {
  const lines: Line[] = [];
  const { notify, until } = createWaiting();
  const events = new Proxy({} as Events, {
    get: (_, name) => (fields: unknown) => {
      lines.push({ name: String(name), fields });
      notify();
    },
  });
  return {
    events,
    lines,
    until: async (name, from = 0) => {
      const line = await until(() => lines.slice(from).find((candidate) => candidate.name === name));
      return line.fields;
    },
  };
};

/** The value of each series of one metric, by its labels as they are written. */
export const seriesIn = (text: string, name: string): Readonly<Record<string, number>> =>
  Object.fromEntries(
    text.split('\n').flatMap((line) => {
      const [, own, labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/u.exec(line) ?? [];
      return own === name ? [[labels, Number(value)]] : [];
    }),
  );
