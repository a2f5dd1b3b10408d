import { expect, test } from 'vitest';
import { PROVIDERS, providerNamed } from '../../../src/providers/registry.ts';

test('each provider is found by its name, and no two providers have the same name', () => {
  for (const provider of PROVIDERS) expect(providerNamed(provider.name)).toBe(provider);
  for (const word of ['name', 'title', 'place'] as const) {
    expect(new Set(PROVIDERS.map((provider) => provider[word].toLowerCase())).size).toBe(PROVIDERS.length);
  }
  expect(() => providerNamed('nobody')).toThrow('There is no provider named nobody.');
});

test.each(PROVIDERS.map((provider) => [provider.name, provider] as const))(
  'each key that %s lists is one of its settings, and its token is a secret of one account',
  (_name, { schema, tokenKey, secretKeys, accountKeys, addressKeys, addresses, clientKeys, meter }) => {
    const settings = Object.keys(schema.shape);
    expect(settings).not.toContain(tokenKey);
    expect(secretKeys).toContain(tokenKey);
    expect(accountKeys).toContain(tokenKey);
    const addressed = [...addressKeys, ...addresses.all, addresses.receivingSecret];
    expect(addresses.all).toEqual(expect.arrayContaining(settings.filter((key) => /url$/iu.test(key))));
    const named = [...secretKeys, ...accountKeys, ...addressed, ...clientKeys, ...(meter === null ? [] : [meter.key])];
    expect(named.filter((key) => key !== tokenKey && !settings.includes(key))).toEqual([]);
  },
);
