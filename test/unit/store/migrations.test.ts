import Database from 'better-sqlite3';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const migration = (name: string): string =>
  readFileSync(join(import.meta.dirname, '../../../migrations', `${name}.sql`), 'utf8');

it('what adapters keep of contacts becomes text wherever it stands', () => {
  const client = new Database(':memory:');
  client.exec(migration('0000_initial'));
  client.exec(migration('0001_shown_pages'));
  const record = JSON.stringify({ id: 'people/c1', raw: { names: [{ givenName: 'Zoë' }] } });
  const insertPair = client.prepare(
    "insert into pairs (link, status, google_id, google_record_json, service_record_json) values ('l', 'linked', 'people/c1', ?, null)",
  );
  insertPair.run(record);
  const insertWrite = client.prepare(
    "insert into journal (link, run, side, kind, state, intent_json, before_json, intended_at_ms) values ('l', 'r', 'google', 'update', 'done', ?, ?, 1)",
  );
  insertWrite.run(JSON.stringify({ source: JSON.parse(record) as unknown }), record);
  insertWrite.run(JSON.stringify({ source: null }), null);
  client.exec(migration('0002_raw_as_text'));
  const texts = client.prepare("select google_record_json ->> '$.raw' from pairs").pluck().all();
  const writes = client
    .prepare("select intent_json ->> '$.source.raw', before_json ->> '$.raw' from journal")
    .raw()
    .all();
  const raw = '{"names":[{"givenName":"Zoë"}]}';
  expect(texts).toEqual([raw]);
  expect(writes).toEqual([
    [raw, raw],
    [null, null],
  ]);
  client.close();
});
