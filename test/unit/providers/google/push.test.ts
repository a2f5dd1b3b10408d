import type { UpdateRequest } from '../../../../src/core/contact/requests.ts';
import { expect, test } from 'vitest';
import { USUAL_FIELDS } from '../../../../src/core/contact/contact.ts';
import { StaleError } from '../../../../src/providers/errors.ts';
import { personMapping } from '../../../../src/providers/google/fields.ts';
import { readPerson } from '../../../../src/providers/google/mapper.ts';
import { forever } from '../../../contract/scenes/steps.ts';
import type { Reply, Received } from '../scripted-server.ts';
import { apiError, creation, originData, person, recordOf, startGoogle } from './support.ts';

const created = (number: number) => ({ person: person(number, originData(`contact_${number}`)) });

/** Answers creates as Google does, refuses a batch that contains `bad`, and answers 401 from `end` on. */
const createUntil = (end: number, bad: number) =>
  startGoogle(({ body }, count) => {
    if (count >= end) return apiError(401, 'UNAUTHENTICATED');
    const sent = body.contacts as { contactPerson: { names: [{ givenName: string }] } }[];
    const numbers = sent.map(({ contactPerson }) => Number(contactPerson.names[0].givenName.slice(1)));
    if (numbers.includes(bad)) return apiError(400, 'INVALID_ARGUMENT');
    return { body: { createdPeople: numbers.map(created) } };
  });

test.each([
  // The first request is refused as a whole. The second creates 1 to 4. The third, with 5 to 8, gets a 401.
  [3, 6, 'k1 true, k2 true, k3 true, k4 true, k5 false, k6 false, k7 false, k8 false'],
  // The first two requests are refused. The third creates 1 and 2. The fourth, with 3 and 4, gets a 401.
  [4, 3, 'k1 true, k2 true, k3 false, k4 false'],
])('R9, R16: results before a refused credential are kept: %i', async (end, bad, outcomes) => {
  await using google = await createUntil(end, bad);
  const results = await google.remote.create(
    [1, 2, 3, 4, 5, 6, 7, 8].map((number) => creation(number)),
    forever,
  );
  expect(results.map(({ key, ok }) => `${key} ${ok}`).join(', ')).toBe(outcomes);
  const kinds = results.flatMap((result) => (result.ok ? [] : [result.error.kind]));
  expect(new Set(kinds)).toEqual(new Set(['unauthenticated']));
});

const createdPeople = (...rows: readonly object[]): Reply => ({ body: { createdPeople: rows } });
const [MADE, OTHER] = [created(1), created(2)];
const REFUSED = { status: { code: 3, message: 'bad' } };
const unknown = { ok: false, error: { applied: 'unknown' } };

test.each<[string, Reply, object[]]>([
  [
    'returns for each item its own status',
    createdPeople(MADE, REFUSED),
    [{ ok: true }, { ok: false, error: { kind: 'invalid' } }],
  ],
  ['is unknown for an item with the answer of another', createdPeople(OTHER, MADE), [unknown, unknown]],
])('a create %s, and is not repeated', async (_, reply, results) => {
  await using google = await startGoogle(() => reply);
  expect(await google.remote.create([creation(1), creation(2)], forever)).toMatchObject(results);
  expect(google.requests).toHaveLength(1);
});

const rich = (number: number) =>
  recordOf(person(number, { emailAddresses: [{ value: 'a@x.example', displayName: 'A' }] }));

const change = (number: number, fields: UpdateRequest['fields']): UpdateRequest => {
  const current = rich(number);
  return { key: `k${number}`, current, desired: { ...current.contact, firstName: 'New', title: 'New' }, fields };
};

const updateAll =
  (refuse: (ids: string[]) => Reply | null) =>
  (seen: Received): Reply => {
    const ids = Object.keys(seen.body.contacts);
    const done = ids.map((id) => [id, { requestedResourceName: id, person: { ...person(Number(id.slice(8))) } }]);
    return refuse(ids) ?? { body: { updateResult: Object.fromEntries(done) } };
  };

test('an update sends one request with the union of the masks, and sends unchanged fields as they were read', async () => {
  await using google = await startGoogle(updateAll(() => null));
  const results = await google.remote.update([change(1, ['firstName']), change(2, ['title'])], forever);
  expect(results.map(({ key, ok }) => `${key} ${ok}`)).toEqual(['k1 true', 'k2 true']);
  const { body, path } = google.requests[0] ?? { body: null, path: '' };
  expect(path).toBe('/v1/people:batchUpdateContacts');
  expect(body.updateMask).toBe('names,organizations');
  const metadata = { sources: [{ type: 'CONTACT', id: '1', etag: '#1' }] };
  expect(body.contacts['people/c1']).toMatchObject({ metadata, names: [{ givenName: 'New' }], organizations: [] });
  expect(body.contacts['people/c2']).toMatchObject({ names: [], organizations: [{ title: 'New' }] });
});

test.each([
  ['the update is repeated', [1, 2]],
  ['the contact is read', [1]],
])('[R9, R16] an update with a 500 stays unknown if the credential is refused when %s', async (_, numbers) => {
  await using google = await startGoogle((__, count) =>
    count === 1 ? apiError(500, 'INTERNAL') : apiError(401, 'UNAUTHENTICATED'),
  );
  const batch = numbers.map((number) => change(number, ['title']));
  const results = await google.remote.update(batch, forever);
  expect(results).toMatchObject(batch.map(({ key }) => ({ key, ok: false, error: { applied: 'unknown' } })));
});

test('[R9] an update with a 500 stays unknown if its repetition is refused as stale: the first one may have been applied', async () => {
  await using google = await startGoogle(
    updateAll((ids) => {
      if (ids.length > 1) return apiError(500, 'INTERNAL');
      return ids[0] === 'people/c1' ? apiError(400, 'FAILED_PRECONDITION') : null;
    }),
  );
  const results = await google.remote.update([change(1, ['title']), change(2, ['title'])], forever);
  expect(results).toMatchObject([
    { key: 'k1', ok: false, error: { applied: 'unknown' } },
    { key: 'k2', ok: true },
  ]);
});

test('[R10] a list that was not read is not emptied when another contact of the batch changes the same list', async () => {
  await using google = await startGoogle(updateAll(() => null));
  const urls = [{ value: 'https://x.org' }];
  const known = recordOf(person(1, { urls }));
  const fewer = personMapping(USUAL_FIELDS.filter((field) => field !== 'websites'));
  const reading = readPerson(person(2, { urls }), fewer);
  const other = reading.kind === 'contact' ? reading.record : expect.fail(reading.kind);
  const batch: UpdateRequest[] = [
    { key: 'a', current: known, desired: { ...known.contact, websites: [] }, fields: ['websites'] },
    { key: 'b', current: other, desired: { ...other.contact, title: 'Dr' }, fields: ['title'] },
  ];
  const results = await google.remote.update(batch, forever);
  expect(results.find(({ key }) => key === 'b')).toMatchObject({ ok: false, error: expect.any(StaleError) });
  expect(google.requests.map(({ body }) => Object.keys(body.contacts))).toEqual([['people/c1']]);
});

test.each<[string, Reply, 'unknown' | null]>([
  ['is applied after an empty object', { body: {} }, null],
  ['is applied after an empty body', { body: '' }, null],
  ['may not be applied after a web page', { body: '<html>Sign in</html>' }, 'unknown'],
  ['may not be applied after a list', { body: [] }, 'unknown'],
])('[R7, R9] a delete of a contact or of a label %s with the status 200', async (_, reply, applied) => {
  await using google = await startGoogle(() => reply);
  const [deleted] = await google.remote.delete(['people/c1'], forever);
  const error = await google.remote.deleteGroup('contactGroups/0a', forever).catch((caught: unknown) => caught);
  const unread = { kind: 'unreadable', applied };
  expect(deleted).toMatchObject(applied === null ? { ok: true } : { ok: false, error: unread });
  expect(error).toEqual(applied === null ? undefined : expect.objectContaining(unread));
});
