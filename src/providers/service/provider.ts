import { defineProvider } from '../provider.ts';
import { openServiceGate } from './gate.ts';
import { serviceSettings } from './settings.ts';

/** The relationship management service. What is heavy is loaded when it is used. */
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
  addresses: { all: ['baseUrl', 'authUrl'], receivingSecret: 'authUrl' },
  clientKeys: ['clientId', 'clientSecret'],
  readOnlyFields: [],
  namesDeletions: false,
  extras: ['lastContacted', 'relationshipStatus', 'reminderInterval', 'assignedUser'],
  openRemote: async (settings, token, network, fields) => {
    const { openService } = await import('./connection.ts');
    return openService(settings, token, network, fields);
  },
  inspect: async (settings, token, network, signal) => {
    const { inspectService } = await import('./connection.ts');
    return inspectService(settings, token, network, signal);
  },
  meter: {
    key: 'rateLimit',
    limit: (settings) => settings.rateLimit,
    budget: async (settings, token, network) => (await openServiceGate(settings, token, network)).budget(),
  },
  signIn: {
    checkClient: async (settings, context) => {
      const { checkServiceClient } = await import('./sign-in.ts');
      return checkServiceClient(settings, context);
    },
    withConsent: async (settings, ask, context) => {
      const { signInAtService } = await import('./sign-in.ts');
      return signInAtService(settings, ask, context);
    },
    withKey: async (settings, key, context) => {
      const { exchangeKeyAtService } = await import('./sign-in.ts');
      return exchangeKeyAtService(settings, key, context);
    },
    // The service's API, OAuth: no operation revokes a token.
    revoke: null,
    revokedAt: "the service's settings, at the applications that you have authorized",
    missingRights: async (settings, token, context) => {
      const { missingRights } = await import('./sign-in.ts');
      return missingRights(settings, token, context);
    },
  },
});
