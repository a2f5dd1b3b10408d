import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, describe, expect, test } from 'vitest';
import { createApp } from '../../../src/app/app.ts';
import { systemClock } from '../../../src/util/clock.ts';
import { CONCURRENT_LINKS, loadConfig } from '../../../src/app/config/config.ts';
import { createConnection, type Connection } from '../../../src/store/postgres/database.ts';
import { sql } from '../../../src/store/sql/drizzle.ts';
import { openPostgres } from '../../../src/store/postgres/postgres-store.ts';
import type { Store } from '../../../src/store/store.ts';
import { makeCertificate } from '../../support/certificate.ts';
import { createEventLog } from '../../support/jobs/log-lines.ts';
import { findPostgres, startPostgres } from '../../support/postgres.ts';
import { startSilentProxy } from '../../support/network.ts';

const directory = mkdtempSync(join(tmpdir(), 'contact-sync-test-'));
const postgres = await findPostgres();
const { path, ...tls } = makeCertificate(directory);
const encrypted = await startPostgres({ tls });
afterAll(async () => {
  await postgres?.close();
  await encrypted?.close();
  rmSync(directory, { recursive: true, force: true });
});

const open = (url: string, connections = 2): Store => openPostgres({ url, clock: systemClock, connections });

const use = async (url: string): Promise<unknown> => {
  const store = open(url);
  try {
    return (await store.link('default')).name;
  } catch (error) {
    return error instanceof Error ? error.message : error;
  } finally {
    await store.close();
  }
};

const addressOf = (parameters: Readonly<Record<string, string>>, host = 'localhost'): string => {
  const url = new URL((encrypted?.url ?? '').replace('127.0.0.1', host));
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
};

describe.skipIf(encrypted === null)('PostgreSQL over TLS', () => {
  test('a server is accepted where its certificate authority is configured, and the connection is encrypted', async () => {
    const url = addressOf({ sslmode: 'verify-full', sslrootcert: path, application_name: 'over TLS' });
    const store = open(url);
    await store.link('default');
    const client = new pg.Client({ connectionString: encrypted?.url });
    await client.connect();
    const { rows } = await client.query(`select distinct s.ssl from pg_stat_ssl s join pg_stat_activity a using (pid)
      where a.application_name = 'over TLS'`);
    await client.end();
    await store.close();
    expect(rows).toEqual([{ ssl: true }]);
  });

  test.each([
    ['is of an unknown authority', addressOf({ sslmode: 'verify-full' }), 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ['has another host', addressOf({ sslmode: 'verify-full', sslrootcert: path }, '127.0.0.1'), 'ERR_TLS_CERT_ALTNAME'],
  ])('a server is refused where its certificate %s', async (_, url, code) => {
    expect(await use(url)).toMatch(new RegExp(`cannot be used: its certificate is not trusted \\(${code}`, 'u'));
  });

  test('sslmode=require accepts any certificate', async () => {
    expect(await use(addressOf({ sslmode: 'require' }))).toBe('default');
  });
});

const ONE = sql`select 1 as one`;

describe.skipIf(postgres === null)('the connections to PostgreSQL', () => {
  const counted = async (url: string): Promise<number> => {
    const [row] = (await postgres?.query(
      url,
      `select count(*) from pg_stat_activity
      where datname = current_database() and application_name = 'contact-sync'`,
    )) ?? [{}];
    return Number(row?.['count']);
  };

  test('the program opens at most two connections more than links are synced at the same time', async () => {
    const url = (await postgres?.createDatabase()) ?? '';
    const sides = { SERVICE_BASE_URL: 'http://127.0.0.1:9', GOOGLE_CLIENT_ID: 'x', GOOGLE_CLIENT_SECRET: 'x' };
    const key = randomBytes(32).toString('base64');
    const env = { ...sides, CREDENTIALS_KEY: key, DATABASE_URL: url, DATA_DIR: directory };
    await using app = createApp(loadConfig({ env, cwd: directory }), createEventLog().events);
    await Promise.all(Array.from({ length: 60 }, (_, index) => app.store.link(`link${index}`)));
    expect(await counted(url)).toBe(CONCURRENT_LINKS + 2);
  });

  test('the program waits while the server has no free connection', async () => {
    const small = await startPostgres({ settings: ['max_connections=6', 'superuser_reserved_connections=0'] });
    if (small === null) return;
    const first = open(small.url, 6);
    await Promise.all(Array.from({ length: 20 }, (_, index) => first.link(`link${index}`)));
    const second = open(small.url, 1);
    // One that never had a connection says at once that there is none.
    await expect(second.link('default')).rejects.toThrow('does not answer (53300)');
    await first.close();
    expect((await second.link('default')).name).toBe('default');
    await second.close();
    await small.close();
  });

  test('a statement that takes longer than statement_timeout fails, and the error contains the limit', async () => {
    const url = new URL((await postgres?.createDatabase()) ?? '');
    const store = open(url.href);
    await store.link('default');
    const blocker = new pg.Client({ connectionString: url.href });
    await blocker.connect();
    await blocker.query("begin; select * from links where name = 'default' for update");
    url.searchParams.set('statement_timeout', '200');
    const hasty = open(url.href);
    await expect(hasty.setPausedByHand('default', 1)).rejects.toThrow('longer than statement_timeout (57014)');
    await blocker.query('rollback');
    expect(await hasty.setPausedByHand('default', 1)).toBe(true);
    await blocker.end();
    await hasty.close();
    await store.close();
  });

  test.each([
    ['a statement', (db: Connection) => db.do((send) => send(ONE))],
    ['a transaction', (db: Connection) => db.atomic((send) => send(ONE))],
  ])('a silent connection is replaced: %s is repeated', async (_, step) => {
    const url = new URL((await postgres?.createDatabase()) ?? '');
    // The first use of a database is not repeated, and its migration may take longer than the limit below.
    expect(await use(url.href)).toBe('default');
    await using proxy = await startSilentProxy(Number(url.port));
    url.port = String(proxy.port);
    // With several connections the program would use another one.
    const db = createConnection({ url: url.href, clock: systemClock, connections: 1, silentForMs: 2_000 });
    await step(db);
    proxy.silence();
    expect(await step(db)).toEqual([{ one: 1 }]);
    await db.close();
  });

  test('connections have default limits, and those of the address where it has some', async () => {
    const url = new URL((await postgres?.createDatabase()) ?? '');
    const limitsOf = async (address: string) => {
      const db = createConnection({ url: address, clock: systemClock, connections: 1 });
      const show = async (name: string) => (await db.do((send) => send(sql.raw(`show ${name}`))))[0]?.[name];
      const limits = [await show('statement_timeout'), await show('idle_in_transaction_session_timeout')];
      await db.close();
      return limits;
    };
    expect(await limitsOf(url.href)).toEqual(['1min', '30s']);
    url.searchParams.set('statement_timeout', '5000');
    expect(await limitsOf(url.href)).toEqual(['5s', '30s']);
  });
});
