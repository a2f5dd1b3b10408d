import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { EMPTY_CONTACT } from '../../../../src/core/contact/contact.ts';
import { RedirectedError, UnreadableError } from '../../../../src/providers/errors.ts';
import { ANSWER_LIMITS } from '../../../../src/providers/listing.ts';
import { inCompleteRun } from '../../../support/extent.ts';
import { collect, forever } from '../../../contract/scenes/steps.ts';
import { createRecordingClock } from '../../net/fake-clock.ts';
import type { Reply } from '../scripted-server.ts';
import { failureOf } from '../service/support.ts';
import { person, startGoogle, startTokens } from './support.ts';

const WHOLE = { mode: 'whole', resume: null } as const;

const creation = { key: 'k', draft: { ...EMPTY_CONTACT, firstName: 'Ada' }, groupIds: [], originId: 'contact_1' };

const REDIRECTS = [301, 302, 303, 307, 308];

it.each(REDIRECTS)('R17: a redirect with %d is not followed and is an error', async (status) => {
  await using elsewhere = await startGoogle(() => ({}));
  const away = (path: string): Reply => ({ status, headers: { location: `${elsewhere.url}${path}` } });
  await using google = await startGoogle(() => away('v1/people'));
  await using other = await startTokens(() => away('token'));
  const error = await failureOf(collect(google.remote.pull(WHOLE, forever)));
  expect(error.message).toContain(`redirect (${status})`);
  const tokenError = await failureOf(other.remote.identify(forever));
  expect(tokenError).toMatchObject({ applied: 'no', route: 'POST token' });
  for (const each of [error, tokenError]) expect(each).toBeInstanceOf(RedirectedError);
  expect([google.requests.length, other.tokenRequests.length]).toEqual([1, 1]);
  expect([...elsewhere.requests, ...elsewhere.tokenRequests]).toEqual([]);
});

const bomb = (): Reply => ({
  body: gzipSync(Buffer.alloc(ANSWER_LIMITS.bytes + 1_000_000, ' ')),
  headers: { 'content-encoding': 'gzip' },
});

inCompleteRun(() => {
  it('is not read beyond the limit, which counts decompressed bytes, nor is one of the token endpoint', async () => {
    await using google = await startGoogle(bomb);
    const error = await failureOf(collect(google.remote.pull(WHOLE, forever)));
    expect(error.message).toContain(`longer than ${ANSWER_LIMITS.bytes} bytes`);
    await using other = await startTokens(bomb);
    const tokenError = await failureOf(other.remote.identify(forever));
    expect(tokenError).toMatchObject({ applied: 'no' });
    for (const each of [error, tokenError]) expect(each).toBeInstanceOf(UnreadableError);
  });
});

it('R17: an answer that takes longer than the time limit is abandoned, and it is unknown whether the write was applied', async () => {
  let [nowMs, stepMs] = [0, 0];
  const clock = { ...createRecordingClock(), monotonic: () => (nowMs += stepMs) };
  await using google = await startGoogle(
    () => {
      stepMs = 40_000;
      return { body: { createdPeople: [] } };
    },
    undefined,
    { clock },
  );
  const [result] = await google.remote.create([creation], forever);
  const message = expect.stringContaining(`longer than ${ANSWER_LIMITS.timeMs} ms`);
  expect(result).toMatchObject({ ok: false, error: { kind: 'unreadable', applied: 'unknown', message } });
});

const page = (count: number, next: string, rows: number): Reply => ({
  body: {
    connections: Array.from({ length: rows }, (_, row) => person(count * rows + row + 1)),
    nextPageToken: next,
  },
});
const LIMITS = { pages: 12, rows: 1_000, timeMs: 3_600_000 };

it.each([
  ['itself', () => 'same'],
  ['an earlier page', (count: number) => `page ${count % 3}`],
])('R14, R17: a listing that does not end is refused if a page names %s as the next page', async (_, next) => {
  await using google = await startGoogle((__, count) => page(count, next(count), 1));
  const error = await failureOf(collect(google.remote.pull(WHOLE, forever)));
  expect(error).toBeInstanceOf(UnreadableError);
  expect(error.message).toContain('a page names a page that was read before');
  expect(google.requests.length).toBeLessThan(6);
});

it('R14, R17: a listing that does not end is refused if it is resumed and repeats the page of its resume point', async () => {
  await using google = await startGoogle((_, count) => page(count, 'same', 1));
  const [first] = await collect(google.remote.pull(WHOLE, forever)).catch(() => []);
  expect(first).toBeUndefined();
  const before = google.requests.length;
  for await (const { resume } of google.remote.pull(WHOLE, forever)) {
    await failureOf(collect(google.remote.pull({ mode: 'whole', resume }, forever)));
    break;
  }
  expect(google.requests.length - before).toBeLessThan(4);
});

it.each([
  ['whole', 1, '12 pages'],
  ['whole', 200, '1000 rows'],
  ['changes', 1, '12 pages'],
  ['changes', 200, '1000 rows'],
] as const)('R14, R17: an endless listing is abandoned: %s, %d rows a page, %s', async (mode, rows, why) => {
  let isEndless = false;
  await using google = await startGoogle(
    (_, count) => (isEndless ? page(count, `page ${count}`, rows) : { body: { nextSyncToken: 'sync' } }),
    undefined,
    { listingLimits: LIMITS },
  );
  const cursor = (await collect(google.remote.pull(WHOLE, forever))).at(-1)?.cursor ?? '';
  isEndless = true;
  const error = await failureOf(collect(google.remote.pull(mode === 'whole' ? WHOLE : { mode, cursor }, forever)));
  expect(error).toBeInstanceOf(UnreadableError);
  expect(error.message).toContain(why);
});

it('R14, R17: a listing that does not end is refused for groups, and in the search for the contact of a lost create', async () => {
  const group = { resourceName: 'contactGroups/a1', name: 'A' };
  await using google = await startGoogle((seen) => ({
    body: seen.path.endsWith('/contactGroups')
      ? { contactGroups: [group], nextPageToken: 'same' }
      : { connections: [person(1)], nextPageToken: 'same' },
  }));
  expect(await failureOf(google.remote.listGroups(forever))).toBeInstanceOf(UnreadableError);
  const looked = google.remote.findCreated([creation], 0, () => false, forever);
  expect(await failureOf(looked)).toBeInstanceOf(UnreadableError);
  expect(google.requests.length).toBeLessThan(8);
});

it('a required list is not read as empty if it is absent: every account has its system groups [R17]', async () => {
  await using google = await startGoogle(() => ({ body: {} }));
  expect(await failureOf(google.remote.listGroups(forever))).toBeInstanceOf(UnreadableError);
});
