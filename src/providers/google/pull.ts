import { z } from 'zod';
import type { FeedChange, FeedPage } from '../../core/contact/requests.ts';
import { CursorExpiredError, InvalidError, UnreadableError } from '../errors.ts';
import type { CallGoogle } from './call.ts';
import type { PersonMapping } from './fields.ts';
import { SYNC_TOKEN_LIFE_MS } from './limits.ts';
import { type PersonReading, readPerson } from './mapper.ts';
import { completed } from './read.ts';
import { connectionsSchema, listedSchema } from './schema.ts';
import { findKnownRows, type ListingLimits, startListingWalk } from '../listing.ts';
import type { KnownRows, PullRequest } from '../remote.ts';
import type { Clock } from '../../util/clock.ts';

/** The start of the next incremental pull. */
type GoogleCursor = {
  readonly syncToken: string;
  /** Names the query: a token serves only the query that it came from. */
  readonly templateHash: string;
  /** When the full listing began that the token's life counts from, epoch milliseconds. */
  readonly fullAtMs: number;
};

/** The continuation of an interrupted full listing. */
type GoogleResume = {
  readonly pageToken: string;
  readonly templateHash: string;
  readonly fullAtMs: number;
  /** How many pages were read before. */
  readonly pages: number;
};

const cursorSchema = z.object({ syncToken: z.string().min(1), templateHash: z.string(), fullAtMs: z.number() });
const resumeSchema = z.object({
  pageToken: z.string().min(1),
  templateHash: z.string(),
  fullAtMs: z.number(),
  pages: z.int().nonnegative().default(0),
});

const parseWith = <Schema extends z.ZodType>(schema: Schema, text: string): z.output<Schema> | null => {
  try {
    return schema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
};

/** The cursor in the text, or null where the text is not one. */
const parseCursor = (text: string): GoogleCursor | null => parseWith(cursorSchema, text);

/** The resume point in the text, or null where the text is not one. */
const parseResume = (text: string): GoogleResume | null => parseWith(resumeSchema, text);

const ROUTE = 'GET /v1/people/me/connections';

/** What a pull needs: the way to Google, the clock, and when it is given up. */
type PullOptions = { readonly call: CallGoogle; readonly clock: Clock; readonly limits: ListingLimits };

/** Walks Google's contacts: what changed since a cursor, or all of them. */
export const pullContacts = (
  options: PullOptions,
  request: PullRequest,
  signal: AbortSignal,
): AsyncGenerator<FeedPage, void, undefined> => {
  return request.mode === 'changes'
    ? pullChanges(options, request.cursor, signal)
    : pullWhole(options, request, signal);
};

type ListPage = {
  readonly rowCount: number;
  readonly readings: readonly PersonReading[];
  /** Ids of contacts in rows that are known. */
  readonly unchanged: readonly string[];
  readonly nextPageToken: string | null;
  readonly nextSyncToken: string | null;
  readonly total: number | null;
};

type Row = { readonly person: unknown; readonly id: string | null; readonly digest: string | null };

/**
 * The rows of a page that are to be read, and the ids of those that are known. A contact that another row calls by a former
 * id of its own is read: what that row says of the id comes first.
 */
const sortRows = async (
  { digestOf }: PersonMapping,
  people: readonly unknown[],
  known: KnownRows | undefined,
): Promise<{ readonly fresh: readonly Row[]; readonly unchanged: readonly string[] }> => {
  const formerIds = new Set<string | null>();
  const rows = people.map((person): Row => {
    const listed = listedSchema.safeParse(person).data;
    for (const id of listed?.metadata?.previousResourceNames ?? []) formerIds.add(id);
    return { person, id: listed?.resourceName ?? null, digest: digestOf(person) };
  });
  const digests = await findKnownRows(
    rows.filter(({ id }) => !formerIds.has(id)),
    known,
  );
  const isKnown = ({ digest }: Row): boolean => digests.has(digest);
  return {
    fresh: rows.filter((row) => !isKnown(row)),
    unchanged: rows.filter(isKnown).flatMap(({ id }) => id ?? []),
  };
};

/** A row that names former ids is known from now on too: a page hands them on together with the record. */
const withFormerIds = (reading: PersonReading, digest: string | null): PersonReading => {
  if (reading.kind !== 'contact' || reading.previousIds.length === 0) return reading;
  if (reading.mayBeCut || digest === null) return reading;
  return { ...reading, record: { ...reading.record, digest } };
};

const listPage = async (
  call: CallGoogle,
  { known, ...tokens }: { readonly pageToken?: string; readonly syncToken?: string; readonly known?: KnownRows },
  signal: AbortSignal,
): Promise<ListPage> => {
  const page = await call(
    {
      route: ROUTE,
      isMutation: false,
      hasSyncToken: tokens.syncToken !== undefined,
      schema: connectionsSchema,
      send: (people, options) => people.people.connections.list({ ...call.mapping.listQuery, ...tokens }, options),
    },
    signal,
  );
  const connections = page.connections ?? [];
  const { fresh, unchanged } = await sortRows(call.mapping, connections, known);
  const readings: PersonReading[] = [];
  for (const { person, digest } of fresh) {
    const reading = await completed(call, readPerson(person, call.mapping, digest), signal);
    readings.push(withFormerIds(reading, digest));
  }
  return {
    rowCount: connections.length,
    readings,
    unchanged,
    nextPageToken: page.nextPageToken || null,
    nextSyncToken: page.nextSyncToken || null,
    total: page.totalItems ?? page.totalPeople ?? null,
  };
};

const changeOf = (reading: PersonReading): FeedChange => {
  switch (reading.kind) {
    case 'contact':
      return { kind: 'upsert', record: reading.record, previousIds: reading.previousIds };
    case 'deleted':
      return { kind: 'tombstone', id: reading.id };
    case 'unreadable':
      return { kind: 'unreadable', id: reading.id, reason: reading.reason };
  }
};

/** The cursor after a last page. Google promises the token there; without it the next pull could not go on. */
const cursorAfter = ({ templateHash }: PersonMapping, page: ListPage, fullAtMs: number): string => {
  if (page.nextSyncToken === null) {
    throw new UnreadableError('The last page of the Google listing has no sync token', {
      status: 200,
      route: ROUTE,
      applied: 'no',
    });
  }
  const cursor: GoogleCursor = { syncToken: page.nextSyncToken, templateHash, fullAtMs };
  return JSON.stringify(cursor);
};

/**
 * A rename comes as a contact with its former name and, somewhere in the same delta, a tombstone of that name. So all
 * tombstones wait for the last page, and those of former names are dropped: nobody deleted that contact. So is that of a
 * contact which a later row shows: it was brought back while the delta was read.
 */
async function* pullChanges(
  { call, clock, limits }: PullOptions,
  cursorText: string,
  signal: AbortSignal,
): AsyncGenerator<FeedPage, void, undefined> {
  const { syncToken, fullAtMs } = usableCursor(call.mapping, cursorText, clock.now());
  const deletedIds = new Set<string>();
  const formerIds = new Set<string>();
  const sift = (page: ListPage): FeedChange[] => {
    for (const reading of page.readings) {
      if (reading.kind === 'deleted') deletedIds.add(reading.id);
      if (reading.kind !== 'contact') continue;
      deletedIds.delete(reading.record.id);
      reading.previousIds.forEach((id) => formerIds.add(id));
    }
    return page.readings.filter((reading) => reading.kind !== 'deleted').map(changeOf);
  };
  const walk = startListingWalk({ route: ROUTE, clock, limits });
  let page = await listPage(call, { syncToken }, signal);
  walk.take(page.rowCount, page.nextPageToken);
  while (page.nextPageToken !== null) {
    yield { changes: sift(page), unchanged: [], resume: null, cursor: null, total: null };
    page = await listPage(call, { syncToken, pageToken: page.nextPageToken }, signal);
    walk.take(page.rowCount, page.nextPageToken);
  }
  const upserts = sift(page);
  const tombstones = [...deletedIds.difference(formerIds)].map((id) => ({ kind: 'tombstone', id }) as const);
  const cursor = cursorAfter(call.mapping, page, fullAtMs);
  yield { changes: [...upserts, ...tombstones], unchanged: [], resume: null, cursor, total: null };
}

/** Throws {@link CursorExpiredError} where Google would refuse the token, or soon will. */
const usableCursor = ({ templateHash }: PersonMapping, text: string, nowMs: number): GoogleCursor => {
  const cursor = parseCursor(text);
  const isUsable =
    cursor !== null && cursor.templateHash === templateHash && nowMs - cursor.fullAtMs < SYNC_TOKEN_LIFE_MS;
  if (isUsable) return cursor;
  throw new CursorExpiredError('The Google cursor is too old or of another query: a full listing is due', {
    status: null,
    route: ROUTE,
    applied: 'no',
  });
};

type WholeRequest = Extract<PullRequest, { mode: 'whole' }>;

async function* pullWhole(
  { call, clock, limits }: PullOptions,
  { resume: resumeText, known }: WholeRequest,
  signal: AbortSignal,
): AsyncGenerator<FeedPage, void, undefined> {
  const list = (tokens: { readonly pageToken?: string }): Promise<ListPage> =>
    listPage(call, { ...tokens, ...(known && { known }) }, signal);
  const startedAtMs = clock.now();
  const resume = resumeText === null ? null : usableResume(call.mapping, resumeText, startedAtMs);
  const { fullAtMs = startedAtMs, pageToken: first = null, pages: pagesBefore = 0 } = resume ?? {};
  let pages = pagesBefore;
  const walk = startListingWalk({ route: ROUTE, clock, limits, pagesBefore, first });
  let page = resume === null ? await list({}) : await firstResumedPage(list, resume);
  walk.take(page.rowCount, page.nextPageToken);
  while (page.nextPageToken !== null) {
    pages += 1;
    const { nextPageToken: pageToken, unchanged, total } = page;
    const next: GoogleResume = { pageToken, templateHash: call.mapping.templateHash, fullAtMs, pages };
    yield { changes: page.readings.map(changeOf), unchanged, resume: JSON.stringify(next), cursor: null, total };
    page = await list({ pageToken });
    walk.take(page.rowCount, page.nextPageToken);
  }
  const { unchanged, total } = page;
  yield {
    changes: page.readings.map(changeOf),
    unchanged,
    resume: null,
    cursor: cursorAfter(call.mapping, page, fullAtMs),
    total,
  };
}

const forgotten = (cause?: unknown): CursorExpiredError =>
  new CursorExpiredError('Google has forgotten the listing that was cut off', {
    status: null,
    route: ROUTE,
    applied: 'no',
    cause,
  });

const usableResume = ({ templateHash }: PersonMapping, text: string, nowMs: number): GoogleResume => {
  const resume = parseResume(text);
  const isUsable =
    resume !== null && resume.templateHash === templateHash && nowMs - resume.fullAtMs < SYNC_TOKEN_LIFE_MS;
  if (!isUsable) throw forgotten();
  return resume;
};

/** The page to go on from. */
const firstResumedPage = async (
  list: (tokens: { readonly pageToken: string }) => Promise<ListPage>,
  { pageToken }: GoogleResume,
): Promise<ListPage> => {
  try {
    return await list({ pageToken });
  } catch (error) {
    if (error instanceof InvalidError || error instanceof CursorExpiredError) throw forgotten(error);
    throw error;
  }
};
