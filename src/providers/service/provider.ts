import { z } from 'zod';
import type { Gate } from '../../net/gate.ts';
import { defineProvider, type Network } from '../provider.ts';
import { digest } from '../../util/secret.ts';
import { issued, issuedSecret, rateLimit, urlWithoutSlash } from '../../util/values.ts';

const serviceSettings = z.object({
  /** Without a trailing slash. */
  baseUrl: urlWithoutSlash.meta({
    description: 'Address of the API, without /v2.',
    example: 'https://api.service.example',
  }),
  authUrl: urlWithoutSlash.nullable().default(null).meta({
    description: 'Address of the sign-in pages. It is needed to sign in.',
    example: 'https://auth.service.example',
  }),
  clientId: issued.nullable().default(null).meta({
    description: 'Id of the registered application. It is needed to sign in.',
    example: 'your-application-id',
  }),
  clientSecret: issuedSecret.nullable().default(null).meta({
    description: 'Secret of the registered application. It is needed to sign in.',
    example: 'your-application-secret',
  }),
  rateLimit: rateLimit.prefault('500/minute').describe('How many requests may be sent: <n>/second, /minute or /hour.'),
});

export type ServiceSettings = z.output<typeof serviceSettings>;

/** Opens the gate for every request of the side. The limit applies to each access token. */
export const openServiceGate = (
  { baseUrl, rateLimit: limit }: ServiceSettings,
  accessToken: string,
  network: Network,
): Promise<Gate> => network.openGate(`service ${digest(`${baseUrl} token ${accessToken}`)}`, limit);

/** The relationship management service. Large modules are loaded on first use. */
export const service = defineProvider({
  name: 'service',
  title: 'Service',
  place: 'the service',
  schema: serviceSettings,
  marks: ['tag:'],
  secretKeys: ['clientSecret', 'accessToken'],
  accountKeys: ['accessToken'],
  tokenKey: 'accessToken',
  addressKeys: ['baseUrl'],
  readOnlyFields: [],
  namesDeletions: false,
  extras: ['lastContacted', 'relationshipStatus', 'reminderInterval', 'assignedUser'],
  openRemote: async (...args) => (await import('./connection.ts')).openRemote(...args),
  inspect: async (...args) => (await import('./connection.ts')).inspect(...args),
  signIn: async (...args) => (await import('./sign-in.ts')).signIn(...args),
});
