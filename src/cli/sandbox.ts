import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { googleVariantsSchema } from '../sandbox/google/variants.ts';
import { AddressBookError } from '../sandbox/people/address-book-error.ts';
import { loadAddressBook } from '../sandbox/people/load.ts';
import type { Person } from '../sandbox/people/person.ts';
import { startSandbox, type Sandbox, type SandboxOptions } from '../sandbox/sandbox.ts';
import { VARIANT_TABLE, type VariantRow } from '../sandbox/service/variants.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { listenForInterrupt } from './interrupt.ts';
import type { Terminal } from './terminal.ts';
import { UsageError } from './usage-error.ts';
import { count } from './words.ts';

type Options = {
  readonly google?: string;
  readonly service?: string;
  readonly googlePort?: number;
  readonly servicePort?: number;
  readonly people?: number;
  readonly seed?: number;
  readonly serviceRate?: string;
  readonly variants?: boolean;
  readonly json?: boolean;
};

const GOOGLE_VARIANT_TABLE: readonly VariantRow[] = Object.entries(googleVariantsSchema.shape).map(
  ([name, values]) => ({
    name,
    about: values.description ?? '',
    values: values.unwrap().options,
  }),
);

const formatVariants = (title: string, table: readonly VariantRow[]): string => {
  const rows = table.map(({ name, about, values }) => `  ${name}: ${about}\n    ${values.join(' | ')}`);
  return [`${title} (the first value is the default)`, ...rows].join('\n');
};

const printVariants = (terminal: Terminal, isJson: boolean): void => {
  const tables = { google: GOOGLE_VARIANT_TABLE, service: VARIANT_TABLE };
  if (isJson) terminal.print(JSON.stringify(tables));
  else {
    terminal.print(formatVariants('Google', tables.google));
    terminal.print(`\n${formatVariants('Service', tables.service)}`);
  }
};

/** The people of a file; what could not be taken over is told entry by entry. */
const loadPeople = async (terminal: Terminal, path: string): Promise<readonly Person[]> => {
  const { people, problems } = await loadAddressBook(path).catch((error: unknown) => {
    if (error instanceof AddressBookError) throw new UsageError(error.message, { cause: error });
    throw error;
  });
  for (const { entry, reason } of problems) terminal.warn(`${path}, entry ${entry}: ${reason}`);
  return people;
};

const WINDOW_MS: Readonly<Record<string, number>> = { second: 1000, minute: 60_000, hour: 3_600_000 };

const readRate = (text: string): { requests: number; windowMs: number } => {
  const [, requests, window] = /^(\d+)\/(\w+)$/u.exec(text) ?? [];
  const windowMs = WINDOW_MS[window ?? ''];
  if (windowMs !== undefined && Number(requests) >= 1) return { requests: Number(requests), windowMs };
  throw new UsageError(
    `--service-rate ${text} is not a rate. Write <n>/second, <n>/minute or <n>/hour, such as 500/minute.`,
  );
};

const readOptions = async (terminal: Terminal, options: Options): Promise<SandboxOptions> => {
  const { googlePort, servicePort, people, seed, serviceRate } = options;
  return {
    ...(googlePort !== undefined && { googlePort }),
    ...(servicePort !== undefined && { servicePort }),
    ...(people !== undefined && { count: people }),
    ...(seed !== undefined && { seed }),
    ...(options.google !== undefined && { google: await loadPeople(terminal, options.google) }),
    ...(options.service !== undefined && { service: await loadPeople(terminal, options.service) }),
    ...(serviceRate !== undefined && { serviceRateLimit: readRate(serviceRate) }),
  };
};

const start = async (options: SandboxOptions): Promise<Sandbox> =>
  startSandbox(options).catch((error: unknown) => {
    const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE' && 'port' in error;
    if (!isTaken) throw error;
    throw new UsageError(`Port ${String(error.port)} is in use. Choose another one, or leave it out for any free one.`);
  });

const environmentOf = (sandbox: Sandbox, { serviceRate }: Options): Record<string, string> => ({
  ...sandbox.environment(),
  ...(serviceRate !== undefined && { SERVICE_RATE_LIMIT: serviceRate }),
  // Each sandbox has accounts of its own, so each needs a store of its own.
  DATA_DIR: join(tmpdir(), `contact-sync-sandbox-${randomUUID().slice(0, 8)}`),
});

const quote = (value: string): string => `'${value.replaceAll("'", String.raw`'\''`)}'`;

const printEnvironment = (terminal: Terminal, sandbox: Sandbox, options: Options): void => {
  const environment = environmentOf(sandbox, options);
  if (options.json) {
    terminal.print(JSON.stringify(environment));
    return;
  }
  const google = count(sandbox.google.account.people().length, 'contact');
  const service = count(sandbox.service.account.contacts().length, 'contact');
  terminal.print(`# Sandbox: ${google} at Google, ${service} at the service. Paste this into another shell:`);
  terminal.print(
    Object.entries(environment)
      .map(([name, value]) => `export ${name}=${quote(value)}`)
      .join('\n'),
  );
  terminal.print('# Then: contact-sync plan; contact-sync sync. Ctrl-C here ends the sandbox.');
};

/** Resolves when the signal is aborted. */
const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

/**
 * `sandbox`: emulators of both remotes on 127.0.0.1 until SIGINT or SIGTERM.
 *
 * @throws {UsageError} for an address book, port or rate that cannot be used.
 */
export const sandbox = async (terminal: Terminal, options: Options): Promise<ExitCode> => {
  if (options.variants) {
    printVariants(terminal, options.json ?? false);
    return EXIT.done;
  }
  using interrupt = listenForInterrupt();
  await using running = await start(await readOptions(terminal, options));
  printEnvironment(terminal, running, options);
  await untilAborted(interrupt.signal);
  return EXIT.done;
};
