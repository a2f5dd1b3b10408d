import type { Clock } from '../../../src/clock.ts';
import type { FeedChange, FeedPage, PullRequest } from '../../../src/remotes/remote.ts';
import { CursorExpiredError } from '../../../src/remotes/errors.ts';
import { recordOf, type Book, type Row } from './book.ts';

const PAGE_SIZE = 3;
const GOOGLE_TOKEN_LIFE_MS = 6.5 * 24 * 3_600_000;
const SERVICE_OVERLAP_MS = 120_000;

const upsert = (row: Row): FeedChange => ({ kind: 'upsert', record: recordOf(row), previousIds: [...row.formerIds] });

const expired = (book: Book): CursorExpiredError => {
  const options = { side: book.side, status: 410, route: 'GET contacts', applied: 'no' } as const;
  return new CursorExpiredError('the cursor is too old', options);
};

/** Live rows after an id, in the order of their ids, read anew for each page. */
const pageAfter = (book: Book, clock: Clock, after: number): readonly Row[] => {
  const order = (row: Row): number => Number(/\d+$/u.exec(row.id)?.[0] ?? 0);
  return book.rows
    .filter((row) => row.state === 'live' && row.visibleAtMs <= clock.now() && order(row) > after)
    .toSorted((a, b) => order(a) - order(b))
    .slice(0, PAGE_SIZE);
};

type Walk = { readonly after: number; readonly start: number; readonly maxSeenMs: number };

async function* wholeWalk(
  book: Book,
  clock: Clock,
  resume: string | null,
  walkStart: () => number,
  cursorOf: (walk: Walk) => string,
): AsyncGenerator<FeedPage> {
  let walk: Walk =
    resume === null ? { after: 0, start: walkStart(), maxSeenMs: 0 } : (JSON.parse(resume) as Walk);
  while (true) {
    const rows = pageAfter(book, clock, walk.after);
    const last = rows.at(-1);
    const changes = rows.map(upsert);
    if (last === undefined || rows.length < PAGE_SIZE) {
      walk = { ...walk, maxSeenMs: Math.max(walk.maxSeenMs, ...rows.map((row) => row.modifiedAtMs)) };
      yield { changes, resume: null, cursor: cursorOf(walk), total: null };
      return;
    }
    walk = {
      ...walk,
      after: Number(/\d+$/u.exec(last.id)?.[0] ?? 0),
      maxSeenMs: Math.max(walk.maxSeenMs, ...rows.map((row) => row.modifiedAtMs)),
    };
    yield { changes, resume: JSON.stringify(walk), cursor: null, total: null };
  }
}

/** The last change before the first that the feed does not show yet: a token never passes what nobody has seen. */
const visibleVersion = (book: Book, clock: Clock): number => {
  const hidden = book.rows.filter((row) => row.visibleAtMs > clock.now()).map((row) => row.version);
  return Math.min(book.version(), ...hidden.map((version) => version - 1));
};

type Token = { readonly version: number; readonly atMs: number };

async function* googleChanges(book: Book, clock: Clock, cursor: string): AsyncGenerator<FeedPage> {
  const token = JSON.parse(cursor) as Token;
  if (clock.now() - token.atMs > GOOGLE_TOKEN_LIFE_MS) throw expired(book);
  const next: Token = { version: visibleVersion(book, clock), atMs: token.atMs };
  const changed = book.rows
    .filter((row) => row.version > token.version && row.visibleAtMs <= clock.now())
    .toSorted((a, b) => a.version - b.version);
  const gone = changed.filter((row) => row.state !== 'live' && row.state !== 'merged');
  const standing = changed.filter((row) => row.state === 'live');
  for (let start = 0; start < standing.length; start += PAGE_SIZE) {
    yield {
      changes: standing.slice(start, start + PAGE_SIZE).map(upsert),
      resume: null,
      cursor: null,
      total: null,
    };
  }
  const tombstones = gone.map((row) => ({ kind: 'tombstone', id: row.id }) as const);
  yield { changes: tombstones, resume: null, cursor: JSON.stringify(next), total: null };
}

/** Google: a delta with tombstones and former ids, late, under a token that dies of age. */
export const googleFeed = (book: Book, clock: Clock, request: PullRequest): AsyncIterable<FeedPage> => {
  if (request.mode === 'changes') return googleChanges(book, clock, request.cursor);
  const atMs = clock.now();
  return wholeWalk(
    book,
    clock,
    request.resume,
    () => visibleVersion(book, clock),
    (walk) => JSON.stringify({ version: walk.start, atMs } satisfies Token),
  );
};

const floorToSecond = (ms: number): number => Math.floor(ms / 1_000) * 1_000;

async function* serviceChanges(book: Book, clock: Clock, cursor: string): AsyncGenerator<FeedPage> {
  const watermark = Number(cursor);
  const startMs = book.now();
  let maxSeenMs = watermark;
  const seen = new Set<string>();
  while (true) {
    const rows = book.rows
      .filter((row) => row.state === 'live' && row.visibleAtMs <= clock.now())
      .filter((row) => row.modifiedAtMs >= watermark - SERVICE_OVERLAP_MS && !seen.has(`${row.id} ${row.modifiedAtMs}`))
      .toSorted((a, b) => a.modifiedAtMs - b.modifiedAtMs)
      .slice(0, PAGE_SIZE);
    for (const row of rows) {
      seen.add(`${row.id} ${row.modifiedAtMs}`);
      maxSeenMs = Math.max(maxSeenMs, row.modifiedAtMs);
    }
    // The service's rows know no former ids.
    const changes = rows.map((row): FeedChange => ({ kind: 'upsert', record: recordOf(row), previousIds: [] }));
    if (rows.length < PAGE_SIZE) {
      const next = floorToSecond(Math.max(watermark, Math.min(maxSeenMs, startMs)));
      yield { changes, resume: null, cursor: String(next), total: null };
      return;
    }
    yield { changes, resume: null, cursor: null, total: null };
  }
}

/** The service: what has a stamp since the watermark, with an overlap; deletions leave no trace. */
export const serviceFeed = (book: Book, clock: Clock, request: PullRequest): AsyncIterable<FeedPage> => {
  if (request.mode === 'changes') return serviceChanges(book, clock, request.cursor);
  return wholeWalk(
    book,
    clock,
    request.resume,
    () => book.now(),
    (walk) => String(floorToSecond(Math.min(walk.maxSeenMs === 0 ? walk.start : walk.maxSeenMs, walk.start))),
  );
};
