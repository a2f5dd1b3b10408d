import { expect, test } from 'vitest';
import { credentialDigest } from '../../../src/app/links.ts';
import { Secret } from '../../../src/util/secret.ts';
import type { SideConfig } from '../../../src/app/config/sides.ts';

const side = (clientSecret: string, baseUrl = 'https://one.test'): SideConfig =>
  ({ settings: { baseUrl, clientSecret: new Secret(clientSecret) }, token: null }) as unknown as SideConfig;

test('another token, client or address is another credential, so a paused link is retried with it [R16]', () => {
  const digest = credentialDigest(side('right'), 'token');
  expect(credentialDigest(side('right'), 'token')).toBe(digest);
  const others = [
    credentialDigest(side('right'), 'other'),
    credentialDigest(side('wrong'), 'token'),
    credentialDigest(side('right', 'https://two.test'), 'token'),
  ];
  expect(new Set([digest, ...others]).size).toBe(4);
  expect(digest).not.toMatch(/right|token/u);
});
