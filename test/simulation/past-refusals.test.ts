import { expect, test } from 'vitest';
import type { Side } from '../../src/core/contact/side.ts';
import type { Row } from '../support/memory/book.ts';
import type { ProcessPlan } from '../support/memory/process.ts';
import { openChangingLink, type Terms } from './changing-link.ts';
import { applyEdit } from './hard-edits.ts';
import { createRich, editOther, remove } from './scenario.ts';
import type { World } from './world.ts';

const refusing = (op: 'create' | 'delete') => ({
  plan: { aimedAt: ((asked) => (asked === op ? 'invalid' : undefined)) satisfies ProcessPlan['aimedAt'] },
});

/** A user enters again, on a side, what the left side had. */
const enter = ({ books }: World, side: Side, state: Row['state']): void => {
  for (const { contact, entity } of books.left.rows.filter((row) => row.state === state)) {
    books[side].add({ contact, extra: null, originId: null, entity });
  }
};

test('R15: a refused create is no longer listed when the user entered the contact at the other side', async () => {
  const { world, sync, skipped } = openChangingLink();
  applyEdit(world, createRich('left'));
  await sync({}, refusing('create'));
  expect(await skipped()).toHaveLength(1);
  enter(world, 'right', 'live');
  expect(await sync()).toMatchObject({ paired: 1, skipped: 0 });
  expect(await skipped()).toEqual([]);
});

test.each<[string, (world: World) => void, Terms]>([
  ['the other half is edited', (world) => applyEdit(world, editOther('title')), {}],
  ['the deleted contact is added again', (world) => enter(world, 'left', 'deleted'), {}],
  ['deletions are kept', () => {}, { deletes: 'keep' }],
])('R15: a refused deletion is no longer listed when %s', async (_, act, terms) => {
  const { world, sync, skipped } = openChangingLink();
  for (let count = 0; count < 3; count += 1) applyEdit(world, createRich('left'));
  await sync();
  applyEdit(world, remove('left'));
  await sync({}, refusing('delete'));
  expect(await skipped()).toHaveLength(1);
  act(world);
  expect(await sync(terms)).toMatchObject({ right: { deleted: 0 } });
  expect(await skipped()).toEqual([]);
});
