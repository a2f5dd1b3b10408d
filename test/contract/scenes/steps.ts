import type { CreateRequest, FeedPage } from '../../../src/core/contact/requests.ts';
import { expect } from 'vitest';
import type { Contact } from '../../../src/core/contact/contact.ts';
import type { ContactRecord } from '../../../src/core/contact/record.ts';
import type { RemoteError } from '../../../src/providers/errors.ts';
import type { KnownRows, PullRequest, Remote, WriteResult } from '../../../src/providers/remote.ts';
import { cardOf, contactOfCard, plain, type Card, type Harness } from '../../support/contract/harness.ts';

/** A test of one rule of the port (src/providers/remote.ts), with a new harness. */
export type Scene = (harness: Harness) => Promise<void>;

/** Longer than any lag of a listing and any overlap of a change feed. */
export const LATER_MS = 15 * 60_000;

export const forever = new AbortController().signal;

export const ADA: Card = {
  firstName: 'Ada',
  lastName: 'King',
  company: 'Engines',
  title: 'Analyst',
  emails: ['ada@example.org', 'ada.king@example.net'],
  phones: ['830-285-9851'],
};
export const BEN: Partial<Card> = { firstName: 'Ben', lastName: 'Ng', emails: ['ben@example.org'] };

export const collect = async <Item>(items: AsyncIterable<Item>): Promise<Item[]> => {
  const collected: Item[] = [];
  for await (const item of items) collected.push(item);
  return collected;
};
export const pull = (remote: Remote, request: PullRequest): Promise<FeedPage[]> =>
  collect(remote.pull(request, forever));
export const pullWhole = (remote: Remote, resume: string | null = null): Promise<FeedPage[]> =>
  pull(remote, { mode: 'whole', resume });

/** Reads a whole listing in which the rows of these records are known. */
export const pullKnowing = (remote: Remote, records: readonly ContactRecord[]): Promise<FeedPage[]> => {
  const digests = new Map(records.map(({ id, digest }) => [id, digest]));
  const known: KnownRows = (rows) =>
    Promise.resolve(new Set(rows.filter(({ id, digest }) => digests.get(id) === digest).map(({ digest }) => digest)));
  return pull(remote, { mode: 'whole', resume: null, known });
};
export const unchangedOf = (pages: readonly FeedPage[]): string[] =>
  pages.flatMap(({ unchanged }) => unchanged).toSorted();

export const recordsOf = (pages: readonly FeedPage[]): ContactRecord[] =>
  pages.flatMap(({ changes }) => changes.flatMap((change) => (change.kind === 'upsert' ? [change.record] : [])));
export const idsOf = (pages: readonly FeedPage[]): Set<string> => new Set(recordsOf(pages).map(({ id }) => id));
export const cursorOf = (pages: readonly FeedPage[]): string => {
  expect(
    pages
      .slice(0, -1)
      .map(({ cursor }) => cursor)
      .every((cursor) => cursor === null),
  ).toBe(true);
  return pages.at(-1)?.cursor ?? expect.fail('the last page has no cursor');
};

export const failureOf = async (work: Promise<unknown>): Promise<unknown> => {
  const outcome = await work.then(
    () => null,
    (error: unknown) => ({ error }),
  );
  return outcome === null ? expect.fail('it did not fail') : outcome.error;
};

export const creation = (key: string, card: Partial<Card>, groupIds: readonly string[] = []): CreateRequest => ({
  key,
  draft: contactOfCard(card),
  groupIds,
  originId: `origin of ${key}`,
  originScope: 'account',
});

export const valueOf = <Value>(results: readonly WriteResult<Value>[], key: string): Value => {
  const result = results.find((one) => one.key === key);
  if (result?.ok === true) return result.value;
  return expect.fail(`${key}: ${result === undefined ? 'no result' : result.error.message}`);
};
export const errorOf = (results: readonly WriteResult<unknown>[], key: string): RemoteError => {
  const result = results.find((one) => one.key === key);
  return result?.ok === false ? result.error : expect.fail(`${key} has no error`);
};

/** Creates contacts in batches of the size that the side accepts. */
export const createAll = async ({ remote }: Harness, requests: readonly CreateRequest[]) => {
  const { writeBatch } = remote.capabilities;
  const batches = Array.from({ length: Math.ceil(requests.length / writeBatch) }, (_, index) =>
    requests.slice(index * writeBatch, (index + 1) * writeBatch),
  );
  const results: WriteResult<ContactRecord>[] = [];
  for (const batch of batches) results.push(...(await remote.create(batch, forever)));
  return results;
};

export const readOne = async ({ remote }: Harness, id: string) => {
  const answer = (await remote.read([id], forever)).get(id);
  return answer ?? expect.fail(`no answer for ${id}`);
};
export const readRecord = async (harness: Harness, id: string): Promise<ContactRecord> => {
  const answer = await readOne(harness, id);
  return answer.kind === 'found' ? answer.record : expect.fail(`${id} is ${answer.kind}`);
};

/** Expects that the record equals the contact at the provider. */
export const expectFaithful = (harness: Harness, record: ContactRecord): void => {
  const card = harness.card(record.id) ?? expect.fail(`${record.id} does not exist`);
  expect(plain(cardOf(record.contact))).toEqual(plain(card));
  expect(record.groupIds).toEqual(harness.groupIdsOf(record.id));
};

export const update = async (harness: Harness, current: ContactRecord, change: Partial<Contact>) => {
  const fields = Object.keys(change) as (keyof Contact)[];
  const request = { key: 'k', current, desired: { ...current.contact, ...change }, fields };
  return valueOf(await harness.remote.update([request], forever), 'k');
};
