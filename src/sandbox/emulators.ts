import type { GoogleQuotas } from './google/quotas.ts';
import { type GoogleEmulator, startGoogleEmulator } from './google/server.ts';
import type { GoogleVariants } from './google/variants.ts';
import type { Person } from './people/person.ts';
import { peopleAtGoogle, peopleAtService, seedGoogle, seedService } from './people/seed.ts';
import type { RateLimit } from './service/rate-window.ts';
import { type ServiceEmulator, startServiceEmulator } from './service/server.ts';
import type { ServiceVariants } from './service/variants.ts';

/** The settings of every emulator of a sandbox. */
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

type EmulatorOptions = {
  readonly behaviour: Behaviour;
  readonly people: readonly Person[];
  /** 0, the default, selects a free port. */
  readonly port?: number;
  /** The email address of the account. */
  readonly accountEmail?: string;
};

/** A running emulator with its data, by the configuration name of its provider. */
export type Emulator =
  | { readonly provider: 'google'; readonly server: GoogleEmulator }
  | { readonly provider: 'service'; readonly server: ServiceEmulator };

export type EmulatedProvider = Emulator['provider'];

/** Starts Google's emulator on 127.0.0.1 with one account. Rejects if the port is in use. */
export const startGoogle = async ({
  behaviour,
  people,
  port = 0,
  ...rest
}: EmulatorOptions): Promise<GoogleEmulator> => {
  const { clock, googlePropagationDelayMs, googleQuotas, variants } = behaviour;
  const server = await startGoogleEmulator({
    port,
    variants: variants?.google ?? {},
    ...rest,
    ...(clock && { clock }),
    ...(googleQuotas && { quotas: googleQuotas }),
    ...(googlePropagationDelayMs !== undefined && { propagationDelayMs: googlePropagationDelayMs }),
  });
  seedGoogle(server.account, people);
  return server;
};

/** Starts the service's emulator on 127.0.0.1 with one account. Rejects if the port is in use. */
export const startService = async ({
  behaviour,
  people,
  port = 0,
  ...rest
}: EmulatorOptions): Promise<ServiceEmulator> => {
  const { clock, serviceRateLimit, variants } = behaviour;
  const server = await startServiceEmulator({
    port,
    variants: variants?.service ?? {},
    ...rest,
    ...(clock && { clock }),
    ...(serviceRateLimit && { rateLimit: serviceRateLimit }),
  });
  seedService(server.account, people);
  return server;
};

/** Starts an emulator of that provider. Rejects if the port is in use. */
export const startEmulator = async (provider: EmulatedProvider, options: EmulatorOptions): Promise<Emulator> =>
  provider === 'google'
    ? { provider, server: await startGoogle(options) }
    : { provider, server: await startService(options) };

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

/** Returns the number of contacts in the account. */
export const contactCount = ({ provider, server }: Emulator): number =>
  provider === 'google' ? server.account.people().length : server.account.contacts().length;

/** Returns the people in the account. */
export const peopleAt = ({ provider, server }: Emulator): readonly Person[] =>
  provider === 'google' ? peopleAtGoogle(server.account) : peopleAtService(server.account);
