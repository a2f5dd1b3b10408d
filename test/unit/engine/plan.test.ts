import { expect, test } from 'vitest';
import { withoutActions } from '../../../src/engine/plan.ts';
import { newState } from '../../support/store/rows.ts';

const half = (id: string, name: string) => ({ id, name });

test('R18: a created group has its name under its new id, and a renamed group under the id that the rename gave it', () => {
  const link = { left: 'l-team', isUnited: true };
  const groups = {
    links: [
      { ...link, key: 'choir', left: 'l-choir', right: null },
      { ...link, key: 'team', right: 'r-club' },
      { ...link, key: 'late', right: null },
    ],
    names: {
      left: new Map([['l-choir', 'Choir']]),
      right: new Map([
        ['choir', 'Choir'],
        ['r-club', 'Team'],
        ['late', 'Late'],
        ['r-alone', 'Alone'],
      ]),
    },
    actions: [],
    pairs: [],
    ended: [],
    duplicates: [],
  };
  const groupPairs = [
    { key: 'choir', left: half('l-choir', 'Choir'), right: half('r-choir', 'Choir') },
    { key: 'team', left: half('l-team', 'Team'), right: half('r-team', 'Team') },
  ].map((pair) => ({ ...pair, status: 'linked' as const, isUnited: false }));
  const state = () => ({ ...newState('home'), groupPairs });
  const { links, names } = withoutActions({ state }, groups);
  expect(links.map(({ right }) => right)).toEqual(['r-choir', 'r-team', null]);
  expect(names.right.get('r-choir')).toBe('Choir');
  expect(names.right.get('r-team')).toBe('Team');
  expect(names.right.get('r-alone')).toBe('Alone');
  expect([...names.right.values()].filter((name) => name === 'Late')).toHaveLength(1);
});
