import { people, type people_v1 } from '@googleapis/people';
import { OAuth2Client } from 'google-auth-library';
import { startGoogleEmulator, type GoogleEmulator } from '../../../../src/sandbox/google/server.ts';

export const dayMs = 24 * 3_600_000;

/** An emulator with a large quota on a clock that a test moves, and the official client configured for it. */
export interface Sandbox extends AsyncDisposable {
  readonly emulator: GoogleEmulator;
  readonly clock: { nowMs: number };
  readonly api: people_v1.People;
  readonly auth: OAuth2Client;
}

export async function startSandbox(options: Parameters<typeof startGoogleEmulator>[0] = {}): Promise<Sandbox> {
  const clock = { nowMs: Date.UTC(2026, 0, 1), now: () => clock.nowMs };
  const quotas = { readsPerMinute: 10_000, writesPerMinute: 10_000 };
  const emulator = await startGoogleEmulator({ clock, quotas, ...options });
  const { clientId, clientSecret, tokenUrl } = emulator;
  const endpoints = { oauth2TokenUrl: tokenUrl };
  const auth = new OAuth2Client({ clientId, clientSecret, endpoints, forceRefreshOnFailure: true });
  auth.setCredentials({ refresh_token: emulator.issueRefreshToken() });
  const api = people({ version: 'v1', auth, rootUrl: emulator.url, retry: false });
  return { emulator, clock, auth, api, [Symbol.asyncDispose]: () => emulator.close() };
}

/** The error that the official client returns for a refusal. */
export interface Refusal {
  readonly status: unknown;
  readonly message: string;
  readonly error:
    | { readonly code: number; readonly status: string; readonly details?: readonly Record<string, unknown>[] }
    | undefined;
}

/** Awaits a call that must be refused. */
export async function refusalOf(call: Promise<unknown>): Promise<Refusal> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const { status, response } = error as Error & {
      status?: unknown;
      response?: { data?: { error?: Refusal['error'] } };
    };
    return { status, message: error.message, error: response?.data?.error };
  }
  throw new Error('The call was not refused.');
}

type ListParameters = people_v1.Params$Resource$People$Connections$List;

export function listPage(api: people_v1.People, parameters: ListParameters = {}) {
  const defaults = { resourceName: 'people/me', personFields: 'names,metadata', requestSyncToken: true };
  return api.people.connections.list({ ...defaults, ...parameters });
}

/** Reads a listing of one page. */
export async function listAll(api: people_v1.People, parameters: ListParameters = {}) {
  const { data } = await listPage(api, parameters);
  return { people: data.connections ?? [], syncToken: data.nextSyncToken ?? '' };
}

export function namesOf(listed: readonly people_v1.Schema$Person[]): (string | null | undefined)[] {
  return listed.map((person) => person.names?.[0]?.givenName);
}
