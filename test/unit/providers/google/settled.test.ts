import { expect, it } from 'vitest';
import type { KnownRows } from '../../../../src/providers/remote.ts';
import { apiError, collect, NEVER, person, recordOf, startGoogle } from './support.ts';

it('a contact with former ids is unchanged in the next whole listing after they were reported [R1, R12]', async () => {
  const renamed = person(2, { metadata: { ...Object(person(2)['metadata']), previousResourceNames: ['people/c1'] } });
  await using google = await startGoogle(() => ({ body: { connections: [renamed], nextSyncToken: 'sync' } }));
  const [first] = await collect(google.remote.pull({ mode: 'whole', resume: null }, NEVER));
  const [change] = first?.changes ?? [];
  expect(change).toMatchObject({ kind: 'upsert', previousIds: ['people/c1'] });
  const digest = change?.kind === 'upsert' ? change.record.digest : undefined;
  const known: KnownRows = (rows) =>
    Promise.resolve(new Set(rows.flatMap((row) => (row.digest === digest ? [row.digest] : []))));
  const [second] = await collect(google.remote.pull({ mode: 'whole', resume: null, known }, NEVER));
  expect(second).toMatchObject({ changes: [], unchanged: ['people/c2'] });
});

const updates = Array.from({ length: 16 }, (_, index) => {
  const current = recordOf(person(index + 1));
  return { key: `k${index}`, current, desired: { ...current.contact, title: 'Countess' }, fields: ['title'] as const };
});

it('if Google fails for one contact, the rest of its batch is written with a known outcome [R15]', async () => {
  await using google = await startGoogle((seen) => {
    if (seen.method === 'GET') {
      const requestedResourceName = seen.query.get('resourceNames') ?? '';
      return { body: { responses: [{ requestedResourceName, httpStatusCode: 404, status: { code: 5 } }] } };
    }
    const ids = Object.keys(seen.body.contacts);
    if (ids.includes('people/c6')) return apiError(500, 'INTERNAL');
    const updateResult = ids.map((id) => [id, { person: person(Number(id.slice('people/c'.length))) }]);
    return { body: { updateResult: Object.fromEntries(updateResult) } };
  });
  const results = await google.remote.update(updates, NEVER);
  expect(results.filter(({ ok }) => ok)).toHaveLength(15);
  expect(results.filter(({ ok }) => !ok)).toMatchObject([{ key: 'k5', error: { kind: 'not-found', applied: 'no' } }]);
  expect(google.requests.length).toBeLessThan(12);
});

it('during an outage a batch is not sent item by item', async () => {
  await using google = await startGoogle(() => apiError(500, 'INTERNAL'));
  const results = await google.remote.update(updates, NEVER);
  expect(results.map((result) => !result.ok && result.error.applied)).toEqual(Array(16).fill('unknown'));
  expect(google.requests).toHaveLength(3);
});
