import { CodeChallengeMethod } from 'google-auth-library';
import { describe, expect } from 'vitest';
import type { GoogleEmulator } from '../../../../src/sandbox/google/server.ts';
import { clientOf, oauthClient, refusalOf, startSandbox, test } from './support.ts';

const redirectUri = 'http://127.0.0.1:8085/callback';
const contacts = 'https://www.googleapis.com/auth/contacts';

async function consent(emulator: GoogleEmulator, changes: Record<string, string> = {}) {
  const client = oauthClient(emulator, redirectUri);
  const { codeVerifier, codeChallenge } = await client.generateCodeVerifierAsync();
  const url = new URL(
    client.generateAuthUrl({
      access_type: 'offline',
      scope: [contacts],
      state: 'state-1',
      code_challenge_method: CodeChallengeMethod.S256,
      code_challenge: String(codeChallenge),
    }),
  );
  for (const [name, value] of Object.entries(changes)) url.searchParams.set(name, value);
  const response = await fetch(url, { redirect: 'manual' });
  const location = new URL(response.headers.get('location') ?? 'http://none.example/');
  return { client, codeVerifier, response, answer: location.searchParams, url };
}

describe('consent', () => {
  test('shows a page with buttons that redirect to the application', async () => {
    await using sandbox = await startSandbox({ accountEmail: 'ada@x.example' });
    const { response, url } = await consent(sandbox.emulator);
    expect(response.status).toBe(200);
    const page = await response.text();
    expect(page).toContain('ada@x.example');
    expect(page).toContain('<button name="approve" value="auto">');
    expect(page).toContain(`name="state" value="${url.searchParams.get('state')}"`);
  });

  test('returns a code for tokens, with the state', async ({ emulator }) => {
    const { client, codeVerifier, answer, response } = await consent(emulator, { approve: 'auto' });
    expect(response.status).toBe(302);
    expect(answer.get('state')).toBe('state-1');
    const { tokens } = await client.getToken({ code: String(answer.get('code')), codeVerifier });
    expect(tokens).toMatchObject({ scope: contacts, token_type: 'Bearer', refresh_token: expect.any(String) });
    client.setCredentials(tokens);
    const { data } = await clientOf(emulator, client).contactGroups.list();
    expect(data.totalItems).toBe(8);
    const again = client.getToken({ code: String(answer.get('code')), codeVerifier });
    await expect(again).rejects.toMatchObject({ message: 'invalid_grant' });
  });

  test('issues no tokens for another PKCE verifier or redirect URI, or an expired code of ten minutes', async () => {
    await using sandbox = await startSandbox();
    const first = await consent(sandbox.emulator, { approve: 'auto' });
    const code = String(first.answer.get('code'));
    await expect(first.client.getToken({ code, codeVerifier: 'wrong' })).rejects.toThrow('invalid_grant');
    const second = await consent(sandbox.emulator, { approve: 'auto' });
    const moved = { code: String(second.answer.get('code')), codeVerifier: second.codeVerifier };
    const redirected = second.client.getToken({ ...moved, redirect_uri: 'http://127.0.0.1:1/' });
    await expect(redirected).rejects.toThrow('invalid_grant');
    const third = await consent(sandbox.emulator, { approve: 'auto' });
    sandbox.clock.nowMs += 600_000;
    const late = { code: String(third.answer.get('code')), codeVerifier: third.codeVerifier };
    await expect(third.client.getToken(late)).rejects.toThrow('invalid_grant');
  });

  test('issues a refresh token again only if the page was forced', async ({ emulator }) => {
    const refreshToken = async (changes: Record<string, string>) => {
      const { client, codeVerifier, answer } = await consent(emulator, { approve: 'auto', ...changes });
      const { tokens } = await client.getToken({ code: String(answer.get('code')), codeVerifier });
      return tokens.refresh_token;
    };
    expect(await refreshToken({ access_type: 'online' })).toBeUndefined();
    expect(await refreshToken({})).toBeUndefined();
    expect(await refreshToken({ prompt: 'consent' })).toEqual(expect.any(String));
  });

  test('can be denied, or given to fewer scopes', async () => {
    await using sandbox = await startSandbox();
    const denied = await consent(sandbox.emulator, { approve: 'deny' });
    expect(Object.fromEntries(denied.answer)).toEqual({ state: 'state-1', error: 'access_denied' });
    const granted = `${contacts}.readonly`;
    const { client, codeVerifier, answer } = await consent(sandbox.emulator, { approve: 'auto', granted });
    const { tokens } = await client.getToken({ code: String(answer.get('code')), codeVerifier });
    expect(tokens.scope).toBe(granted);
    client.setCredentials({ access_token: String(tokens.access_token) });
    const api = clientOf(sandbox.emulator, client);
    await api.people.connections.list({ resourceName: 'people/me', personFields: 'names' });
    const refusal = await refusalOf(api.people.createContact({ requestBody: {} }));
    expect(refusal).toMatchObject({ status: 403, error: { status: 'PERMISSION_DENIED' } });
  });

  test.each([
    ['client_id', 'someone'],
    ['redirect_uri', 'https://elsewhere.example/'],
    ['code_challenge_method', 'plain'],
    ['response_type', 'token'],
    ['scope', ''],
  ])('refuses a wrong %s on a separate page', async (name, value) => {
    await using sandbox = await startSandbox();
    const { response } = await consent(sandbox.emulator, { approve: 'auto', [name]: value });
    expect(response.status).toBe(400);
    expect(response.headers.get('location')).toBeNull();
  });
});

describe('tokens', () => {
  test('of access expire after an hour; the refresh token returns new ones', async ({ clock, emulator }) => {
    const refreshToken = emulator.issueRefreshToken();
    const form = { refresh_token: refreshToken, grant_type: 'refresh_token', ...credentials(emulator) };
    const post = () => fetch(emulator.tokenUrl, { method: 'POST', body: new URLSearchParams(form) });
    const token = (await (await post()).json()) as Record<string, unknown>;
    expect(token).toEqual({
      access_token: expect.any(String),
      expires_in: 3599,
      scope: contacts,
      token_type: 'Bearer',
    });
    const read = (bearer: unknown) =>
      fetch(`${emulator.url}v1/contactGroups`, { headers: { authorization: `Bearer ${String(bearer)}` } });
    expect((await read(token['access_token'])).status).toBe(200);
    clock.nowMs += 3_600_000;
    const dead = await read(token['access_token']);
    expect(dead.status).toBe(401);
    expect(await dead.json()).toMatchObject({ error: { code: 401, status: 'UNAUTHENTICATED' } });
    expect((await post()).status).toBe(200);
  });

  test('that are expired are replaced by the official client once', async ({ api, emulator }) => {
    await api.contactGroups.list();
    emulator.expireAccessTokens();
    expect((await api.contactGroups.list()).status).toBe(200);
    expect(emulator.requests.map(({ status }) => status)).toEqual([200, 200, 401, 200, 200]);
  });

  test('revoked by the user, by hand or by the application are invalid_grant', async ({ emulator }) => {
    const kill: ((token: string) => unknown)[] = [
      (token) => emulator.revokeRefreshToken(token),
      () => emulator.revokeAllTokens(),
      (token) => oauthClient(emulator).revokeToken(token),
    ];
    for (const revoke of kill) {
      const client = oauthClient(emulator);
      client.setCredentials({ refresh_token: emulator.issueRefreshToken() });
      await client.getAccessToken();
      await revoke(String(client.credentials.refresh_token));
      client.setCredentials({ refresh_token: String(client.credentials.refresh_token) });
      await expect(client.getAccessToken()).rejects.toMatchObject({
        status: 400,
        response: { data: { error: 'invalid_grant', error_description: 'Token has been expired or revoked.' } },
      });
    }
  });

  test('are not issued to an unknown client or grant', async ({ emulator }) => {
    const post = async (form: Record<string, string>) => {
      const response = await fetch(emulator.tokenUrl, { method: 'POST', body: new URLSearchParams(form) });
      return [response.status, await response.json()];
    };
    const unknown = await post({ ...credentials(emulator), client_secret: 'wrong' });
    expect(unknown).toEqual([401, expect.objectContaining({ error: 'invalid_client' })]);
    const grant = await post({ ...credentials(emulator), grant_type: 'password' });
    expect(grant).toEqual([400, expect.objectContaining({ error: 'unsupported_grant_type' })]);
    const revoked = await fetch(emulator.revokeUrl, { method: 'POST', body: new URLSearchParams({ token: 'x' }) });
    expect(revoked.status).toBe(400);
  });
});

function credentials({ clientId, clientSecret }: GoogleEmulator) {
  return { client_id: clientId, client_secret: clientSecret };
}
