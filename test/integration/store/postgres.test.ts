import { once } from 'node:events';
import type { StoreChange } from '../../../src/core/state/rows.ts';
import { globSync } from 'node:fs';
import { createServer, connect, type AddressInfo, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/util/clock.ts';
import { createConnection } from '../../../src/store/postgres/database.ts';
import { migrate } from '../../../src/store/postgres/migrate.ts';
import { openPostgres, type PostgresOptions } from '../../../src/store/postgres/postgres-store.ts';
import { FenceError, StoreError, type Store } from '../../../src/store/store.ts';
import { sql } from '../../../src/store/sql/drizzle.ts';
import { findPostgres, startPostgres } from '../../support/postgres.ts';
import { withLaterMigration } from '../../support/store/later-migration.ts';
import { newPair, operationOf, putHalf } from '../../support/store/rows.ts';

const postgres = await findPostgres();
afterAll(() => postgres?.close());

const LINK = 'default';
const LEASE_MS = 15_000;
const HOUR_MS = 3_600_000;

const createDatabase = async (): Promise<string> => (await postgres?.createDatabase()) ?? '';

const open = (url: string, options: Partial<PostgresOptions> = {}): Store =>
  openPostgres({ url, clock: systemClock, connections: 2, ...options });

const acquireAt = (store: Store, owner: string, offMs: number): Promise<number | null> =>
  store.acquireLease(LINK, owner, Date.now() + offMs, Date.now() + offMs + LEASE_MS);

const runOut = (url: string) => postgres?.query(url, 'update links set lease_until_ms = 1');

describe.skipIf(postgres === null)('leases on PostgreSQL', () => {
  test('leases use the time of the database, independent of the clocks of the hosts', async () => {
    const url = await createDatabase();
    await using stack = new AsyncDisposableStack();
    const [early, late] = [open(url), open(url)];
    stack.defer(() => early.close());
    stack.defer(() => late.close());
    const first = (await acquireAt(early, 'early', -HOUR_MS)) ?? 0;
    expect(await acquireAt(late, 'late', HOUR_MS)).toBeNull();
    expect(await acquireAt(early, 'early', -HOUR_MS)).toBe(first);
    await runOut(url);
    const second = (await acquireAt(late, 'late', HOUR_MS)) ?? 0;
    expect(second).toBeGreaterThan(first);
    expect(await acquireAt(early, 'early', -HOUR_MS)).toBeNull();
  });

  test('a lease that was lost to another host refuses commits of one statement and of several', async () => {
    const url = await createDatabase();
    await using stack = new AsyncDisposableStack();
    const [paused, other] = [open(url), open(url)];
    stack.defer(() => paused.close());
    stack.defer(() => other.close());
    const old = (await acquireAt(paused, 'paused', 0)) ?? 0;
    await paused.commit(LINK, old, [putHalf('l1')]);
    await runOut(url);
    const token = (await acquireAt(other, 'other', 0)) ?? 0;
    await other.commit(LINK, token, [putHalf('l2')]);
    const drop: StoreChange = { kind: 'drop', table: 'halves', where: { side: 'left', id: 'l2' } };
    for (const changes of [[drop], [putHalf('l3'), { ...drop, id: 'l3' }, drop], []] as StoreChange[][]) {
      await expect(paused.commit(LINK, old, changes)).rejects.toThrow(FenceError);
    }
    expect((await other.halves(LINK, { by: 'all' })).map(({ id }) => id)).toEqual(['l1', 'l2']);
    await paused.releaseLease(LINK, 'paused');
    await other.commit(LINK, token, [putHalf('l4')]);
    expect(await paused.halves(LINK, { by: 'all' })).toHaveLength(3);
  });

  test('a lease is checked in one transaction with the stored rows, also right after a change', async () => {
    const url = await createDatabase();
    await using stack = new AsyncDisposableStack();
    const hosts = Array.from({ length: 4 }, () => open(url, { connections: 1 }));
    for (const host of hosts) stack.defer(() => host.close());
    await hosts[0]?.link(LINK);
    let written = 0;
    const work = async (host: Store, owner: string): Promise<void> => {
      for (let turn = 0; turn < 25;) {
        const token = await acquireAt(host, owner, 0);
        if (token === null) continue;
        const { reason } = await host.link(LINK);
        expect(Number(reason ?? 0)).toBe(written);
        written += 1;
        await host.commit(LINK, token, [{ kind: 'link', patch: { reason: String(written) } }]);
        await host.releaseLease(LINK, owner);
        turn += 1;
      }
    };
    await Promise.all(hosts.map((host, index) => work(host, `host ${index}`)));
    expect(written).toBe(100);
  });
});

describe.skipIf(postgres === null)('a database on PostgreSQL', () => {
  test('the tables are created once when ten processes start at once', async () => {
    const url = await createDatabase();
    const stores = Array.from({ length: 10 }, () => open(url, { connections: 1 }));
    await Promise.all(stores.map((store) => store.link(LINK)));
    await Promise.all(stores.map((store) => store.close()));
    const migrations = globSync('migrations/postgres/*.sql');
    expect(await postgres?.query(url, 'select * from contact_sync_migrations')).toHaveLength(migrations.length);
  });

  test('a later migration is applied once, to the stored rows too, when several processes start at once', async () => {
    using later = withLaterMigration('postgres', [
      'alter table "halves" add column "note" text',
      `update "halves" set "note" = 'moved'`,
    ]);
    const url = await createDatabase();
    const store = open(url);
    const token = await acquireAt(store, 'one', 0);
    await store.commit(LINK, token ?? 0, [putHalf('l1')]);
    await store.close();
    const connections = Array.from({ length: 4 }, () => createConnection({ url, clock: systemClock, connections: 2 }));
    await Promise.all(connections.map((connection) => connection.do((send) => send(sql`select 1`))));
    const upgrade = async (connection: (typeof connections)[number]): Promise<void> =>
      connection.do((send) =>
        migrate(send, (step) => connection.atomic((sendInStep) => step(sendInStep)), connection.place, later.folder),
      );
    await Promise.all(connections.map((connection) => upgrade(connection)));
    await Promise.all(connections.map((connection) => connection.close()));
    expect(await postgres?.query(url, 'select id, note from halves')).toEqual([{ id: 'l1', note: 'moved' }]);
    expect(await postgres?.query(url, 'select * from contact_sync_migrations')).toHaveLength(2);
    const earlier = open(url);
    await expect(earlier.links()).rejects.toThrow(/written by a newer version/u);
    await earlier.close();
  });

  test.each(['LATIN1', 'SQL_ASCII'])('a database in %s is refused: it cannot store every name', async (encoding) => {
    const options = `encoding '${encoding}' template template0 lc_collate 'C' lc_ctype 'C'`;
    const url = (await postgres?.createDatabase(options)) ?? '';
    const store = open(url);
    await expect(store.links()).rejects.toThrow(/has the encoding \w+, .+ createdb --encoding=UTF8/u);
    await store.close();
    expect(await postgres?.query(url, "select * from pg_tables where schemaname = 'public'")).toEqual([]);
  });

  test('a database of another program is refused', async () => {
    const url = await createDatabase();
    await postgres?.query(url, 'create table customers (id int)');
    const store = open(url);
    await expect(store.links()).rejects.toThrow(/holds the tables of another program/u);
    await store.close();
    expect(await postgres?.query(url, "select * from pg_tables where schemaname = 'public'")).toHaveLength(1);
  });

  test.each([
    ['that is not there', (url: string) => `${url}_absent`, /the database does not exist/u],
    ['without a server', (url: string) => url.replace(/:\d+\//u, ':1/'), /does not answer \(ECONNREFUSED\)/u],
    ['without TLS where it is asked for', (url: string) => `${url}?sslmode=require`, /does not speak TLS/u],
  ])('%s is reported at once, without the password', async (_what, change, message) => {
    const url = change((await createDatabase()).replace('postgres@', 'postgres:canary-77@'));
    const store = open(url);
    const error = await store.links().catch((thrown: unknown) => thrown);
    await store.close();
    expect(error).toBeInstanceOf(StoreError);
    expect(String(error)).toMatch(message);
    expect(String(error)).not.toContain('canary');
  });
});

test('a pooler that refuses the settings of a connection is reported with the setting to change there', async () => {
  const text = 'SFATAL\0C08P01\0Munsupported startup parameter: statement_timeout\0\0';
  const answer = Buffer.alloc(5 + text.length);
  answer.write('E', 0);
  answer.writeInt32BE(4 + text.length, 1);
  answer.write(text, 5, 'latin1');
  const server = createServer((client) => {
    client.on('error', () => undefined).once('data', () => client.end(answer));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const store = open(`postgres://127.0.0.1:${(server.address() as AddressInfo).port}/contact_sync`);
  await expect(store.links()).rejects.toThrow(/a connection pooler refuses .* ignore_startup_parameters/u);
  await store.close();
  server.close();
});

const startLossyProxy = async (url: string, loses: (sent: string) => boolean) => {
  const { port } = new URL(url);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(port || 5432), '127.0.0.1');
    let isLossy = false;
    for (const socket of [client, upstream]) {
      sockets.add(socket.on('error', () => undefined).on('close', () => sockets.delete(socket)));
    }
    client.on('data', (data) => {
      isLossy ||= loses(data.toString('latin1'));
      upstream.write(data);
    });
    upstream.on('data', (data) => {
      if (isLossy) client.destroy();
      else client.write(data);
    });
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const proxied = new URL(url);
  proxied.port = String((server.address() as AddressInfo).port);
  return {
    url: proxied.href,
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
};

describe.skipIf(postgres === null)('a commit whose answer was lost', () => {
  test.each([
    [
      'one statement',
      [...newPair('l1', 'r1'), { kind: 'intend', run: 'run', operation: operationOf('update'), atMs: 1 }],
    ],
    [
      'several',
      [
        ...newPair('l1', 'r1'),
        { kind: 'intend', run: 'run', operation: operationOf('update'), atMs: 1 },
        putHalf('l2'),
        { kind: 'drop', table: 'halves', where: { side: 'left', id: 'l2' } },
      ],
    ],
  ] as [string, StoreChange[]][])('the commit is made once and returns the created ids: %s', async (_what, changes) => {
    const url = await createDatabase();
    let losses = 0;
    let isArmed = false;
    const proxy = await startLossyProxy(url, (sent) => {
      const isIt =
        isArmed &&
        losses === 0 &&
        (changes.some(({ kind }) => kind === 'drop') ? /commit\0/u : /with fence/u).test(sent);
      losses += Number(isIt);
      return isIt;
    });
    const calls: string[] = [];
    const store = open(proxy.url, { onAway: () => calls.push('away'), onBack: () => calls.push('back') });
    const token = (await acquireAt(store, 'owner', 0)) ?? 0;
    isArmed = true;
    const ids = await store.commit(LINK, token, changes);
    expect(losses).toBe(1);
    expect(calls).toEqual(['away', 'back']);
    const [entry] = await store.journal(LINK, { open: true });
    expect(ids).toEqual([(await store.halves(LINK, { by: 'all' }))[0]?.pair, entry?.id]);
    expect(await store.counts(LINK)).toMatchObject({ pairs: 1, present: { left: 1, right: 1 } });
    expect(await store.journal(LINK, { open: true })).toHaveLength(1);
    await store.close();
    proxy.close();
  });

  test('the deletion of a link is made once', async () => {
    let isArmed = false;
    const proxy = await startLossyProxy(await createDatabase(), (sent) => {
      const isIt = isArmed && /commit\0/u.test(sent);
      isArmed &&= !isIt;
      return isIt;
    });
    const store = open(proxy.url);
    const token = (await acquireAt(store, 'owner', 0)) ?? 0;
    isArmed = true;
    await store.commit(LINK, token, [{ kind: 'forget-link' }]);
    expect([isArmed, await store.links()]).toEqual([false, []]);
    await expect(store.commit(LINK, token, [{ kind: 'forget-link' }])).rejects.toThrow(FenceError);
    await store.close();
    proxy.close();
  });
});

describe.skipIf(postgres === null)('PostgreSQL away for a while', () => {
  test('each step waits while PostgreSQL is unavailable, the outage is logged once, and no change is lost', async () => {
    const own = await startPostgres();
    if (own === null) throw new Error('There is no PostgreSQL to start.');
    const calls: string[] = [];
    const parts = { onAway: () => calls.push('away'), onBack: () => calls.push('back') };
    const store = open(own.url, parts);
    try {
      const token = (await acquireAt(store, 'owner', 0)) ?? 0;
      await store.commit(LINK, token, [putHalf('l1')]);
      await own.stop();
      const steps = [store.commit(LINK, token, [putHalf('l2')]), store.links(), store.leaseOwner(LINK)];
      let isOver = false;
      const all = Promise.all(steps).finally(() => {
        isOver = true;
      });
      while (calls.length === 0) await setTimeout(10);
      expect(isOver).toBe(false);
      await own.start();
      await all;
      expect(calls).toEqual(['away', 'back']);
      expect((await store.halves(LINK, { by: 'all' })).map(({ id }) => id)).toEqual(['l1', 'l2']);
    } finally {
      await store.close();
      await own.close();
    }
  });
});
