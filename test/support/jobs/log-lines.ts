import { Writable } from 'node:stream';

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
  const waiting = new Set<() => void>();
  let rest = '';
  const stream = new Writable({
    decodeStrings: false,
    write: (chunk: string | Buffer, _encoding, done) => {
      const [last = '', ...whole] = (rest + chunk.toString()).split('\n').toReversed();
      rest = last;
      for (const text of whole.toReversed()) lines.push(JSON.parse(text) as LogLine);
      for (const look of waiting) look();
      done();
    },
  });
  return {
    lines,
    stream,
    until: (means, from = 0) => {
      return new Promise((resolve) => {
        const look = (): void => {
          const line = lines.slice(from).find(means);
          if (line === undefined) return;
          waiting.delete(look);
          resolve(line);
        };
        waiting.add(look);
        look();
      });
    },
  };
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
