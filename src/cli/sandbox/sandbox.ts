import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { SIDES, type Sides } from '../../core/contact/side.ts';
import { count } from '../../core/view/words.ts';
import { EMULATED_NAMES, USUAL_PROVIDERS } from '../../providers/names.ts';
import { peopleAt, variablesOf, type EmulatedProvider } from '../../sandbox/emulators.ts';
import { GOOGLE_VARIANT_TABLE } from '../../sandbox/google/variants.ts';
import { startSandboxPair, type PairOptions, type PairSide, type SandboxPair } from '../../sandbox/sandbox.ts';
import { SERVICE_VARIANT_TABLE } from '../../sandbox/service/variants.ts';
import type { VariantRow } from '../../sandbox/variants.ts';
import { shellQuoted } from '../../util/printable.ts';
import { rateLimit, type RateLimit } from '../../util/values.ts';
import { EXIT, UsageError, type ExitCode } from '../command/exit-codes.ts';
import { examples, providerOption, wholeNumber, type Define } from '../command/options.ts';
import { listenForInterrupt } from '../command/with-app.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { openExports, readExports, writeExport, loadFile, reportFile, type LoadedFile } from './files.ts';

type Options = {
  readonly left?: EmulatedProvider;
  readonly right?: EmulatedProvider;
  readonly people?: number;
  readonly seed?: number;
  readonly serviceRate?: string;
  readonly export?: readonly string[];
  readonly variants?: boolean;
  readonly json?: boolean;
} & { readonly [Provider in EmulatedProvider]?: string } & {
  readonly [Provider in EmulatedProvider as `${Provider}Port`]?: number;
};

/** Each emulated provider: its name as a title and within a sentence, and the variants of its behaviour. */
const EMULATED: Readonly<
  Record<EmulatedProvider, { readonly title: string; readonly place: string; readonly variants: readonly VariantRow[] }>
> = {
  google: { title: 'Google', place: 'Google', variants: GOOGLE_VARIANT_TABLE },
  service: { title: 'Service', place: 'the service', variants: SERVICE_VARIANT_TABLE },
};

const formatVariants = (title: string, table: readonly VariantRow[]): string => {
  const rows = table.map(({ name, about, values }) => `  ${name}: ${about}\n    ${values.join(' | ')}`);
  return [`${title} (the first value is the default)`, ...rows].join('\n');
};

const printVariants = (terminal: Terminal, isJson: boolean): void => {
  if (isJson) {
    const tables = EMULATED_NAMES.map((name) => [name, EMULATED[name].variants]);
    terminal.print(JSON.stringify(Object.fromEntries(tables)));
    return;
  }
  const texts = EMULATED_NAMES.map((name) => formatVariants(EMULATED[name].title, EMULATED[name].variants));
  terminal.print(texts.join('\n\n'));
};

const readRate = (text: string): RateLimit => {
  const rate = rateLimit.safeParse(text);
  if (rate.success) return rate.data;
  throw new UsageError(
    `--service-rate ${text} is not a rate. Write <n>/second, <n>/minute or <n>/hour, such as 500/minute.`,
  );
};

/** @throws {UsageError} for an option that selects an account by its provider: both accounts have the same one. */
const refuseProviderOptions = (options: Options, provider: EmulatedProvider): void => {
  const files = EMULATED_NAMES.flatMap((name) => (options[name] === undefined ? [] : [`--${name}`]));
  const ports = EMULATED_NAMES.flatMap((name) => (options[`${name}Port`] === undefined ? [] : [`--${name}-port`]));
  const [flag] = [...files, ...ports];
  if (flag === undefined) return;
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

/** The address books that are loaded into the accounts, by provider. */
type Files = { readonly [Provider in EmulatedProvider]?: LoadedFile };

const readFiles = async (options: Options): Promise<Files> => {
  const files: { [Provider in EmulatedProvider]?: LoadedFile } = {};
  for (const name of EMULATED_NAMES) {
    const path = options[name];
    if (path !== undefined) files[name] = await loadFile(path, name);
  }
  return files;
};

const readOptions = (options: Options, { left, right }: Sides<EmulatedProvider>, files: Files): PairOptions => {
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

/** A new directory of state: each sandbox has its own accounts, so it needs its own store. */
const newDataDir = (): string => join(tmpdir(), `contact-sync-sandbox-${randomUUID().slice(0, 8)}`);

/**
 * The variables that configure the sandbox's link. If variables alone are not enough, they set the path of a configuration file,
 * which is deleted with the stack.
 */
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

const printEnvironment = (
  terminal: Terminal,
  running: SandboxPair,
  environment: Readonly<Record<string, string>>,
): void => {
  const link = running.links().default;
  const contents = SIDES.map((side) => {
    const { name } = link[side];
    const place = EMULATED[running[side].provider].place + (name === undefined ? '' : ` (${name})`);
    return `${count(peopleAt(running[side]).length, 'contact')} at ${place}`;
  });
  terminal.print(`# Sandbox: ${contents.join(', ')}. Paste this into another shell:`);
  terminal.print(
    Object.entries(environment)
      .map(([name, value]) => `export ${name}=${shellQuoted(value)}`)
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

/** The result of loading the files, for scripts; no key if no file was given. */
const filesDocument = (files: Files): { readonly files?: object } => {
  const reports = Object.entries(files).map(([provider, { people, ...report }]) => {
    return [provider, { ...report, people: people.length }];
  });
  return reports.length === 0 ? {} : { files: Object.fromEntries(reports) };
};

/**
 * `sandbox`: runs emulators of two remotes on 127.0.0.1 until SIGINT or SIGTERM. Then it writes the files of `--export`.
 *
 * @throws {UsageError} for an address book, port, rate or export that cannot be used.
 */
const sandbox = async (terminal: Terminal, options: Options): Promise<ExitCode> => {
  if (options.variants) {
    printVariants(terminal, options.json ?? false);
    return EXIT.done;
  }
  const { left, right } = { ...USUAL_PROVIDERS, ...options };
  if (left === right) refuseProviderOptions(options, left);
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

const appended = (value: string, earlier: readonly string[]): readonly string[] => [...earlier, value];

/** Adds two options for each emulated provider: the contacts of its account, and the port of its emulator. */
const withProviderOptions = (command: Command): Command => {
  for (const name of EMULATED_NAMES) {
    const { place } = EMULATED[name];
    command.option(`--${name} <FILE>`, `contacts for ${place}: .vcf, or .csv as exported by Google`);
  }
  for (const name of EMULATED_NAMES) {
    const about = `port of the emulator of ${EMULATED[name].place} (default: any free port)`;
    command.option(`--${name}-port <PORT>`, about, wholeNumber(1, 65_535));
  }
  return command;
};

/** Defines `sandbox`. */
export const defineSandbox: Define = (command, call) => {
  withProviderOptions(
    command
      .addOption(providerOption('left', EMULATED_NAMES, USUAL_PROVIDERS.left))
      .addOption(providerOption('right', EMULATED_NAMES, USUAL_PROVIDERS.right)),
  )
    .option('--people <N>', 'number of people in the sample data (default: 60)', wholeNumber(1, 50_000))
    .option('--seed <N>', 'seed of the sample data (default: 1)', wholeNumber(0, 2 ** 31))
    .option('--service-rate <RATE>', 'rate limit of the service: <n>/second, <n>/minute or <n>/hour')
    .option(
      '--export <SIDE=FILE>',
      'write the contacts of a side to a new .vcf file when stopped; repeatable',
      appended,
      [],
    )
    .option('--variants', 'list the variants of the emulators and exit')
    .option('--json', 'print the environment as one JSON document')
    .addHelpText('after', examples('sandbox', 'sandbox --google contacts.vcf --export service=synced.vcf'))
    .action(async (options: Options) => {
      call.code = await sandbox(call.terminal, options);
    });
};
