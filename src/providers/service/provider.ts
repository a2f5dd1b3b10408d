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

/** The limit applies to each access token. */
const gateName = ({ baseUrl }: ServiceSettings, accessToken: string): string =>
  `service ${digest(`${baseUrl} token ${accessToken}`)}`;

/** Opens the gate for every request of the side. */
export const openServiceGate = (settings: ServiceSettings, accessToken: string, network: Network): Promise<Gate> =>
  network.openGate(gateName(settings, accessToken), settings.rateLimit);

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
  openRemote: async (settings, token, network, fields) => {
    const { openRemote } = await import('./connection.ts');
    return openRemote(settings, token, network, fields);
  },
  inspect: async (settings, token, network, signal) => {
    const { inspect } = await import('./connection.ts');
    return inspect(settings, token, network, signal);
  },
  meter: {
    key: 'rateLimit',
    limit: (settings) => settings.rateLimit,
    budget: async (settings, token, network) => (await openServiceGate(settings, token, network)).budget(),
  },
  signIn: {
    checkClient: async (settings, context) => {
      const { checkClient } = await import('./sign-in.ts');
      return checkClient(settings, context);
    },
    withConsent: async (settings, ask, context) => {
      const { withConsent } = await import('./sign-in.ts');
      return withConsent(settings, ask, context);
    },
    withKey: async (settings, key, context) => {
      const { withKey } = await import('./sign-in.ts');
      return withKey(settings, key, context);
    },
    // No operation of the service's API or OAuth endpoints revokes a token.
    revoke: null,
    revokedAt: "the service's settings, at the applications that you have authorized",
    missingRights: async (settings, token, context) => {
      const { missingRights } = await import('./sign-in.ts');
      return missingRights(settings, token, context);
    },
  },
});
