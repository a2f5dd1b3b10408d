import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { USUAL_PROVIDERS } from '../../providers/names.ts';
import { contactCount, settingsOf, type EmulatedProvider, type Emulator } from '../../sandbox/emulators.ts';
import { googleVariantsSchema } from '../../sandbox/google/variants.ts';
import { startSandboxPair, type PairOptions, type PairSide, type SandboxPair } from '../../sandbox/sandbox.ts';
import { VARIANT_TABLE, type VariantRow } from '../../sandbox/service/variants.ts';
import { EXIT, type ExitCode, UsageError } from '../command/exit-codes.ts';
import { listenForInterrupt } from '../command/with-app.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { count } from '../../core/view/words.ts';
import { openExports, readExports, writeExport, loadFile, type LoadedFile, reportFile } from './files.ts';

type Options = {
  readonly left?: EmulatedProvider;
  readonly right?: EmulatedProvider;
  readonly google?: string;
  readonly service?: string;
  readonly googlePort?: number;
  readonly servicePort?: number;
  readonly people?: number;
  readonly seed?: number;
  readonly serviceRate?: string;
  readonly export?: readonly string[];
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

const WINDOW_MS: Readonly<Record<string, number>> = { second: 1000, minute: 60_000, hour: 3_600_000 };

const readRate = (text: string): { requests: number; windowMs: number } => {
  const [, requests, window] = /^(\d+)\/(\w+)$/u.exec(text) ?? [];
  const windowMs = WINDOW_MS[window ?? ''];
  if (windowMs !== undefined && Number(requests) >= 1) return { requests: Number(requests), windowMs };
  throw new UsageError(
    `--service-rate ${text} is not a rate. Write <n>/second, <n>/minute or <n>/hour, such as 500/minute.`,
  );
};

/** Options that name an account by its provider say nothing where both accounts have the same one. */
const assertUnlike = (options: Options, provider: EmulatedProvider): void => {
  const named = (['google', 'service', 'googlePort', 'servicePort'] as const).find((key) => options[key] !== undefined);
  if (named === undefined) return;
  const flag = `--${named.replace('Port', '-port')}`;
  throw new UsageError(`${flag} cannot be used here: both sides are accounts of ${provider}. Leave it out.`);
};

const readSide = (options: Options, provider: EmulatedProvider, file: LoadedFile | undefined): PairSide => {
  const port = options[`${provider}Port` as const];
  return {
    provider,
    ...(port !== undefined && { port }),
    ...(file !== undefined && { people: file.people }),
  };
};

/** The address books to fill the accounts with, by provider. */
type Files = { readonly [Provider in EmulatedProvider]?: LoadedFile };

const readFiles = async ({ google, service }: Options): Promise<Files> => ({
  ...(google !== undefined && { google: await loadFile(google, 'google') }),
  ...(service !== undefined && { service: await loadFile(service, 'service') }),
});

const readOptions = (
  options: Options,
  { left, right }: Record<'left' | 'right', EmulatedProvider>,
  files: Files,
): PairOptions => {
  const { people, seed, serviceRate } = options;
  return {
    left: readSide(options, left, files[left]),
    right: readSide(options, right, files[right]),
    ...(people !== undefined && { count: people }),
    ...(seed !== undefined && { seed }),
    ...(serviceRate !== undefined && { serviceRateLimit: readRate(serviceRate) }),
  };
};

const start = async (options: PairOptions): Promise<SandboxPair> =>
  startSandboxPair(options).catch((error: unknown) => {
    const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE' && 'port' in error;
    if (!isTaken) throw error;
    throw new UsageError(`Port ${String(error.port)} is in use. Choose another one, or leave it out for any free one.`);
  });

/** `clientId` of `google` is GOOGLE_CLIENT_ID. */
const variablesOf = (emulator: Emulator): Record<string, string> => {
  const entries = Object.entries(settingsOf(emulator)).map(([key, value]) => {
    return [`${emulator.provider}_${key.replaceAll(/[A-Z]/gu, '_$&')}`.toUpperCase(), value];
  });
  return Object.fromEntries(entries) as Record<string, string>;
};

/** Each sandbox has accounts of its own, so each needs a store of its own. */
const newDataDir = (): string => join(tmpdir(), `contact-sync-sandbox-${randomUUID().slice(0, 8)}`);

/** The variables of the sandbox's link, which a file describes where variables alone cannot; the file goes with the stack. */
const environmentOf = async (
  running: SandboxPair,
  { serviceRate }: Options,
  stack: AsyncDisposableStack,
): Promise<Record<string, string>> => {
  const { left, right } = running;
  const rate = { ...(serviceRate !== undefined && { SERVICE_RATE_LIMIT: serviceRate }) };
  if (left.provider === USUAL_PROVIDERS.left && right.provider === USUAL_PROVIDERS.right) {
    return { ...variablesOf(right), ...variablesOf(left), ...rate, DATA_DIR: newDataDir() };
  }
  const directory = await mkdtemp(join(tmpdir(), 'contact-sync-sandbox-'));
  stack.defer(() => rm(directory, { recursive: true, force: true }));
  const path = join(directory, 'contact-sync.yaml');
  await writeFile(path, JSON.stringify({ links: running.links() }), { mode: 0o600 });
  return { CONTACT_SYNC_CONFIG: path, ...rate, DATA_DIR: join(directory, 'data') };
};

const PLACES: Readonly<Record<EmulatedProvider, string>> = { google: 'Google', service: 'the service' };

const quote = (value: string): string => `'${value.replaceAll("'", String.raw`'\''`)}'`;

const printEnvironment = (
  terminal: Terminal,
  running: SandboxPair,
  environment: Readonly<Record<string, string>>,
): void => {
  const link = running.links().default;
  const contents = (['left', 'right'] as const).map((side) => {
    const { name } = link[side];
    const place = PLACES[running[side].provider] + (name === undefined ? '' : ` (${name})`);
    return `${count(contactCount(running[side]), 'contact')} at ${place}`;
  });
  terminal.print(`# Sandbox: ${contents.join(', ')}. Paste this into another shell:`);
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

/** What became of the files, for scripts; nothing where there is none. */
const filesDocument = (files: Files): { readonly files?: object } => {
  const reports = Object.entries(files).map(([provider, { people, ...report }]) => {
    return [provider, { ...report, people: people.length }];
  });
  return reports.length === 0 ? {} : { files: Object.fromEntries(reports) };
};

/**
 * `sandbox`: emulators of two remotes on 127.0.0.1 until SIGINT or SIGTERM; then what `--export` asks for is written.
 *
 * @throws {UsageError} for an address book, port, rate or export that cannot be used.
 */
export const sandbox = async (terminal: Terminal, options: Options): Promise<ExitCode> => {
  if (options.variants) {
    printVariants(terminal, options.json ?? false);
    return EXIT.done;
  }
  const { left, right } = { ...USUAL_PROVIDERS, ...options };
  if (left === right) assertUnlike(options, left);
  const exports = readExports(options.export ?? [], { left, right });
  using interrupt = listenForInterrupt();
  await using stack = new AsyncDisposableStack();
  const files = await readFiles(options);
  for (const file of Object.values(files)) reportFile(terminal, file);
  const running = stack.use(await start(readOptions(options, { left, right }, files)));
  const targets = await openExports(exports, stack);
  const environment = await environmentOf(running, options, stack);
  if (options.json) terminal.print(JSON.stringify({ ...environment, ...filesDocument(files) }));
  else printEnvironment(terminal, running, environment);
  await untilAborted(interrupt.signal);
  for (const target of targets) await writeExport(terminal, target, running[target.side]);
  return EXIT.done;
};
