import type { LogLine } from '../../support/jobs/log-lines.ts';
import type { Request } from './books.ts';

/** A run in the log of a host; the end is null where it was not logged. */
export type Run = {
  readonly link: string;
  readonly host: number;
  readonly beginMs: number;
  readonly endMs: number | null;
  readonly isCompleted: boolean;
};

export type HostLog = { readonly index: number; readonly lines: readonly LogLine[] };

const TAKEN_OVER = 'lease lost';
/** A line is logged shortly after its event. */
const LOGGED_LATE_MS = 100;

const timeOf = ({ time }: LogLine): number => Date.parse(String(time));

export const runsOf = (logs: readonly HostLog[]): readonly Run[] =>
  logs.flatMap(({ index, lines }) => {
    const ends = new Map(
      lines.filter(({ msg }) => msg !== 'run started').map((line) => [`${String(line['run'])} ${line.msg}`, line]),
    );
    return lines
      .filter(({ msg }) => msg === 'run started')
      .map((line): Run => {
        const id = String(line['run']);
        const completed = ends.get(`${id} run completed`);
        const end = completed ?? ends.get(`${id} ${TAKEN_OVER}`) ?? ends.get(`${id} run failed`);
        return {
          link: String(line['link']),
          host: index,
          beginMs: timeOf(line),
          endMs: end === undefined ? null : timeOf(end),
          isCompleted: completed !== undefined,
        };
      });
  });

/** Runs that found another host to have their link: none of what they still wanted to store was taken. */
export const refusedIn = (logs: readonly HostLog[]): number =>
  logs.reduce((sum, { lines }) => sum + lines.filter(({ msg }) => msg === TAKEN_OVER).length, 0);

/** The longest time from a link's completed run to its next one, for each link, in ascending order. */
export const gapsIn = (runs: readonly Run[], sinceMs: number, untilMs: number): readonly number[] =>
  [...Map.groupBy(runs, ({ link }) => link).values()]
    .map((own) => {
      const ends = own.flatMap(({ isCompleted, endMs }) =>
        isCompleted && endMs !== null && endMs > sinceMs ? [endMs] : [],
      );
      const times = [
        sinceMs,
        ...ends.filter((endMs) => endMs < untilMs).toSorted((one, other) => one - other),
        untilMs,
      ];
      return Math.max(...times.slice(1).map((time, index) => time - (times[index] ?? time)));
    })
    .toSorted((one, other) => one - other);

const latest = (runs: readonly Run[]): Run | undefined => runs.toSorted((one, other) => other.beginMs - one.beginMs)[0];

/**
 * Requests that reached an account from a host while another one's run of the link, begun later than its own, was under
 * way: what was on the wire when the host was cut off or stopped.
 */
export const lateIn = (
  requests: readonly Request[],
  runs: readonly Run[],
  hostOf: (address: string) => number,
): number => {
  const byLink = Map.groupBy(runs, ({ link }) => link);
  return requests.filter(({ link, from, atMs }) => {
    const all = byLink.get(link) ?? [];
    const isOwn = ({ host }: Run): boolean => host === hostOf(from);
    const own = latest(all.filter((run) => isOwn(run) && run.beginMs <= atMs + LOGGED_LATE_MS));
    const other = latest(all.filter((run) => !isOwn(run) && run.beginMs <= atMs - LOGGED_LATE_MS));
    if (other === undefined || (other.endMs !== null && other.endMs < atMs)) return false;
    return own === undefined || own.beginMs < other.beginMs;
  }).length;
};
