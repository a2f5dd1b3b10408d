import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase, type Db } from '../../../src/store/sqlite/database.ts';
import { createGroupCommit } from '../../../src/store/sqlite/group-commit.ts';

let db: Db;
let commits: number;

beforeEach(() => {
  const opened = openDatabase(':memory:');
  opened.client.exec('create table words (word text primary key)');
  commits = 0;
  db = {
    ...opened,
    atomic: (step) => {
      if (!opened.client.inTransaction) commits += 1;
      return opened.atomic(step);
    },
  };
});
afterEach(() => void db.client.close());

const add = (word: string): number => db.client.prepare('insert into words values (?)').run(word).changes;
const words = (): unknown => db.client.prepare('select word from words order by word').pluck().all();

describe('R9: steps that writers ask for at the same time', () => {
  it('share one transaction and each get their own outcome', async () => {
    const together = createGroupCommit(db);
    const counts = await Promise.all(['one', 'two', 'three'].map((word) => together(() => add(word))));
    expect(counts).toEqual([1, 1, 1]);
    expect(words()).toEqual(['one', 'three', 'two']);
    expect(commits).toBe(1);
  });

  it('one that fails is undone wholly and alone', async () => {
    const together = createGroupCommit(db);
    const steps = [() => add('one'), () => add('half') + add('one'), () => add('two')];
    const outcomes = await Promise.allSettled(steps.map(together));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(words()).toEqual(['one', 'two']);
  });

  it('all fail where their transaction cannot be made, and later ones go on', async () => {
    const together = createGroupCommit({
      ...db,
      atomic: () => {
        throw new Error('the disk is full');
      },
    });
    const outcomes = await Promise.allSettled([together(() => add('one')), together(() => add('two'))]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(words()).toEqual([]);
    await expect(together(() => add('three'))).rejects.toThrow('the disk is full');
  });

  it('is on disk when its promise settles', async () => {
    const together = createGroupCommit(db);
    await together(() => add('one'));
    expect(db.client.inTransaction).toBe(false);
    expect(words()).toEqual(['one']);
  });
});
