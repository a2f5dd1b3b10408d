import type { Clock } from '../../clock.ts';
import { CursorExpiredError, InvalidError, UnreadableError } from '../errors.ts';
import type { FeedChange, FeedPage, PullRequest } from '../remote.ts';
import type { CallGoogle } from './call.ts';
import { parseCursor, parseResume, type GoogleCursor, type GoogleResume } from './cursor.ts';
import { SYNC_TOKEN_LIFE_MS } from './limits.ts';
import { readPerson, type PersonReading } from './mapper.ts';
import { LIST_QUERY, TEMPLATE_HASH } from './query.ts';
import { completed } from './read.ts';
import { connectionsSchema } from './schema.ts';

const ROUTE = 'GET /v1/people/me/connections';

/** Walks Google's contacts: what changed since a cursor, or all of them. */
export const pullContacts = (
  call: CallGoogle,
  clock: Clock,
  request: PullRequest,
  signal: AbortSignal,
): AsyncGenerator<FeedPage, void, undefined> => {
  return request.mode === 'changes'
    ? pullChanges(call, clock, request.cursor, signal)
    : pullWhole(call, clock, request.resume, signal);
};

type ListPage = {
  readonly readings: readonly PersonReading[];
  readonly nextPageToken: string | null;
  readonly nextSyncToken: string | null;
  readonly total: number | null;
};

const listPage = async (
  call: CallGoogle,
  tokens: { readonly pageToken?: string; readonly syncToken?: string },
  signal: AbortSignal,
): Promise<ListPage> => {
  const page = await call(
    {
      route: ROUTE,
      isMutation: false,
      hasSyncToken: tokens.syncToken !== undefined,
      schema: connectionsSchema,
      send: (people, options) => people.people.connections.list({ ...LIST_QUERY, ...tokens }, options),
    },
    signal,
  );
  const readings: PersonReading[] = [];
  for (const person of page.connections) readings.push(await completed(call, readPerson(person), signal));
  return {
    readings,
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
const cursorAfter = (page: ListPage, fullAtMs: number): string => {
  if (page.nextSyncToken === null) {
    throw new UnreadableError('The last page of the Google listing has no sync token', {
      side: 'google',
      status: 200,
      route: ROUTE,
      applied: 'no',
    });
  }
  const cursor: GoogleCursor = { syncToken: page.nextSyncToken, templateHash: TEMPLATE_HASH, fullAtMs };
  return JSON.stringify(cursor);
};

/**
 * A rename comes as a contact with its former name and, somewhere in the same delta, a tombstone of that name. So all
 * tombstones wait for the last page, and those of former names are dropped: nobody deleted that contact.
 */
async function* pullChanges(
  call: CallGoogle,
  clock: Clock,
  cursorText: string,
  signal: AbortSignal,
): AsyncGenerator<FeedPage, void, undefined> {
  const { syncToken, fullAtMs } = usableCursor(cursorText, clock.now());
  const deletedIds: string[] = [];
  const formerIds = new Set<string>();
  const sift = (page: ListPage): FeedChange[] => {
    for (const reading of page.readings) {
      if (reading.kind === 'deleted') deletedIds.push(reading.id);
      if (reading.kind === 'contact') reading.previousIds.forEach((id) => formerIds.add(id));
    }
    return page.readings.filter((reading) => reading.kind !== 'deleted').map(changeOf);
  };
  let page = await listPage(call, { syncToken }, signal);
  while (page.nextPageToken !== null) {
    yield { changes: sift(page), resume: null, cursor: null, total: null };
    page = await listPage(call, { syncToken, pageToken: page.nextPageToken }, signal);
  }
  const upserts = sift(page);
  const tombstones = deletedIds.filter((id) => !formerIds.has(id)).map((id) => ({ kind: 'tombstone', id }) as const);
  yield { changes: [...upserts, ...tombstones], resume: null, cursor: cursorAfter(page, fullAtMs), total: null };
}

/** Throws {@link CursorExpiredError} where Google would refuse the token, or soon will. */
const usableCursor = (text: string, nowMs: number): GoogleCursor => {
  const cursor = parseCursor(text);
  const isUsable =
    cursor !== null && cursor.templateHash === TEMPLATE_HASH && nowMs - cursor.fullAtMs < SYNC_TOKEN_LIFE_MS;
  if (isUsable) return cursor;
  throw new CursorExpiredError('The Google cursor is too old or of another query: a full listing is due', {
    side: 'google',
    status: null,
    route: ROUTE,
    applied: 'no',
  });
};

async function* pullWhole(
  call: CallGoogle,
  clock: Clock,
  resumeText: string | null,
  signal: AbortSignal,
): AsyncGenerator<FeedPage, void, undefined> {
  const startedAtMs = clock.now();
  const resume = usableResume(resumeText, startedAtMs);
  const resumed = resume === null ? null : await firstResumedPage(call, resume, signal);
  const fullAtMs = resume === null || resumed === null ? startedAtMs : resume.fullAtMs;
  let page = resumed ?? (await listPage(call, {}, signal));
  while (page.nextPageToken !== null) {
    const { nextPageToken: pageToken, total } = page;
    const next: GoogleResume = { pageToken, templateHash: TEMPLATE_HASH, fullAtMs };
    yield { changes: page.readings.map(changeOf), resume: JSON.stringify(next), cursor: null, total };
    page = await listPage(call, { pageToken }, signal);
  }
  const cursor = cursorAfter(page, fullAtMs);
  yield { changes: page.readings.map(changeOf), resume: null, cursor, total: page.total };
}

const usableResume = (text: string | null, nowMs: number): GoogleResume | null => {
  const resume = text === null ? null : parseResume(text);
  if (resume === null || resume.templateHash !== TEMPLATE_HASH) return null;
  return nowMs - resume.fullAtMs < SYNC_TOKEN_LIFE_MS ? resume : null;
};

/** The page to go on from, or null where Google has forgotten the walk. */
const firstResumedPage = async (
  call: CallGoogle,
  { pageToken }: GoogleResume,
  signal: AbortSignal,
): Promise<ListPage | null> => {
  try {
    return await listPage(call, { pageToken }, signal);
  } catch (error) {
    if (error instanceof InvalidError || error instanceof CursorExpiredError) return null;
    throw error;
  }
};
