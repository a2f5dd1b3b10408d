import type { GoogleQuotas } from './google/quotas.ts';
import { type GoogleEmulator, startGoogleEmulator } from './google/server.ts';
import type { GoogleVariants } from './google/variants.ts';
import type { Person } from './people/person.ts';
import { peopleAtGoogle, peopleAtService, seedGoogle, seedService } from './people/seed.ts';
import type { RateLimit } from './service/rate-window.ts';
import { type ServiceEmulator, startServiceEmulator } from './service/server.ts';
import type { ServiceVariants } from './service/variants.ts';

/** How every emulator of a sandbox behaves. */
export type Behaviour = {
  /** 500 requests in 60 000 ms unless given. */
  readonly serviceRateLimit?: RateLimit;
  /** 90 reads and 90 writes a minute unless given. */
  readonly googleQuotas?: GoogleQuotas;
  /** How long a write to Google stays invisible to requests with a sync token; 0 unless given. */
  readonly googlePropagationDelayMs?: number;
  /** The machine's clock unless given. */
  readonly clock?: { now(): number };
  readonly variants?: { readonly google?: Partial<GoogleVariants>; readonly service?: Partial<ServiceVariants> };
};

export type EmulatorOptions = {
  readonly behaviour: Behaviour;
  readonly people: readonly Person[];
  /** 0, the default, takes any free port. */
  readonly port?: number;
  /** Whose account it is. */
  readonly accountEmail?: string;
};

/** A running emulator, filled, as the configuration names its provider. */
export type Emulator =
  | { readonly provider: 'google'; readonly server: GoogleEmulator }
  | { readonly provider: 'service'; readonly server: ServiceEmulator };

export type EmulatedProvider = Emulator['provider'];

/** Starts Google's emulator on 127.0.0.1 with one account. Rejects when the port is taken. */
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

/** Starts the service's emulator on 127.0.0.1 with one account. Rejects when the port is taken. */
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

/** Starts an emulator of that provider. Rejects when the port is taken. */
export const startEmulator = async (provider: EmulatedProvider, options: EmulatorOptions): Promise<Emulator> =>
  provider === 'google'
    ? { provider, server: await startGoogle(options) }
    : { provider, server: await startService(options) };

/** The settings of a link's side that open the account, its token with them. */
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

/** How many contacts the account holds. */
export const contactCount = ({ provider, server }: Emulator): number =>
  provider === 'google' ? server.account.people().length : server.account.contacts().length;

/** The people in the account. */
export const peopleAt = ({ provider, server }: Emulator): readonly Person[] =>
  provider === 'google' ? peopleAtGoogle(server.account) : peopleAtService(server.account);
