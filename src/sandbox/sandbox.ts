import type { GoogleQuotas } from './google/quotas.ts';
import { type GoogleEmulator, startGoogleEmulator } from './google/server.ts';
import type { GoogleVariants } from './google/variants.ts';
import { generatePeople } from './people/generate.ts';
import { splitBook } from './people/overlap.ts';
import type { Person } from './people/person.ts';
import { seedGoogle, seedService } from './people/seed.ts';
import type { RateLimit } from './service/rate-window.ts';
import { type ServiceEmulator, startServiceEmulator } from './service/server.ts';
import type { ServiceVariants } from './service/variants.ts';

export type SandboxOptions = {
  /** 0, the default, takes any free port. */
  readonly googlePort?: number;
  readonly servicePort?: number;
  /** The people on a side. With neither side given both are filled with sample data; with one given the other is empty. */
  readonly google?: readonly Person[];
  readonly service?: readonly Person[];
  /** What the sample data grows from; 1 unless told. */
  readonly seed?: number;
  /** How many people the sample data has on both sides together; 60 unless told. */
  readonly count?: number;
  /** 500 requests in 60 000 ms unless told. */
  readonly serviceRateLimit?: RateLimit;
  /** 90 reads and 90 writes a minute unless told. */
  readonly googleQuotas?: GoogleQuotas;
  /** The machine's clock unless told. */
  readonly clock?: { now(): number };
  readonly variants?: { readonly google?: Partial<GoogleVariants>; readonly service?: Partial<ServiceVariants> };
};

/** Running emulators of both remotes, and the credentials of one user at each. */
export type Sandbox = {
  readonly google: GoogleEmulator;
  readonly service: ServiceEmulator;
  /** The configuration variables that point contact-sync at the sandbox. */
  environment(): Record<string, string>;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

const DEFAULT_SEED = 1;
const DEFAULT_COUNT = 60;

const chooseBooks = (options: SandboxOptions): { google: readonly Person[]; service: readonly Person[] } => {
  const { google, service, seed = DEFAULT_SEED, count = DEFAULT_COUNT } = options;
  if (google !== undefined || service !== undefined) return { google: google ?? [], service: service ?? [] };
  return splitBook(generatePeople({ count, seed }), seed);
};

const environmentOf = (google: GoogleEmulator, service: ServiceEmulator): Record<string, string> => ({
  SERVICE_BASE_URL: service.url,
  SERVICE_AUTH_URL: service.authUrl,
  SERVICE_CLIENT_ID: service.clientId,
  SERVICE_CLIENT_SECRET: service.clientSecret,
  SERVICE_ACCESS_TOKEN: service.issueToken(),
  GOOGLE_CLIENT_ID: google.clientId,
  GOOGLE_CLIENT_SECRET: google.clientSecret,
  GOOGLE_REFRESH_TOKEN: google.issueRefreshToken(),
  GOOGLE_ROOT_URL: google.url,
  GOOGLE_AUTH_URL: google.authUrl,
  GOOGLE_TOKEN_URL: google.tokenUrl,
});

/** Starts both emulators on 127.0.0.1 and fills them. Rejects, leaving neither running, when a port is taken. */
export const startSandbox = async (options: SandboxOptions = {}): Promise<Sandbox> => {
  const { clock = { now: () => Date.now() }, serviceRateLimit, googleQuotas, variants = {} } = options;
  await using starting = new AsyncDisposableStack();
  const google = starting.use(
    await startGoogleEmulator({
      port: options.googlePort ?? 0,
      clock,
      variants: variants.google ?? {},
      ...(googleQuotas && { quotas: googleQuotas }),
    }),
  );
  const service = starting.use(
    await startServiceEmulator({
      port: options.servicePort ?? 0,
      clock,
      variants: variants.service ?? {},
      ...(serviceRateLimit && { rateLimit: serviceRateLimit }),
    }),
  );
  const books = chooseBooks(options);
  seedGoogle(google.account, books.google);
  seedService(service.account, books.service);
  const environment = environmentOf(google, service);
  const running = starting.move();
  const close = (): Promise<void> => running.disposeAsync();
  return { google, service, environment: () => ({ ...environment }), close, [Symbol.asyncDispose]: close };
};
