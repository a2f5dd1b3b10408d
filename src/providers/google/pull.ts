import { z } from 'zod';
import type { FeedChange, FeedPage, ReadAnswer } from '../../core/contact/requests.ts';
import { CursorExpiredError, InvalidError, UnreadableError } from '../errors.ts';
import type { CallGoogle } from './send.ts';
import type { PersonMapping } from './fields.ts';
import { SYNC_TOKEN_LIFE_MS } from './limits.ts';
import { type PersonReading, readPerson } from './mapper.ts';
import { completed, readContacts } from './read.ts';
import { connectionsSchema, listedSchema } from './schema.ts';
import { answered, notSent } from '../failure.ts';
import { feedPage, findKnownRows, type ListingLimits, parseStored, startListingWalk } from '../listing.ts';
import type { KnownRows, PullRequest } from '../remote.ts';
import type { Clock } from '../../util/clock.ts';

/** A token of a query, which is valid only for that query and for a limited time. */
const storedQuery = z.object({
  /** Identifies the query. */
  templateHash: z.string(),
  /** The start of the full listing that began the lifetime of the token, epoch milliseconds. */
  fullAtMs: z.number(),
});

/** The start of the next incremental pull. */
const cursorSchema = z.object({ syncToken: z.string().min(1), ...storedQuery.shape });
type GoogleCursor = z.output<typeof cursorSchema>;

/** The continuation of an interrupted full listing; `pages` is the number of pages read before. */
const resumeSchema = z.object({
  pageToken: z.string().min(1),
  ...storedQuery.shape,
  pages: z.int().nonnegative(),
});
type GoogleResume = z.output<typeof resumeSchema>;

/** Parses a cursor or a resume point; null if the text is not one, or if Google would refuse its token now or soon. */
const usable = <Schema extends z.ZodType<z.output<typeof storedQuery>>>(
  schema: Schema,
  text: string,
  mapping: PersonMapping,
  nowMs: number,
): z.output<Schema> | null => {
  try {
    const stored = parseStored(schema, text);
    const isUsable = stored.templateHash === mapping.templateHash && nowMs - stored.fullAtMs < SYNC_TOKEN_LIFE_MS;
    return isUsable ? stored : null;
  } catch {
    return null;
  }
};

const ROUTE = 'GET /v1/people/me/connections';

/** The options of a pull: the function for requests, the clock, and the limits of a listing. */
type PullOptions = { readonly call: CallGoogle; readonly clock: Clock; readonly limits: ListingLimits };

/** Pulls Google's contacts: the changes since a cursor, or all contacts. */
export const pullContacts = (options: PullOptions, request: PullRequest): AsyncGenerator<FeedPage, void, undefined> => {
  return request.mode === 'changes' ? pullChanges(options, request.cursor) : pullWhole(options, request);
};

type ListPage = {
  readonly rowCount: number;
  readonly readings: readonly PersonReading[];
  /** Ids of contacts in known rows. */
  readonly unchanged: readonly string[];
  readonly nextPageToken: string | null;
  readonly nextSyncToken: string | null;
  readonly total: number | null;
};

type Row = { readonly person: unknown; readonly id: string | null; readonly digest: string | null };

/**
 * Returns the rows of a page that must be read, and the ids of the known ones. A contact whose id is a former id in another
 * row is always read: the other row has precedence.
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

const listPage = async (
  call: CallGoogle,
  { known, ...tokens }: { readonly pageToken?: string; readonly syncToken?: string; readonly known?: KnownRows },
): Promise<ListPage> => {
  const query = { ...call.mapping.listQuery, ...tokens };
  const page = await call(
    ROUTE,
    connectionsSchema,
    (people, options) => people.people.connections.list(query, options),
    { hasSyncToken: tokens.syncToken !== undefined },
  );
  const connections = page.connections ?? [];
  const { fresh, unchanged } = await sortRows(call.mapping, connections, known);
  const readings: PersonReading[] = [];
  for (const { person, digest } of fresh) {
    readings.push(await completed(call, readPerson(person, call.mapping, digest)));
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

const idOf = (reading: PersonReading): string | null => (reading.kind === 'contact' ? reading.record.id : reading.id);

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

const changeOfAnswer = (id: string, answer: ReadAnswer): FeedChange => {
  switch (answer.kind) {
    case 'found':
      return { kind: 'upsert', record: answer.record, previousIds: [] };
    case 'moved':
      return { kind: 'upsert', record: answer.record, previousIds: [id] };
    case 'gone':
      return { kind: 'tombstone', id };
    case 'withheld':
    case 'unreadable':
      return { kind: 'unreadable', id, reason: answer.reason };
  }
};

/** Returns the cursor after the last page. Google guarantees a sync token there; the next pull needs it. */
const cursorAfter = ({ templateHash }: PersonMapping, page: ListPage, fullAtMs: number): string => {
  if (page.nextSyncToken === null) {
    throw new UnreadableError('The last page of the Google listing has no sync token', answered(ROUTE));
  }
  const cursor: GoogleCursor = { syncToken: page.nextSyncToken, templateHash, fullAtMs };
  return JSON.stringify(cursor);
};

/**
 * A rename is reported as a contact with its former name and, anywhere in the same delta, a tombstone of that name.
 * Therefore all tombstones are held until the last page, and those of former names are dropped: that contact was not deleted.
 * The tombstone of a contact on a later page is dropped too: the contact was restored while the delta was read. A contact that
 * one page names as deleted and as existing, in any order, is read (R7).
 */
async function* pullChanges(
  { call, clock, limits }: PullOptions,
  cursorText: string,
): AsyncGenerator<FeedPage, void, undefined> {
  const cursor = usable(cursorSchema, cursorText, call.mapping, clock.now());
  if (cursor === null) {
    const message = 'The Google cursor is too old or of another query: a full listing is due';
    throw new CursorExpiredError(message, notSent(ROUTE));
  }
  const { syncToken, fullAtMs } = cursor;
  const deletedIds = new Set<string>();
  const contradicted = new Set<string>();
  const formerIds = new Set<string>();
  const sift = (page: ListPage): FeedChange[] => {
    const shown = new Set(page.readings.flatMap((each) => (each.kind === 'deleted' ? [] : (idOf(each) ?? []))));
    const deleted = new Set(page.readings.flatMap((each) => (each.kind === 'deleted' ? [each.id] : [])));
    for (const id of deleted.intersection(shown)) contradicted.add(id);
    for (const id of shown) deletedIds.delete(id);
    for (const id of deleted.difference(shown)) deletedIds.add(id);
    for (const reading of page.readings) {
      if (reading.kind !== 'deleted') reading.previousIds.forEach((id) => formerIds.add(id));
    }
    return page.readings.filter((reading) => reading.kind !== 'deleted').map(changeOf);
  };
  const walk = startListingWalk({ route: ROUTE, limits });
  let page = await listPage(call, { syncToken });
  walk.take(page.rowCount, page.nextPageToken);
  while (page.nextPageToken !== null) {
    yield feedPage({ changes: sift(page) });
    page = await listPage(call, { syncToken, pageToken: page.nextPageToken });
    walk.take(page.rowCount, page.nextPageToken);
  }
  const upserts = sift(page);
  const tombstones = [...deletedIds.difference(formerIds)].map((id) => ({ kind: 'tombstone', id }) as const);
  const answers = await readContacts(call, [...contradicted.difference(deletedIds)]);
  const decided = [...answers].map(([id, answer]) => changeOfAnswer(id, answer));
  yield feedPage({
    changes: [...upserts, ...decided, ...tombstones],
    cursor: cursorAfter(call.mapping, page, fullAtMs),
  });
}

type WholeRequest = Extract<PullRequest, { mode: 'whole' }>;

async function* pullWhole(
  { call, clock, limits }: PullOptions,
  { resume: resumeText, known }: WholeRequest,
): AsyncGenerator<FeedPage, void, undefined> {
  const list = (tokens: { readonly pageToken?: string }): Promise<ListPage> =>
    listPage(call, { ...tokens, ...(known && { known }) });
  const startedAtMs = clock.now();
  const resume = resumeText === null ? null : usable(resumeSchema, resumeText, call.mapping, startedAtMs);
  if (resumeText !== null && resume === null) throw forgotten();
  const { fullAtMs = startedAtMs, pageToken: first = null, pages: pagesBefore = 0 } = resume ?? {};
  let pages = pagesBefore;
  const walk = startListingWalk({ route: ROUTE, limits, pagesBefore, first });
  let page = resume === null ? await list({}) : await firstResumedPage(list, resume);
  walk.take(page.rowCount, page.nextPageToken);
  while (page.nextPageToken !== null) {
    pages += 1;
    const { nextPageToken: pageToken, unchanged, total } = page;
    const next: GoogleResume = { pageToken, templateHash: call.mapping.templateHash, fullAtMs, pages };
    yield feedPage({ changes: page.readings.map(changeOf), unchanged, resume: JSON.stringify(next), total });
    page = await list({ pageToken });
    walk.take(page.rowCount, page.nextPageToken);
  }
  const { unchanged, total } = page;
  const cursor = cursorAfter(call.mapping, page, fullAtMs);
  yield feedPage({ changes: page.readings.map(changeOf), unchanged, cursor, total });
}

const forgotten = (cause?: unknown): CursorExpiredError =>
  new CursorExpiredError('Google has forgotten the listing that was cut off', { ...notSent(ROUTE), cause });

/** Reads the page where the interrupted listing continues. */
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
