import { expect, test } from 'vitest';
import { openDatabase, type Orm } from '../../../src/store/sqlite/database.ts';
import { placeholder } from '../../../src/store/sqlite/drizzle.ts';
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
