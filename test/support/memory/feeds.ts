import type { FeedChange, FeedPage } from '../../../src/core/contact/requests.ts';
import type { Clock } from '../../../src/util/clock.ts';
import type { KnownRows, PullRequest } from '../../../src/providers/remote.ts';
import { CursorExpiredError } from '../../../src/providers/errors.ts';
import type { ContactRecord } from '../../../src/core/contact/record.ts';
import { NEVER_MS, noteAnswer, shownAt, type Book, type Row } from './book.ts';

const PAGE_SIZE = 3;
const TOKEN_LIFE_MS = 6.5 * 24 * 3_600_000;
const OVERLAP_MS = 120_000;

type Shown = { readonly row: Row; readonly record: ContactRecord; readonly state: Row['state'] };

/** Every contact that was ever visible, as listings or the feed show it now. */
const shownRows = (book: Book, clock: Clock, where: 'listing' | 'feed'): readonly Shown[] => {
  return book.rows.flatMap((row) => {
    const shown = shownAt(row, clock.now(), where);
    return shown === null ? [] : [{ row, ...shown }];
  });
};

/** The row in a feed, with former ids where the provider returns them. */
const upsert = (book: Book, { row, record }: Shown): FeedChange => {
  noteAnswer(row, record);
  return { kind: 'upsert', record, previousIds: book.provider.renamesContacts ? [...row.formerIds] : [] };
};

const expired = (): CursorExpiredError => {
  return new CursorExpiredError('the cursor is too old', { status: 410, route: 'GET contacts', applied: 'no' });
};

const orderOf = ({ record }: Shown): number => Number(/\d+$/u.exec(record.id)?.[0] ?? 0);

/** Live rows after an id, in the order of their ids, read again for each page. */
const pageAfter = (book: Book, clock: Clock, after: number): readonly Shown[] => {
  return shownRows(book, clock, 'listing')
    .filter((shown) => shown.state === 'live' && orderOf(shown) > after)
    .toSorted((a, b) => orderOf(a) - orderOf(b))
    .slice(0, PAGE_SIZE);
};

/** A page of a listing; only the ids of known rows are returned. */
const pageOf = async (
  book: Book,
  rows: readonly Shown[],
  known: KnownRows = () => Promise.resolve(new Set()),
): Promise<Pick<FeedPage, 'changes' | 'unchanged'>> => {
  const digests = await known(
    rows.flatMap(({ record: { id, digest } }) => (digest === undefined ? [] : { id, digest })),
  );
  const isKnown = ({ record: { digest = '' } }: Shown): boolean => digests.has(digest);
  return {
    changes: rows.filter((shown) => !isKnown(shown)).map((shown) => upsert(book, shown)),
    unchanged: rows.filter(isKnown).map(({ row, record }) => {
      noteAnswer(row, record);
      return record.id;
    }),
  };
};

type Walk = { readonly after: number; readonly start: number; readonly maxSeenMs: number };

const modifiedAtMs = ({ record }: Shown): number => record.modifiedAtMs ?? 0;

async function* wholeWalk(
  book: Book,
  clock: Clock,
  { resume, known }: Extract<PullRequest, { mode: 'whole' }>,
  walkStart: () => number,
  cursorOf: (walk: Walk) => string,
): AsyncGenerator<FeedPage> {
  let walk: Walk = resume === null ? { after: 0, start: walkStart(), maxSeenMs: 0 } : (JSON.parse(resume) as Walk);
  while (true) {
    const rows = pageAfter(book, clock, walk.after);
    const last = rows.at(-1);
    const content = await pageOf(book, rows, known);
    if (last === undefined || rows.length < PAGE_SIZE) {
      walk = { ...walk, maxSeenMs: Math.max(walk.maxSeenMs, ...rows.map(modifiedAtMs)) };
      yield { ...content, resume: null, cursor: cursorOf(walk), total: null };
      return;
    }
    walk = { ...walk, after: orderOf(last), maxSeenMs: Math.max(walk.maxSeenMs, ...rows.map(modifiedAtMs)) };
    yield { ...content, resume: JSON.stringify(walk), cursor: null, total: null };
  }
}

/** The last version before the first change that is not visible yet: a token must not skip it. */
const visibleVersion = (book: Book, clock: Clock, mode: PullRequest['mode']): number => {
  const states = book.rows.flatMap((row) => row.shown);
  const isHidden = ({ visibleAtMs, fedAtMs }: Row['shown'][number]): boolean => {
    return (fedAtMs > clock.now() && fedAtMs !== NEVER_MS) || (mode === 'whole' && visibleAtMs > clock.now());
  };
  const hidden = states.filter(isHidden).map(({ record }) => Number(record.version));
  return Math.min(book.version(), ...hidden.map((version) => version - 1));
};

type Token = { readonly version: number; readonly atMs: number };

async function* changedVersions(
  book: Book,
  clock: Clock,
  cursor: string,
  trustsFeed: boolean,
): AsyncGenerator<FeedPage> {
  const token = JSON.parse(cursor) as Token;
  const { cursorsExpire } = book.provider.capabilities;
  if (cursorsExpire && clock.now() - token.atMs > TOKEN_LIFE_MS) throw expired();
  const next: Token = { version: visibleVersion(book, clock, 'changes'), atMs: token.atMs };
  const changed = shownRows(book, clock, 'feed')
    .filter(({ record }) => Number(record.version) > token.version)
    .toSorted((a, b) => Number(a.record.version) - Number(b.record.version));
  const gone = changed.filter(({ state }) => state === 'deleted');
  const compared = changed.filter(({ state }) => state === 'live');
  for (let start = 0; start < compared.length; start += PAGE_SIZE) {
    yield {
      changes: compared.slice(start, start + PAGE_SIZE).map((shown) => upsert(book, shown)),
      unchanged: [],
      resume: null,
      cursor: null,
      total: null,
    };
  }
  // A deleted contact has a tombstone for each of its former ids.
  for (const { row } of gone) if (row.reported === 'no') row.reported = 'now';
  const goneIds = gone.flatMap(({ row, record }) => [record.id, ...row.formerIds]);
  const { replaysEach } = book.oddFeed;
  const replayedIds = compared.flatMap(({ record: { id, version } }) =>
    replaysEach > 0 && Number(version) % replaysEach === 0 ? [id] : [],
  );
  // The adapter confirms the deletions of such a feed by a read.
  const deletedIds = trustsFeed ? [...goneIds, ...replayedIds] : goneIds;
  const tombstones = deletedIds.map((id) => ({ kind: 'tombstone', id }) as const);
  yield { changes: tombstones, unchanged: [], resume: null, cursor: JSON.stringify(next), total: null };
}

/** A delta with tombstones and former ids, with a lag, and with a token that expires. */
const versionFeed = (book: Book, clock: Clock, request: PullRequest, trustsFeed: boolean): AsyncIterable<FeedPage> => {
  if (request.mode === 'changes') return changedVersions(book, clock, request.cursor, trustsFeed);
  const atMs = clock.now();
  return wholeWalk(
    book,
    clock,
    request,
    () => visibleVersion(book, clock, 'whole'),
    (walk) => JSON.stringify({ version: walk.start, atMs } satisfies Token),
  );
};

const floorToSecond = (ms: number): number => Math.floor(ms / 1_000) * 1_000;

async function* changedStamps(book: Book, clock: Clock, cursor: string): AsyncGenerator<FeedPage> {
  const watermark = Number(cursor);
  const startMs = book.now();
  let maxSeenMs = watermark;
  const seen = new Set<string>();
  while (true) {
    const rows = shownRows(book, clock, 'feed')
      .filter((shown) => shown.state === 'live' && modifiedAtMs(shown) >= watermark - OVERLAP_MS)
      .filter(({ record }) => !seen.has(`${record.id} ${record.version}`))
      .toSorted((a, b) => modifiedAtMs(a) - modifiedAtMs(b))
      .slice(0, PAGE_SIZE);
    for (const shown of rows) {
      seen.add(`${shown.record.id} ${shown.record.version}`);
      maxSeenMs = Math.max(maxSeenMs, modifiedAtMs(shown));
    }
    const changes = rows.map((shown) => upsert(book, shown));
    if (rows.length < PAGE_SIZE) {
      const next = floorToSecond(Math.max(watermark, Math.min(maxSeenMs, startMs)));
      yield { changes, unchanged: [], resume: null, cursor: String(next), total: null };
      return;
    }
    yield { changes, unchanged: [], resume: null, cursor: null, total: null };
  }
}

/** The rows with a stamp since the watermark, with an overlap. Deletions are not reported. */
const stampFeed = (book: Book, clock: Clock, request: PullRequest): AsyncIterable<FeedPage> => {
  if (request.mode === 'changes') return changedStamps(book, clock, request.cursor);
  return wholeWalk(
    book,
    clock,
    request,
    () => book.now(),
    (walk) => String(floorToSecond(Math.min(walk.maxSeenMs === 0 ? walk.start : walk.maxSeenMs, walk.start))),
  );
};

/** The feed of an account, in the way of its provider. `trustsFeed`: for one flaw, no read confirms what the feed names as deleted. */
export const feedOf = (
  book: Book,
  clock: Clock,
  request: PullRequest,
  trustsFeed: boolean,
): AsyncIterable<FeedPage> => {
  return book.provider.feed === 'versions'
    ? versionFeed(book, clock, request, trustsFeed)
    : stampFeed(book, clock, request);
};
