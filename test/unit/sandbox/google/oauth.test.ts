import { CodeChallengeMethod } from 'google-auth-library';
import { describe, expect } from 'vitest';
import type { GoogleEmulator } from '../../../../src/sandbox/google/server.ts';
import { oauthClient, startSandbox, test } from './support.ts';

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
  const { searchParams } = new URL(response.headers.get('location') ?? 'http://none.example/');
  return { client, response, code: String(searchParams.get('code')), codeVerifier };
}

function postToken({ tokenUrl, clientId, clientSecret }: GoogleEmulator, form: Record<string, string>) {
  const body = new URLSearchParams({ client_id: clientId, client_secret: clientSecret, ...form });
  return fetch(tokenUrl, { method: 'POST', body });
}

describe('consent', () => {
  test.each([
    ['another redirect URI', { redirect_uri: 'http://127.0.0.1:1/' }, 0],
    ['a code that is ten minutes old', {}, 600_000],
  ])('issues no tokens for %s', async (_title, change, waitMs) => {
    await using sandbox = await startSandbox();
    const { client, code, codeVerifier } = await consent(sandbox.emulator, { approve: 'auto' });
    sandbox.clock.nowMs += waitMs;
    await expect(client.getToken({ code, codeVerifier, ...change })).rejects.toThrow('invalid_grant');
  });

  test('issues a second refresh token only if the page was forced', async ({ emulator }) => {
    const refreshToken = async (changes: Record<string, string>) => {
      const { client, codeVerifier, code } = await consent(emulator, { approve: 'auto', ...changes });
      return (await client.getToken({ code, codeVerifier })).tokens.refresh_token;
    };
    expect(await refreshToken({ access_type: 'online' })).toBeUndefined();
    expect(await refreshToken({})).toBeUndefined();
    expect(await refreshToken({ prompt: 'consent' })).toEqual(expect.any(String));
  });

  test.each([
    ['client_id', 'someone'],
    ['redirect_uri', 'https://elsewhere.example/'],
    ['code_challenge_method', 'plain'],
    ['response_type', 'token'],
    ['scope', ''],
  ])('with a wrong %s is refused on a separate page', async (name, value) => {
    await using sandbox = await startSandbox();
    const { response } = await consent(sandbox.emulator, { approve: 'auto', [name]: value });
    expect([response.status, response.headers.get('location')]).toEqual([400, null]);
  });
});

describe('tokens', () => {
  test('of access expire after an hour, in the header and in the query', async ({ clock, emulator }) => {
    const form = { grant_type: 'refresh_token', refresh_token: emulator.issueRefreshToken() };
    const token = (await (await postToken(emulator, form)).json()) as { access_token: string };
    const issued = { access_token: expect.any(String), expires_in: 3599, scope: contacts, token_type: 'Bearer' };
    expect(token).toEqual(issued);
    const url = `${emulator.url}v1/contactGroups`;
    const headers = { authorization: `Bearer ${token.access_token}` };
    const statuses = async () => {
      const inQuery = await fetch(`${url}?access_token=${token.access_token}`);
      return [(await fetch(url, { headers })).status, inQuery.status];
    };
    expect(await statuses()).toEqual([200, 200]);
    clock.nowMs += 3_600_000;
    expect(await statuses()).toEqual([401, 401]);
    expect((await postToken(emulator, form)).status).toBe(200);
  });

  test.each<[string, (emulator: GoogleEmulator, token: string) => unknown]>([
    ['by the user', (emulator, token) => emulator.revokeRefreshToken(token)],
    ['with all others', (emulator) => emulator.revokeAllTokens()],
    ['by the application', (emulator, token) => oauthClient(emulator).revokeToken(token)],
  ])('that are revoked %s are an invalid_grant', async (_title, revoke) => {
    await using sandbox = await startSandbox();
    const token = sandbox.emulator.issueRefreshToken();
    await revoke(sandbox.emulator, token);
    const response = await postToken(sandbox.emulator, { grant_type: 'refresh_token', refresh_token: token });
    const error = { error: 'invalid_grant', error_description: 'Token has been expired or revoked.' };
    expect([response.status, await response.json()]).toEqual([400, error]);
  });
});
