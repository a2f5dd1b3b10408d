import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openService, type Service } from './harness.ts';

const REDIRECT_URI = 'http://127.0.0.1:9/callback?from=service';
const granted = z.object({ access_token: z.string() });

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

const tokenRequest = (code: string | null) => ({
  grant_type: 'authorization_code',
  client_id: 'sandbox-client',
  client_secret: 'sandbox-secret',
  code,
  redirect_uri: REDIRECT_URI,
});

describe('authorization', () => {
  it('asks the user on a page with accept and reject', async () => {
    await using service = await openService();
    const { status, body } = await service.send('GET', authorizePath({ state: '"><script>' }), undefined, null);
    expect(status).toBe(200);
    expect(body).toContain('contacts:view');
    expect(body).toMatch(/<button[^>]*value="yes"/);
    expect(body).toMatch(/<button[^>]*value="no"/);
    expect(body).not.toContain('<script>');
  });

  it('returns a code that is valid for one token with the requested scopes', async () => {
    await using service = await openService({ accountEmail: 'ann@x.example' });
    const target = await redirected(service, { approve: 'auto' });
    expect(target.searchParams.get('state')).toBe('a b&c');
    expect(target.searchParams.get('from')).toBe('service');
    const request = tokenRequest(target.searchParams.get('code'));
    const answer = await service.send('POST', '/oauth2/token', request, null);
    expect(answer).toMatchObject({
      status: 200,
      body: { email: 'ann@x.example', first_name: 'Sandy', last_name: 'Box', token_type: 'bearer', user_id: 1 },
    });
    const token = granted.parse(answer.body).access_token;
    expect((await service.send('GET', '/v2/contacts', undefined, token)).status).toBe(200);
    expect((await service.send('POST', '/v2/contacts', undefined, token)).status).toBe(403);
    expect((await service.send('POST', '/oauth2/token', request, null)).status).toBe(400);
  });

  it('refuses a wrong secret and another redirect_uri', async () => {
    await using service = await openService();
    const code = (await redirected(service, { approve: 'auto' })).searchParams.get('code');
    const wrongSecret = { ...tokenRequest(code), client_secret: 'guess' };
    expect((await service.send('POST', '/oauth2/token', wrongSecret, null)).status).toBe(401);
    const elsewhere = { ...tokenRequest(code), redirect_uri: 'http://127.0.0.1:9/other' };
    expect((await service.send('POST', '/oauth2/token', elsewhere, null)).status).toBe(400);
  });

  it('accepts the token request as a query too', async () => {
    await using service = await openService();
    const code = (await redirected(service, { approve: 'auto' })).searchParams.get('code') ?? '';
    const query = new URLSearchParams({ ...tokenRequest(code), code });
    expect((await service.send('GET', `/oauth2/token?${query.toString()}`, undefined, null)).status).toBe(200);
  });

  it('returns a token in the fragment, or in the query if the variant specifies it', async () => {
    await using service = await openService();
    const inFragment = await redirected(service, { approve: 'auto', response_type: 'token' });
    const values = new URLSearchParams(inFragment.hash.slice(1));
    expect(values.get('state')).toBe('a b&c');
    expect((await service.send('GET', '/v2/contacts', undefined, values.get('access_token'))).status).toBe(200);
    service.emulator.setVariants({ tokenRedirect: 'query' });
    const inQuery = await redirected(service, { approve: 'auto', response_type: 'token' });
    expect(inQuery.searchParams.get('access_token')).toMatch(/^token_/);
  });

  it('redirects with an error if the user rejects, or if a scope is unknown', async () => {
    await using service = await openService();
    expect((await redirected(service, { approve: 'no' })).searchParams.get('error')).toBe('access_denied');
    const unknown = await redirected(service, { approve: 'yes', scope: 'contacts:eat' });
    expect(unknown.searchParams.get('error')).toBe('invalid_scope');
  });

  it('does not redirect for an unknown client', async () => {
    await using service = await openService();
    const path = authorizePath({ approve: 'auto', client_id: 'stranger' });
    expect((await service.send('GET', path, undefined, null)).status).toBe(400);
  });

  it('revokes earlier tokens on a new grant if the variant specifies it', async () => {
    await using service = await openService({ variants: { newGrant: 'revoked' } });
    await redirected(service, { approve: 'auto', response_type: 'token' });
    expect((await service.send('GET', '/v2/me')).status).toBe(403);
  });

  it('exchanges the key of a v1 application for a token', async () => {
    await using service = await openService();
    const request = { api_key: service.emulator.apiKey, client_id: service.emulator.clientId };
    const answer = await service.send('POST', '/oauth2/token/exchange', request, null);
    expect(answer.body).toMatchObject({ scopes: 'all:manage' });
    const token = granted.parse(answer.body).access_token;
    expect((await service.send('POST', '/v2/me/prompts/generate', undefined, token)).status).toBe(200);
    const wrong = { ...request, api_key: 'guess' };
    expect((await service.send('POST', '/oauth2/token/exchange', wrong, null)).status).toBe(401);
  });
});
