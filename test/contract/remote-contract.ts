import { expect } from 'vitest';
import type { Contact } from '../../src/contact/contact.ts';
import type { ContactRecord } from '../../src/contact/record.ts';
import { CursorExpiredError, isCredentialError, type RemoteError } from '../../src/providers/errors.ts';
import type {
  CreateRequest,
  FeedPage,
  KnownRows,
  PullRequest,
  Remote,
  WriteResult,
} from '../../src/providers/remote.ts';
import { cardOf, contactOfCard, plain, type Card, type Harness, type Trouble } from '../support/contract/harness.ts';

/** Longer than any lag of a listing, and than any overlap of a change feed. */
const LATER_MS = 15 * 60_000;

const forever = new AbortController().signal;

const ADA: Card = {
  firstName: 'Ada',
  lastName: 'King',
  company: 'Engines',
  title: 'Analyst',
  emails: ['ada@example.org', 'ada.king@example.net'],
  phones: ['830-285-9851'],
};
const BEN: Partial<Card> = { firstName: 'Ben', lastName: 'Ng', emails: ['ben@example.org'] };

const collect = async <Item>(items: AsyncIterable<Item>): Promise<Item[]> => {
  const collected: Item[] = [];
  for await (const item of items) collected.push(item);
  return collected;
};
const pull = (remote: Remote, request: PullRequest): Promise<FeedPage[]> => collect(remote.pull(request, forever));
const pullWhole = (remote: Remote, resume: string | null = null): Promise<FeedPage[]> =>
  pull(remote, { mode: 'whole', resume });

/** A whole listing beside somebody who knows these rows. */
const pullKnowing = (remote: Remote, records: readonly ContactRecord[]): Promise<FeedPage[]> => {
  const digests = new Map(records.map(({ id, digest }) => [id, digest]));
  const known: KnownRows = (rows) =>
    Promise.resolve(new Set(rows.filter(({ id, digest }) => digests.get(id) === digest).map(({ digest }) => digest)));
  return pull(remote, { mode: 'whole', resume: null, known });
};
const unchangedOf = (pages: readonly FeedPage[]): string[] => pages.flatMap(({ unchanged }) => unchanged).toSorted();

const recordsOf = (pages: readonly FeedPage[]): ContactRecord[] =>
  pages.flatMap(({ changes }) => changes.flatMap((change) => (change.kind === 'upsert' ? [change.record] : [])));
const idsOf = (pages: readonly FeedPage[]): Set<string> => new Set(recordsOf(pages).map(({ id }) => id));
const cursorOf = (pages: readonly FeedPage[]): string => {
  expect(
    pages
      .slice(0, -1)
      .map(({ cursor }) => cursor)
      .every((cursor) => cursor === null),
  ).toBe(true);
  return pages.at(-1)?.cursor ?? expect.fail('the last page has no cursor');
};

const failureOf = async (work: Promise<unknown>): Promise<unknown> => {
  const outcome = await work.then(
    () => null,
    (error: unknown) => ({ error }),
  );
  return outcome === null ? expect.fail('it did not fail') : outcome.error;
};

const creation = (key: string, card: Partial<Card>, groupIds: readonly string[] = []): CreateRequest => ({
  key,
  draft: contactOfCard(card),
  groupIds,
  originId: `origin of ${key}`,
});

const valueOf = <Value>(results: readonly WriteResult<Value>[], key: string): Value => {
  const result = results.find((one) => one.key === key);
  if (result?.ok === true) return result.value;
  return expect.fail(`${key}: ${result === undefined ? 'no result' : result.error.message}`);
};
const errorOf = (results: readonly WriteResult<unknown>[], key: string): RemoteError => {
  const result = results.find((one) => one.key === key);
  return result?.ok === false ? result.error : expect.fail(`${key} has no error`);
};

/** Creates by batches of the size that the side takes. */
const createAll = async ({ remote }: Harness, requests: readonly CreateRequest[]) => {
  const { createBatch } = remote.capabilities;
  const batches = Array.from({ length: Math.ceil(requests.length / createBatch) }, (_, index) =>
    requests.slice(index * createBatch, (index + 1) * createBatch),
  );
  const results: WriteResult<ContactRecord>[] = [];
  for (const batch of batches) results.push(...(await remote.create(batch, forever)));
  return results;
};

const readOne = async ({ remote }: Harness, id: string) => {
  const answer = (await remote.read([id], forever)).get(id);
  return answer ?? expect.fail(`no answer for ${id}`);
};
const readRecord = async (harness: Harness, id: string): Promise<ContactRecord> => {
  const answer = await readOne(harness, id);
  return answer.kind === 'found' ? answer.record : expect.fail(`${id} is ${answer.kind}`);
};

/** What the adapter says of the contact is what its owner sees there. */
const expectFaithful = (harness: Harness, record: ContactRecord): void => {
  const card = harness.card(record.id) ?? expect.fail(`${record.id} is not there`);
  expect(plain(cardOf(record.contact))).toEqual(plain(card));
  expect(record.groupIds).toEqual(harness.groupIdsOf(record.id));
};

const update = async (harness: Harness, current: ContactRecord, change: Partial<Contact>) => {
  const fields = Object.keys(change) as (keyof Contact)[];
  const request = { key: 'k', current, desired: { ...current.contact, ...change }, fields };
  return valueOf(await harness.remote.update([request], forever), 'k');
};

const pullScenes = {
  'a whole listing brings every contact once, with its groups, and ends in a cursor': async (harness) => {
    const group = harness.addGroup('Friends');
    for (let number = 0; number < 60; number += 1) harness.add({ firstName: `N${number}`, lastName: 'Many' });
    const ada = harness.add(ADA, [group]);
    harness.clock.advance(LATER_MS);
    const pages = await pullWhole(harness.remote);
    cursorOf(pages);
    expect(idsOf(pages)).toEqual(new Set(harness.ids()));
    expect(recordsOf(pages)).toHaveLength(61);
    for (const record of recordsOf(pages)) expectFaithful(harness, record);
    expect(recordsOf(pages).find(({ id }) => id === ada)?.groupIds).toEqual([group]);
  },

  'a whole listing tells nothing but the ids of rows that are known, and everything of the others': async (harness) => {
    const [friends, family] = [harness.addGroup('Friends'), harness.addGroup('Family')];
    const [ada, ben, cid] = [
      harness.add(ADA, [friends]),
      harness.add(BEN),
      harness.add({ firstName: 'Cid', lastName: 'Goes' }),
    ];
    for (let number = 0; number < 60; number += 1) harness.add({ firstName: `N${number}`, lastName: 'Many' });
    harness.clock.advance(LATER_MS);
    const first = await pullWhole(harness.remote);
    expect(unchangedOf(first)).toEqual([]);
    const all = [...idsOf(first)].toSorted();
    const quiet = await pullKnowing(harness.remote, recordsOf(first));
    expect(unchangedOf(quiet)).toEqual(all);
    expect(recordsOf(quiet)).toEqual([]);
    harness.edit(ada, { title: 'Countess' });
    harness.join(ben, family);
    harness.remove(cid);
    const added = harness.add({ firstName: 'Dot', lastName: 'New' });
    harness.clock.advance(LATER_MS);
    const next = await pullKnowing(harness.remote, recordsOf(first));
    expect(idsOf(next)).toEqual(new Set([ada, ben, added]));
    expect(unchangedOf(next)).toEqual(all.filter((id) => ![ada, ben, cid].includes(id)));
    for (const record of recordsOf(next)) expectFaithful(harness, record);
  },

  'the cursor after a listing of known rows brings what changes then': async (harness) => {
    const ada = harness.add(ADA);
    harness.clock.advance(LATER_MS);
    const first = await pullWhole(harness.remote);
    const cursor = cursorOf(await pullKnowing(harness.remote, recordsOf(first)));
    expect(idsOf(await pull(harness.remote, { mode: 'changes', cursor }))).toEqual(
      idsOf(await pull(harness.remote, { mode: 'changes', cursor: cursorOf(first) })),
    );
    harness.edit(ada, { title: 'Countess' });
    harness.clock.advance(LATER_MS);
    expect(idsOf(await pull(harness.remote, { mode: 'changes', cursor }))).toEqual(new Set([ada]));
  },

  'what a write answered with is the row that a listing shows': async (harness) => {
    const created = valueOf(await createAll(harness, [creation('a', ADA)]), 'a');
    harness.clock.advance(LATER_MS);
    expect(unchangedOf(await pullKnowing(harness.remote, [created]))).toEqual([created.id]);
    const updated = await update(harness, created, { title: 'Countess' });
    harness.clock.advance(LATER_MS);
    expect(idsOf(await pullKnowing(harness.remote, [created]))).toEqual(new Set([created.id]));
    expect(unchangedOf(await pullKnowing(harness.remote, [updated]))).toEqual([created.id]);
  },

  'an empty account is a listing with a cursor': async (harness) => {
    const cursor = cursorOf(await pullWhole(harness.remote));
    const ada = harness.add(ADA);
    harness.clock.advance(LATER_MS);
    expect(idsOf(await pull(harness.remote, { mode: 'changes', cursor }))).toEqual(new Set([ada]));
  },

  'changes bring what was added and edited since, and the next ones nothing of it': async (harness) => {
    const [ada, ben] = [harness.add(ADA), harness.add(BEN)];
    harness.clock.advance(LATER_MS);
    const first = cursorOf(await pullWhole(harness.remote));
    harness.edit(ada, { title: 'Countess' });
    const cid = harness.add({ firstName: 'Cid', lastName: 'New' });
    harness.clock.advance(LATER_MS);
    const changes = await pull(harness.remote, { mode: 'changes', cursor: first });
    expect(idsOf(changes).has(ada) && idsOf(changes).has(cid)).toBe(true);
    for (const record of recordsOf(changes)) expectFaithful(harness, record);
    harness.edit(ben, { title: 'Baker' });
    harness.clock.advance(LATER_MS);
    const next = await pull(harness.remote, { mode: 'changes', cursor: cursorOf(changes) });
    expect(idsOf(next).has(ben)).toBe(true);
    for (const record of recordsOf(next)) expectFaithful(harness, record);
  },

  'a deletion is told by the feed, or by absence from the listing and a read': async (harness) => {
    const [ada, ben] = [harness.add(ADA), harness.add(BEN)];
    harness.clock.advance(LATER_MS);
    const cursor = cursorOf(await pullWhole(harness.remote));
    harness.remove(ben);
    harness.clock.advance(LATER_MS);
    const changes = (await pull(harness.remote, { mode: 'changes', cursor })).flatMap((page) => page.changes);
    const tombstones = changes.filter(({ kind }) => kind === 'tombstone');
    expect(tombstones).toEqual(harness.tellsDeletions ? [{ kind: 'tombstone', id: ben }] : []);
    expect(idsOf(await pullWhole(harness.remote))).toEqual(new Set([ada]));
    expect(await readOne(harness, ben)).toEqual({ kind: 'gone' });
  },

  'a listing that was cut off goes on behind the page that it had reached': async (harness) => {
    for (let number = 0; number < harness.moreThanAPage; number += 1)
      harness.add({ firstName: `N${number}`, lastName: 'Many' });
    harness.clock.advance(LATER_MS);
    const reached: FeedPage[] = [];
    for await (const page of harness.remote.pull({ mode: 'whole', resume: null }, forever)) {
      reached.push(page);
      break;
    }
    const before = harness.arrived();
    const rest = await pullWhole(harness.remote, reached[0]?.resume ?? expect.fail('no place to go on from'));
    cursorOf(rest);
    expect(idsOf(rest).union(idsOf(reached))).toEqual(new Set(harness.ids()));
    expect(idsOf(rest).size).toBeLessThan(harness.moreThanAPage);
    expect(harness.arrived() - before).toBeLessThanOrEqual(3);
  },

  'a place to go on from that nobody understands starts the listing anew': async (harness) => {
    const ada = harness.add(ADA);
    harness.clock.advance(LATER_MS);
    expect(idsOf(await pullWhole(harness.remote, 'not a place'))).toEqual(new Set([ada]));
  },

  'a cursor that nobody understands has expired': async ({ remote }) => {
    expect(await failureOf(pull(remote, { mode: 'changes', cursor: 'not a cursor' }))).toBeInstanceOf(
      CursorExpiredError,
    );
  },
} satisfies Record<string, Scene>;

const readScenes = {
  'reads find what is there and say what is gone, each under the id asked for': async (harness) => {
    const [ada, ben] = [harness.add(ADA), harness.add(BEN)];
    harness.remove(ben);
    const answers = await harness.remote.read([ada, ben], forever);
    expect([...answers.keys()].toSorted()).toEqual([ada, ben].toSorted());
    expect(answers.get(ada)?.kind).toBe('found');
    expect(answers.get(ben)).toEqual({ kind: 'gone' });
    expectFaithful(harness, await readRecord(harness, ada));
  },

  'a contact that was merged away is gone, or is the other one now (R12)': async (harness) => {
    const [ada, ben] = [harness.add(ADA), harness.add(BEN)];
    harness.merge(ada, ben);
    harness.clock.advance(LATER_MS);
    const answer = await readOne(harness, ben);
    if (answer.kind === 'moved') expect(answer.record.id).toBe(ada);
    else expect(answer).toEqual({ kind: 'gone' });
    expectFaithful(harness, await readRecord(harness, ada));
  },

  'the account has a name that stays': async (harness) => {
    const name = await harness.remote.identify(forever);
    expect(name).not.toBeNull();
    harness.add(ADA);
    expect(await harness.remote.identify(forever)).toBe(name);
  },
} satisfies Record<string, Scene>;

const writeScenes = {
  'creates answer each by its key with the contact as it stands there': async (harness) => {
    const group = harness.addGroup('Friends');
    const { createsWithGroups } = harness.remote.capabilities;
    const results = await createAll(harness, [
      creation('a', ADA, createsWithGroups ? [group] : []),
      creation('b', BEN),
    ]);
    const [ada, ben] = [valueOf(results, 'a'), valueOf(results, 'b')];
    expect(harness.ids().toSorted()).toEqual([ada.id, ben.id].toSorted());
    expect(plain(cardOf(ada.contact))).toEqual(plain(ADA));
    for (const record of [ada, ben]) expectFaithful(harness, record);
    expect(ada.groupIds).toEqual(createsWithGroups ? [group] : []);
  },

  'one create that is refused leaves the others': async (harness) => {
    const cards = ['A', 'B', 'C', 'D'].map((firstName) =>
      creation(firstName, { ...BEN, firstName, emails: [`${firstName}@example.org`] }),
    );
    const results = await createAll(harness, harness.refuseOne(cards));
    const refused = results.filter(({ ok }) => !ok).map(({ key }) => key);
    expect(refused).toHaveLength(1);
    expect(errorOf(results, refused[0] ?? '')).toMatchObject({ kind: 'invalid', retry: 'never', applied: 'no' });
    expect(harness.ids()).toHaveLength(3);
  },

  'an update changes its fields and nothing else, not even what has no name here (R10)': async (harness) => {
    const ada = harness.add(ADA, [harness.addGroup('Friends')]);
    harness.giveMore(ada);
    const more = harness.more(ada);
    const current = await readRecord(harness, ada);
    const emailAddresses = [...current.contact.emailAddresses, { value: 'new@example.org', label: 'other' }];
    const updated = await update(harness, current, { title: 'Countess', emailAddresses });
    const card = harness.card(ada) ?? expect.fail('she is gone');
    expect(plain(card)).toEqual(plain({ ...ADA, title: 'Countess', emails: [...ADA.emails, 'new@example.org'] }));
    expect(harness.more(ada)).toEqual(more);
    expectFaithful(harness, updated);
    const again = await update(harness, updated, { lastName: 'Lovelace' });
    expect(harness.card(ada)?.lastName).toBe('Lovelace');
    expect(harness.more(ada)).toEqual(more);
    expectFaithful(harness, again);
  },

  'an update clears texts and lists': async (harness) => {
    const ada = harness.add(ADA);
    const current = await readRecord(harness, ada);
    const kept = current.contact.emailAddresses.slice(0, 1);
    const updated = await update(harness, current, { company: '', title: '', phoneNumbers: [], emailAddresses: kept });
    const cleared = { ...ADA, company: '', title: '', phones: [], emails: ADA.emails.slice(0, 1) };
    expect(plain(harness.card(ada) ?? expect.fail('she is gone'))).toEqual(plain(cleared));
    expectFaithful(harness, updated);
  },

  'an update of a contact that is gone fails alone': async (harness) => {
    const [ada, ben] = [harness.add(ADA), harness.add(BEN)];
    const records = [await readRecord(harness, ada), await readRecord(harness, ben)];
    harness.remove(ben);
    const requests = records.map((current) => ({
      key: current.id,
      current,
      desired: { ...current.contact, title: 'Countess' },
      fields: ['title'] as const,
    }));
    const results =
      harness.remote.capabilities.updateBatch > 1
        ? await harness.remote.update(requests, forever)
        : (await Promise.all(requests.map((request) => harness.remote.update([request], forever)))).flat();
    expect(valueOf(results, ada).contact.title).toBe('Countess');
    expect(errorOf(results, ben).retry).toBe('never');
    expect(errorOf(results, ben).applied).toBe('no');
  },

  'a delete answers for each id, and one that is gone already is deleted': async (harness) => {
    const [ada, ben] = [harness.add(ADA), harness.add(BEN)];
    const cid = harness.add({ firstName: 'Cid', lastName: 'Stays' });
    harness.remove(ben);
    const { deleteBatch } = harness.remote.capabilities;
    const batches = deleteBatch > 1 ? [[ada, ben]] : [[ada], [ben]];
    for (const batch of batches) {
      const results = await harness.remote.delete(batch, forever);
      expect(new Map(results.map(({ key, ok }) => [key, ok]))).toEqual(new Map(batch.map((id) => [id, true])));
    }
    expect(harness.ids()).toEqual([cid]);
  },
} satisfies Record<string, Scene>;

const groupScenes = {
  'memberships become what was asked for, told as they are afterwards': async (harness) => {
    const [friends, family] = [harness.addGroup('Friends'), harness.addGroup('Family')];
    const [ada, ben] = [harness.add(ADA, [friends]), harness.add(BEN)];
    const results = await harness.remote.changeMembership(
      [
        { key: 'a', id: ada, add: [family], remove: [friends], knownGroupIds: null },
        { key: 'b', id: ben, add: [friends, family], remove: [], knownGroupIds: [] },
      ],
      forever,
    );
    expect(valueOf(results, 'a')).toEqual([family]);
    expect(valueOf(results, 'b')).toEqual([friends, family].toSorted());
    expect(harness.groupIdsOf(ada)).toEqual([family]);
    expect(harness.groupIdsOf(ben)).toEqual([friends, family].toSorted());
  },

  'the last membership can be taken away': async (harness) => {
    const friends = harness.addGroup('Friends');
    const ada = harness.add(ADA, [friends]);
    const change = { key: 'a', id: ada, add: [], remove: [friends], knownGroupIds: [friends] };
    expect(valueOf(await harness.remote.changeMembership([change], forever), 'a')).toEqual([]);
    expect(harness.groupIdsOf(ada)).toEqual([]);
  },

  'a group that the owner added a moment ago survives a change of others (R11)': async (harness) => {
    const [friends, family, golf] = [harness.addGroup('Friends'), harness.addGroup('Family'), harness.addGroup('Golf')];
    const ada = harness.add(ADA, [friends]);
    await readRecord(harness, ada);
    harness.join(ada, golf);
    const change = { key: 'a', id: ada, add: [family], remove: [friends], knownGroupIds: null };
    expect(valueOf(await harness.remote.changeMembership([change], forever), 'a')).toEqual([family, golf].toSorted());
    expect(harness.groupIdsOf(ada)).toEqual([family, golf].toSorted());
  },

  'a membership of a contact that is gone fails alone': async (harness) => {
    const friends = harness.addGroup('Friends');
    const [ada, ben] = [harness.add(ADA), harness.add(BEN)];
    harness.remove(ben);
    const changes = [ada, ben].map((id) => ({ key: id, id, add: [friends], remove: [], knownGroupIds: [] }));
    const results = await harness.remote.changeMembership(changes, forever);
    expect(valueOf(results, ada)).toEqual([friends]);
    expect(errorOf(results, ben)).toMatchObject({ retry: 'never', applied: 'no' });
  },

  'groups are made, listed, renamed, read and deleted, and their contacts stay': async (harness) => {
    const { remote } = harness;
    const made = await remote.createGroup('Café ☕', forever);
    expect(made.name).toBe('Café ☕');
    expect(await remote.listGroups(forever)).toEqual([made]);
    const ada = harness.add(ADA, [made.id]);
    const renamed = await remote.renameGroup(made, 'Tea', forever);
    expect(renamed).toMatchObject({ id: made.id, name: 'Tea' });
    expect(await remote.readGroup(made.id, forever)).toEqual(renamed);
    await remote.deleteGroup(made.id, forever);
    expect(await remote.readGroup(made.id, forever)).toBeNull();
    await remote.deleteGroup(made.id, forever);
    expect(await remote.listGroups(forever)).toEqual([]);
    expect(harness.ids()).toEqual([ada]);
    expect(harness.groupIdsOf(ada)).toEqual([]);
  },

  'a group whose name is taken is adopted, or made beside it where the side allows that': async (harness) => {
    const known = harness.addGroup('Friends');
    const made = await harness.remote.createGroup('Friends', forever);
    expect(made.name).toBe('Friends');
    const listed = await harness.remote.listGroups(forever);
    expect(listed.map(({ id }) => id)).toEqual(expect.arrayContaining([known, made.id]));
    expect(listed).toHaveLength(new Set([known, made.id]).size);
  },
} satisfies Record<string, Scene>;

/** Troubles that leave open whether a write was applied. */
const DOUBTFUL: readonly Trouble[] = ['unavailable', 'reset-before', 'reset-after', 'truncated', 'html'];

const troubleScenes = {
  'a create whose answer was lost is found again by looking (R9)': async (harness) => {
    for (const trouble of ['reset-after', 'truncated'] as const) {
      const request = creation(trouble, { ...BEN, firstName: trouble, emails: [`${trouble}@example.org`] });
      const sinceMs = harness.clock.now();
      const before = new Set(harness.ids());
      harness.disturb('create', trouble);
      const results = await harness.remote.create([request], forever);
      expect(errorOf(results, trouble)).toMatchObject({ applied: 'unknown' });
      harness.clock.advance(60_000);
      const made = harness.ids().filter((id) => !before.has(id));
      expect(made).toHaveLength(1);
      const look = (isTaken: (id: string) => boolean) =>
        harness.remote.findCreated([request], sinceMs, isTaken, forever);
      expect([...(await look(() => false))].map(([key, { id }]) => [key, id])).toEqual([[trouble, made[0]]]);
      expect((await look((id) => made.includes(id))).size).toBe(0);
    }
  },

  'a create that never arrived is not found (R9)': async (harness) => {
    harness.add({ ...BEN, firstName: 'Another' });
    const request = creation('k', ADA);
    harness.disturb('create', 'reset-before');
    expect(errorOf(await harness.remote.create([request], forever), 'k').applied).toBe('unknown');
    harness.clock.advance(60_000);
    expect((await harness.remote.findCreated([request], harness.clock.now(), () => false, forever)).size).toBe(0);
  },

  'listings and reads come through limits, faults and broken answers': async (harness) => {
    const ada = harness.add(ADA);
    harness.clock.advance(LATER_MS);
    for (const trouble of ['limited', ...DOUBTFUL] as const) {
      harness.disturb('list', trouble);
      expect(idsOf(await pullWhole(harness.remote))).toEqual(new Set([ada]));
      harness.disturb('read', trouble);
      expect((await readOne(harness, ada)).kind).toBe('found');
    }
  },

  'a write that was limited is sent again; one in doubt is not': async (harness) => {
    harness.disturb('create', 'limited');
    const created = valueOf(await harness.remote.create([creation('limited', ADA)], forever), 'limited');
    expect(harness.ids()).toEqual([created.id]);
    for (const trouble of DOUBTFUL) {
      harness.disturb('update', trouble);
      const current = await readRecord(harness, created.id);
      const desired = { ...current.contact, title: `After ${trouble}` };
      const before = harness.arrived();
      const results = await harness.remote.update([{ key: 'k', current, desired, fields: ['title'] }], forever);
      expect(errorOf(results, 'k')).toMatchObject({ retry: 'soon', applied: 'unknown' });
      expect(harness.arrived() - before).toBe(1);
    }
  },

  'a request above the rate limit waits and comes through': async (harness) => {
    const ids = Array.from({ length: 3 }, (_, number) => harness.add({ firstName: `N${number}`, lastName: 'Many' }));
    harness.clock.advance(LATER_MS);
    await harness.remote.identify(forever);
    harness.limitTightly();
    for (let round = 0; round < 3; round += 1) {
      expect(idsOf(await pullWhole(harness.remote))).toEqual(new Set(ids));
    }
  },

  'a permission that was taken back stops reads and writes alike (R16)': async (harness) => {
    const ada = harness.add(ADA);
    harness.revoke();
    const { remote } = harness;
    for (const work of [
      () => pullWhole(remote),
      () => remote.read([ada], forever),
      () => remote.create([creation('k', BEN)], forever),
      () => remote.delete([ada], forever),
      () => remote.listGroups(forever),
    ]) {
      expect(isCredentialError(await failureOf(work()))).toBe(true);
    }
    expect(harness.ids()).toEqual([ada]);
  },

  'a credential that was never right is told apart from one that was taken back': async (harness) => {
    const error = await failureOf(harness.impostor().listGroups(forever));
    expect(error).toMatchObject({ kind: 'unauthenticated', retry: 'never' });
  },

  'nothing is sent once the signal is aborted, and what is under way ends with its reason': async (harness) => {
    await harness.remote.identify(forever);
    const before = harness.arrived();
    const reason = new Error('enough');
    const aborted = AbortSignal.abort(reason);
    expect(await failureOf(harness.remote.create([creation('k', ADA)], aborted))).toBe(reason);
    expect(await failureOf(collect(harness.remote.pull({ mode: 'whole', resume: null }, aborted)))).toBe(reason);
    expect(harness.arrived()).toBe(before);
    const controller = new AbortController();
    harness.hold('list', 60_000);
    const listing = failureOf(collect(harness.remote.pull({ mode: 'whole', resume: null }, controller.signal)));
    await expect.poll(() => harness.arrived(), { interval: 2 }).toBe(before + 1);
    controller.abort(reason);
    expect(await listing).toBe(reason);
  },
} satisfies Record<string, Scene>;

/** One expectation of the port; the harness is fresh. */
type Scene = (harness: Harness) => Promise<void>;

/** Everything that the port promises (src/providers/remote.ts), the same for both sides, by the promise's words. */
export const SCENES = { ...pullScenes, ...readScenes, ...writeScenes, ...groupScenes, ...troubleScenes };
export type SceneName = keyof typeof SCENES;
export const SCENE_NAMES = Object.keys(SCENES) as readonly SceneName[];
