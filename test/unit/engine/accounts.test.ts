import { expect, test } from 'vitest';
import { originScopes } from '../../../src/engine/accounts.ts';
import { newState } from '../../support/store/rows.ts';

const ENDPOINTS = { left: 'google https://people.example', right: 'service https://api.example' };

const scopesOf = (right: string, endpoints = ENDPOINTS) =>
  originScopes({ state: () => ({ ...newState('a'), accounts: { left: 'people/1', right } }), endpoints });

test('R9: an origin contains the account and the address of its source, and neither of the other side', () => {
  const known = scopesOf('user_1');
  expect(scopesOf('user_1')).toEqual(known);
  for (const other of [scopesOf('user_2'), scopesOf('user_1', { ...ENDPOINTS, right: 'service https://x.example' })]) {
    expect(other.left).toBe(known.left);
    expect(other.right).not.toBe(known.right);
  }
  expect(known.left).toMatch(/^\S{16}$/u);
  expect(JSON.stringify(known)).not.toMatch(/user_1|example/u);
});
