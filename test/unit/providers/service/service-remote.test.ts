import { describe, expect, it } from 'vitest';
import { EMPTY_CONTACT } from '../../../../src/core/contact/contact.ts';
import { UnavailableError } from '../../../../src/providers/errors.ts';
import {
  bucketJson,
  contactJson,
  failureOf,
  list,
  never,
  NOW_MS,
  one,
  stamp,
  startServer,
  type Received,
} from './support.ts';

const draft = { ...EMPTY_CONTACT, firstName: 'Ada', lastName: 'King' };
const creating = (key: string) => ({ key, draft, groupIds: ['bucket_1'], originId: 'people/c1' });

describe('a read of ids', () => {
  it('returns the state of each contact', async () => {
    await using server = await startServer(({ path }) => {
      const number = Number(path.split('_')[1]);
      if (number === 2) return { status: 404 };
      if (number === 3) return { status: 410 };
      if (number === 4) return { json: one(contactJson(1)) };
      if (number === 5) return { status: 301, headers: { location: '/v2/contacts/contact_1' } };
      if (number === 6) return { json: one(contactJson(6, { updated_at: 'odd' })) };
      return { json: one(contactJson(number)) };
    });
    const ids = [1, 2, 3, 4, 5, 6, 7].map((number) => `contact_${number}`);
    const answers = await server.remote.read(ids, never);
    expect([...answers.keys()]).toEqual(ids);
    expect(ids.map((id) => answers.get(id)?.kind)).toEqual([
      'found',
      'gone',
      'gone',
      'moved',
      'moved',
      'unreadable',
      'found',
    ]);
    const moved = answers.get('contact_4');
    expect(moved?.kind === 'moved' && moved.record.id).toBe('contact_1');
  });

  it('fails if the service fails, and reports no contact as gone', async () => {
    await using server = await startServer(() => ({ status: 500 }));
    expect(await failureOf(server.remote.read(['contact_1'], never))).toBeInstanceOf(UnavailableError);
  });
});

it('[R15] after a 500 for one contact, the others are read if the list of contacts is available', async () => {
  await using server = await startServer(({ path }) => {
    if (path === '/v2/contacts') return { json: list([]) };
    return path === '/v2/contacts/contact_1' ? { status: 500 } : { json: one(contactJson(2)) };
  });
  const answers = await server.remote.read(['contact_1', 'contact_2'], never);
  expect([...answers.values()].map(({ kind }) => kind)).toEqual(['unreadable', 'found']);
});

describe('a 403 for one contact', () => {
  const refusing =
    (isListed: boolean) =>
    ({ path }: { path: string }) =>
      path === '/v2/contacts' && isListed ? { json: list([]) } : { status: 403 };

  it('[R7] means that the contact is withheld, not deleted, if the list of contacts is available', async () => {
    await using server = await startServer(refusing(true));
    expect((await server.remote.read(['contact_1'], never)).get('contact_1')).toMatchObject({ kind: 'withheld' });
    expect(await server.remote.delete(['contact_1'], never)).toMatchObject([{ error: { kind: 'invalid' } }]);
    const change = { key: 'k', id: 'contact_1', add: ['bucket_1'], remove: [], knownGroupIds: [] };
    expect(await server.remote.changeMembership([change], never)).toMatchObject([{ error: { kind: 'invalid' } }]);
  });

  it('[R16] means a revoked permission if the list is also refused', async () => {
    await using server = await startServer(refusing(false));
    expect(await failureOf(server.remote.read(['contact_1'], never))).toMatchObject({ kind: 'revoked' });
    expect(await failureOf(server.remote.delete(['contact_1'], never))).toMatchObject({ kind: 'revoked' });
  });

  it('[R16] on a write means a missing permission if the contact is readable', async () => {
    await using server = await startServer(({ method }) =>
      method === 'GET' ? { json: one(contactJson(1)) } : { status: 403 },
    );
    expect(await failureOf(server.remote.delete(['contact_1'], never))).toMatchObject({ kind: 'revoked' });
  });
});

describe('a 404 with a web page', () => {
  const page = { status: 404, text: '<html></html>', headers: { 'content-type': 'text/html' } };

  it('[R7] for one contact means that the contact is withheld if the list of contacts is available', async () => {
    await using server = await startServer(({ path }) => (path === '/v2/contacts' ? { json: list([]) } : page));
    expect((await server.remote.read(['contact_1'], never)).get('contact_1')).toMatchObject({ kind: 'withheld' });
    expect(await server.remote.delete(['contact_1'], never)).toMatchObject([{ error: { applied: 'unknown' } }]);
  });

  it('[R7] for every request fails a read, and leaves a write unknown', async () => {
    await using server = await startServer(() => page);
    expect(await failureOf(server.remote.read(['contact_1'], never))).toMatchObject({ kind: 'unreadable' });
    expect(await failureOf(server.remote.readGroup('bucket_1', never))).toMatchObject({ kind: 'unreadable' });
    expect(await server.remote.create([creating('k')], never)).toMatchObject([{ error: { applied: 'unknown' } }]);
  });

  it('for a bucket means that the bucket is deleted if the list of buckets does not contain it', async () => {
    await using server = await startServer(({ path }) =>
      path === '/v2/buckets' ? { json: list([bucketJson(1)]) } : page,
    );
    expect(await server.remote.readGroup('bucket_2', never)).toBeNull();
    expect(await failureOf(server.remote.readGroup('bucket_1', never))).toMatchObject({ kind: 'unreadable' });
  });
});

describe('a read that fails', () => {
  it('is abandoned after its time limit', async () => {
    await using server = await startServer(() => ({ status: 503 }));
    expect(await failureOf(server.remote.identify(never))).toBeInstanceOf(UnavailableError);
    expect(server.received.length).toBeGreaterThan(2);
    expect(server.received.length).toBeLessThan(30);
  });

  it('is not repeated after a permanent error', async () => {
    await using server = await startServer(() => ({ status: 402 }));
    expect(await failureOf(server.remote.identify(never))).toMatchObject({ kind: 'disabled' });
    expect(server.received).toHaveLength(1);
  });
});

describe('[R9] the contact of a create without an answer', () => {
  const ada = { first_name: 'ada', last_name: 'KING' };

  it('is found among the newest contacts, and contacts that are already linked are skipped', async () => {
    const rows = [contactJson(9), contactJson(8, ada), contactJson(7, ada), { id: 'contact_6', first_name: 'Odd' }].map(
      (row) => {
        return { ...row, created_at: '2026-11-21 11:59:00 UTC' };
      },
    );
    await using server = await startServer(() => ({ json: list(rows) }));
    const isTaken = (id: string) => id === 'contact_8';
    const found = await server.remote.findCreated([creating('k'), creating('l')], NOW_MS, isTaken, never);
    expect([...found].map(([key, record]) => [key, record.id])).toEqual([['k', 'contact_7']]);
    expect(server.received[0]?.query.get('order')).toBe('-created_at');
    expect(server.received[0]?.query.get('created_at.after')).toBe('2026-11-21T11:55:00+00:00');
  });

  /** Answers with the newest contacts, 50 to a page. Each page announces another page. */
  const newest = (count: number, matching: (index: number) => boolean) => {
    const rows = Array.from({ length: count }, (_, index) =>
      contactJson(count - index, { ...(matching(index) ? ada : {}), created_at: '2026-11-21 11:59:00 UTC' }),
    );
    return ({ query }: Received) => {
      const page = Number(query.get('page') ?? '1');
      return { json: list(rows.slice((page - 1) * 50, page * 50), { next_page: page + 1 }) };
    };
  };

  it('is found after any number of newer contacts, and an empty search sends no request', async () => {
    await using server = await startServer(newest(300, (index) => index === 299));
    expect((await server.remote.findCreated([], NOW_MS, () => false, never)).size).toBe(0);
    expect(server.received).toHaveLength(0);
    const found = await server.remote.findCreated([creating('k')], NOW_MS, () => false, never);
    expect([...found].map(([key, record]) => [key, record.id])).toEqual([['k', 'contact_1']]);
  });

  it('is found by the clock of the service, which may be behind the local clock', async () => {
    const behindMs = 2 * 3_600_000;
    const made = contactJson(1, { ...ada, created_at: stamp(NOW_MS - behindMs) });
    await using server = await startServer(({ query }) => {
      const isBounded = Date.parse(query.get('created_at.after') ?? '') > NOW_MS - behindMs;
      const date = new Date(NOW_MS - behindMs).toUTCString();
      return { headers: { date }, json: list(isBounded ? [] : [made], { next_page: null }) };
    });
    const found = await server.remote.findCreated([creating('k')], NOW_MS, () => false, never);
    expect([...found.keys()]).toEqual(['k']);
    expect(server.received).toHaveLength(2);
  });

  it('is not a different contact with the same name, even if the right contact is on a later page', async () => {
    const made = { ...ada, created_at: '2026-11-21 11:59:00 UTC' };
    await using server = await startServer(({ query }) => {
      const isFirst = query.get('page') === null;
      const row = isFirst ? contactJson(2, { ...made, title: 'Countess' }) : contactJson(1, made);
      return { json: list([row], { next_page: isFirst ? 2 : null }) };
    });
    const found = await server.remote.findCreated([creating('k')], NOW_MS, () => false, never);
    expect([...found.values()].map(({ id }) => id)).toEqual(['contact_1']);
  });

  it('is matched once if its row moves to the next page during the search', async () => {
    await using server = await startServer(({ query }) => {
      const row = contactJson(1, { ...ada, created_at: '2026-11-21 11:59:00 UTC' });
      const other = { ...contactJson(2), created_at: row.created_at };
      const isFirst = query.get('page') === null;
      return { json: list(isFirst ? [row] : [row, other], { next_page: isFirst ? 2 : null }) };
    });
    const found = await server.remote.findCreated([creating('k'), creating('l')], NOW_MS, () => false, never);
    expect(server.received).toHaveLength(2);
    expect([...found.keys()]).toEqual(['k']);
  });
});

describe('buckets', () => {
  it('fail as a list if one bucket is unreadable', async () => {
    await using server = await startServer(() => ({ json: list([bucketJson(1), { id: 'bucket_2' }]) }));
    expect(await failureOf(server.remote.listGroups(never))).toMatchObject({ kind: 'unreadable' });
  });
});
