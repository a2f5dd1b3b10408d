import type { GoogleQuotas } from './google/quotas.ts';
import { type GoogleEmulator, startGoogleEmulator } from './google/server.ts';
import type { GoogleVariants } from './google/variants.ts';
import type { Person } from './people/person.ts';
import type { RateLimit } from './rate-window.ts';
import { peopleAtGoogle, peopleAtService, seedGoogle, seedService } from './people/seed.ts';
import { type ServiceEmulator, startServiceEmulator } from './service/server.ts';
import type { ServiceVariants } from './service/variants.ts';

export type Behaviour = {
  /** 500 requests in 60 000 ms by default. */
  readonly serviceRateLimit?: RateLimit;
  /** 90 reads and 90 writes a minute by default. */
  readonly googleQuotas?: GoogleQuotas;
  /** The time in which a write to Google is invisible to requests with a sync token; 0 by default. */
  readonly googlePropagationDelayMs?: number;
  /** The system clock by default. */
  readonly clock?: { now(): number };
  readonly variants?: { readonly google?: Partial<GoogleVariants>; readonly service?: Partial<ServiceVariants> };
};

/** A running emulator with its data, by the configuration name of its provider. */
export type Emulator =
  | { readonly provider: 'google'; readonly server: GoogleEmulator }
  | { readonly provider: 'service'; readonly server: ServiceEmulator };

/** Starts Google's emulator on 127.0.0.1 with one account. */
export const startGoogle = async (behaviour: Behaviour, people: readonly Person[]): Promise<GoogleEmulator> => {
  const { clock, googlePropagationDelayMs: propagationDelayMs, googleQuotas: quotas, variants } = behaviour;
  const server = await startGoogleEmulator({ clock, propagationDelayMs, quotas, variants: variants?.google });
  seedGoogle(server.account, people);
  return server;
};

/** Starts the service's emulator on 127.0.0.1 with one account. */
export const startService = async (behaviour: Behaviour, people: readonly Person[]): Promise<ServiceEmulator> => {
  const { clock, serviceRateLimit: rateLimit, variants } = behaviour;
  const server = await startServiceEmulator({ clock, rateLimit, variants: variants?.service });
  seedService(server.account, people);
  return server;
};

/** Returns the settings of a link's side that open the account, including its token. */
export const settingsOf = ({ provider, server }: Emulator): Readonly<Record<string, string>> =>
  provider === 'google'
    ? {
        clientId: server.clientId,
        clientSecret: server.clientSecret,
        refreshToken: server.issueRefreshToken(),
        rootUrl: server.url,
        authUrl: server.authUrl,
        tokenUrl: server.tokenUrl,
      }
    : {
        baseUrl: server.url,
        authUrl: server.authUrl,
        clientId: server.clientId,
        clientSecret: server.clientSecret,
        accessToken: server.issueToken(),
      };

/** Returns the same settings as environment variables: `clientId` of `google` is GOOGLE_CLIENT_ID. */
export const variablesOf = (emulator: Emulator): Record<string, string> => {
  const entries = Object.entries(settingsOf(emulator)).map(([key, value]) => {
    return [`${emulator.provider}_${key.replaceAll(/[A-Z]/gu, '_$&')}`.toUpperCase(), value];
  });
  return Object.fromEntries(entries) as Record<string, string>;
};

export const peopleAt = ({ provider, server }: Emulator): readonly Person[] =>
  provider === 'google' ? peopleAtGoogle(server.account) : peopleAtService(server.account);
