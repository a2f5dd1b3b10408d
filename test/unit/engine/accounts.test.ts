import { expect, test } from 'vitest';
import { originScopes } from '../../../src/engine/accounts.ts';
import { openStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { patchLink } from '../../support/store/rows.ts';

const ENDPOINTS = { left: 'google https://people.example', right: 'service https://api.example' };

const scopesOf = async (
  accounts: { readonly left: string | null; readonly right: string | null },
  endpoints = ENDPOINTS,
) => {
  const store = openStore(':memory:');
  try {
    await patchLink(store, 'a', { accounts });
    const state = await store.link('a');
    return originScopes({ state: () => state, endpoints });
  } finally {
    await store.close();
  }
};

test('[R9] an origin contains the account and the address of its source, and neither of the other side', async () => {
  const known = await scopesOf({ left: 'people/1', right: 'user_1' });
  expect(await scopesOf({ left: 'people/1', right: 'user_1' })).toEqual(known);
  const otherAccount = await scopesOf({ left: 'people/1', right: 'user_2' });
  const otherPlace = await scopesOf(
    { left: 'people/1', right: 'user_1' },
    { ...ENDPOINTS, right: 'service https://staging.example' },
  );
  for (const other of [otherAccount, otherPlace]) {
    expect(other.left).toBe(known.left);
    expect(other.right).not.toBe(known.right);
  }
  expect(known.left).toMatch(/^\S{16}$/u);
  expect(JSON.stringify(known)).not.toMatch(/user_1|example/u);
});
