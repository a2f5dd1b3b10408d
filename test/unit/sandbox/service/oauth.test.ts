import { describe, expect } from 'vitest';
import { it, type Service } from './harness.ts';

const REDIRECT_URI = 'http://127.0.0.1:9/callback?from=service';

const authorizePath = (more: Readonly<Record<string, string>>): string =>
  `/oauth2/authorize?${new URLSearchParams({
    client_id: 'sandbox-client',
    scope: 'contacts:view+buckets:view',
    redirect_uri: REDIRECT_URI,
    response_type: 'code',
    state: 'a b&c',
    ...more,
  }).toString()}`;

/** Returns the URL to which the authorization redirects the browser. */
const redirected = async (service: Service, more: Readonly<Record<string, string>>): Promise<URL> => {
  const { status, headers } = await service.send('GET', authorizePath(more), undefined, null);
  expect(status).toBe(302);
  return new URL(headers.get('location') ?? '');
};

describe('authorization', () => {
  it('asks the user on a page with accept and reject', async ({ send }) => {
    const { status, body } = await send('GET', authorizePath({ state: '"><script>' }), undefined, null);
    expect(status).toBe(200);
    expect(body).toContain('contacts:view');
    expect(body).toMatch(/<button[^>]*value="yes"/);
    expect(body).toMatch(/<button[^>]*value="no"/);
    expect(body).not.toContain('<script>');
  });

  it('refuses a code for another redirect_uri, and keeps the query of the right one', async ({ service, send }) => {
    const { searchParams } = await redirected(service, { approve: 'auto' });
    expect(searchParams.get('from')).toBe('service');
    const { clientId: client_id, clientSecret: client_secret } = service.emulator;
    const redirect = { code: searchParams.get('code'), redirect_uri: 'http://127.0.0.1:9/other' };
    const request = { grant_type: 'authorization_code', client_id, client_secret, ...redirect };
    expect((await send('POST', '/oauth2/token', request, null)).status).toBe(400);
  });

  it('returns a token in the query if the variant specifies it', async ({ service, emulator }) => {
    emulator.setVariants({ tokenRedirect: 'query' });
    const { searchParams } = await redirected(service, { approve: 'auto', response_type: 'token' });
    expect(searchParams.get('access_token')).toMatch(/^token_/);
  });

  it('redirects with an error if the user rejects', async ({ service }) => {
    expect((await redirected(service, { approve: 'no' })).searchParams.get('error')).toBe('access_denied');
  });

  it('does not redirect for an unknown client', async ({ send }) => {
    const path = authorizePath({ approve: 'auto', client_id: 'stranger' });
    expect((await send('GET', path, undefined, null)).status).toBe(400);
  });

  it('revokes earlier tokens on a new grant if the variant specifies it', async ({ service, emulator, send }) => {
    emulator.setVariants({ newGrant: 'revoked' });
    await redirected(service, { approve: 'auto', response_type: 'token' });
    expect((await send('GET', '/v2/me')).status).toBe(403);
  });
});

it('scopes permit the contacts of a bucket as the variant specifies', async ({ account, emulator, send }) => {
  account.createBucket({ name: 'Clients' });
  const statusWith = async (...scopes: readonly string[]) =>
    (await send('GET', '/v2/buckets/bucket_1/contacts', undefined, emulator.issueToken(scopes))).status;
  expect(await statusWith('contacts:view')).toBe(200);
  emulator.setVariants({ bucketContactsScope: 'both' });
  expect(await statusWith('contacts:view')).toBe(403);
  expect(await statusWith('contacts:view', 'buckets:view')).toBe(200);
});

describe('tokens', () => {
  it('are required: 401 without one or with an unknown one', async ({ send }) => {
    expect((await send('GET', '/v2/me', undefined, null)).status).toBe(401);
    expect((await send('GET', '/v2/me', undefined, 'made-up')).status).toBe(401);
  });

  it('return 403 once revoked, or as the variant specifies', async ({ emulator, send }) => {
    const token = emulator.issueToken();
    expect((await send('GET', '/v2/me', undefined, token)).status).toBe(200);
    emulator.revokeToken(token);
    expect((await send('GET', '/v2/me', undefined, token)).status).toBe(403);
    emulator.setVariants({ revokedStatus: '401' });
    expect((await send('GET', '/v2/me', undefined, token)).status).toBe(401);
  });

  it('expire after an hour if the variant specifies it', async ({ emulator, time, send }) => {
    emulator.setVariants({ tokenLife: 'one-hour' });
    time.nowMs += 60 * 60 * 1000 - 1;
    expect((await send('GET', '/v2/me')).status).toBe(200);
    time.nowMs += 1;
    expect((await send('GET', '/v2/me')).status).toBe(401);
  });

  it('return 402 while the account is disabled', async ({ emulator, send }) => {
    emulator.setVariants({ accountState: 'disabled' });
    expect(await send('GET', '/v2/me')).toMatchObject({ status: 402, body: { errors: { cause: 'disabled' } } });
  });
});
