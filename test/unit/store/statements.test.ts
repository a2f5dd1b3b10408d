import { expect, test } from 'vitest';
import { openDatabase, type Orm } from '../../../src/store/sqlite/database.ts';
import { placeholder } from '../../../src/store/sqlite/drizzle.ts';
import { findKnown } from '../../../src/store/sqlite/half-index.ts';
import { readHalves } from '../../../src/store/sqlite/halves.ts';
import { readPairs } from '../../../src/store/sqlite/pairs.ts';
import { pairs } from '../../../src/store/sqlite/schema.ts';

const insertPair = (orm: Orm) => orm.insert(pairs).values({ link: placeholder('link'), status: placeholder('status') });

test('a statement is given each value by its name, whatever their order', () => {
  const db = openDatabase(':memory:');
  db.write(insertPair, { status: 'linked', link: 'home' });
  db.write(insertPair, { link: 'work', status: 'kept' });
  expect(db.orm.select().from(pairs).all()).toEqual([
    { id: 1, link: 'home', status: 'linked' },
    { id: 2, link: 'work', status: 'kept' },
  ]);
  db.client.close();
});

test('a statement that lacks a value is refused, where SQLite would take null', () => {
  const db = openDatabase(':memory:');
  expect(() => db.write(insertPair, { link: 'home' })).toThrow('No value was given for status.');
  db.client.close();
});

test('what is asked for by ids, pairs or digests is found by them, however many contacts the link has', () => {
  const db = openDatabase(':memory:');
  const asked: string[] = [];
  const prepare = db.client.prepare.bind(db.client);
  db.client.prepare = (text: string) => {
    asked.push(text);
    return prepare(text);
  };
  readPairs(db, 'home', [1]);
  readHalves(db, 'home', { by: 'id', side: 'left', ids: ['l'] });
  readHalves(db, 'home', { by: 'pair', pairs: [1] });
  readHalves(db, 'home', { by: 'state', states: ['missing'] });
  findKnown(db, { link: 'home', side: 'left' }, [{ id: 'l', digest: 'd' }]);
  const plans = asked.map((text) => db.client.prepare<unknown[], { detail: string }>(`explain query plan ${text}`));
  const searches = plans.flatMap((plan) => {
    const names = [...plan.source.matchAll(/\?/gu)].map(() => '[]');
    return plan
      .all(...names)
      .flatMap(({ detail }) => (/^(?:SEARCH|SCAN) (?:halves|pairs)/u.test(detail) ? [detail] : []));
  });
  expect(searches.map((detail) => /\((?<by>[^)]*)\)$/u.exec(detail)?.groups?.['by'])).toEqual([
    'rowid=?',
    'link=? AND side=? AND id=?',
    'link=? AND side=? AND pair=?',
    'link=? AND side=? AND state=?',
    'link=? AND side=? AND digest=?',
  ]);
  db.client.close();
});
