import { expect, test } from 'vitest';
import { createRowDigest, findKnownRows } from '../../../src/providers/listing.ts';

const digest = createRowDigest('reader 1');

test('two digests are equal only for the same text and the same reader', () => {
  expect(digest({ a: 1, b: [2] })).toBe(digest(JSON.parse('{"a":1,"b":[2]}')));
  const others = [digest({ a: 1, b: [3] }), digest({ b: [2], a: 1 }), createRowDigest('reader 2')({ a: 1, b: [2] })];
  expect(others).not.toContain(digest({ a: 1, b: [2] }));
});

test('a row that is nested too deeply to be serialised has no digest', () => {
  const deep: unknown = JSON.parse('['.repeat(200_000) + ']'.repeat(200_000));
  expect(digest(deep)).toBeNull();
});

test('only rows with an id and a digest are looked up, and no row is known without a lookup', async () => {
  const rows = [
    { id: 'a', digest: 'A' },
    { id: null, digest: 'B' },
    { id: 'c', digest: null },
  ];
  const checkedRows: unknown[] = [];
  const found = await findKnownRows(rows, (given) => {
    checkedRows.push(...given);
    return Promise.resolve(new Set(['A']));
  });
  expect(checkedRows).toEqual([{ id: 'a', digest: 'A' }]);
  expect([...found]).toEqual(['A']);
  expect((await findKnownRows(rows, undefined)).size).toBe(0);
});
