import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { count } from '../../core/view/words.ts';
import { peopleAt } from '../../sandbox/emulators.ts';
import { startSandbox, type Sandbox } from '../../sandbox/sandbox.ts';
import { shellQuoted } from '../../util/printable.ts';
import { EXIT, type ExitCode } from '../command/exit-codes.ts';
import { actionOf, examples, type Define } from '../command/options.ts';
import { listenForInterrupt } from '../command/with-app.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { loadFile } from './files.ts';

type Options = {
  /** The path of an address book. */
  readonly google?: string;
  readonly json?: boolean;
};

const printEnvironment = (
  terminal: Terminal,
  { google, service }: Sandbox,
  environment: Readonly<Record<string, string>>,
): void => {
  const atGoogle = count(peopleAt({ provider: 'google', server: google }).length, 'contact');
  const atService = count(peopleAt({ provider: 'service', server: service }).length, 'contact');
  terminal.print(`# Sandbox: ${atGoogle} at Google, ${atService} at the service. Paste this into another shell:`);
  terminal.print(
    Object.entries(environment)
      .map(([name, value]) => `export ${name}=${shellQuoted(value)}`)
      .join('\n'),
  );
  terminal.print('# Then: contact-sync plan; contact-sync sync. Ctrl-C here ends the sandbox.');
};

/**
 * `sandbox`: runs emulators of both remotes on 127.0.0.1 until SIGINT or SIGTERM.
 *
 * @throws {UsageError} for an address book that cannot be used.
 */
const sandbox = async (terminal: Terminal, options: Options): Promise<ExitCode> => {
  using interrupt = listenForInterrupt();
  const { google } = options;
  const people = google === undefined ? {} : { google: await loadFile(terminal, google) };
  await using running = await startSandbox(people);
  const environment = {
    ...running.environment(),
    // Each sandbox has its own accounts, so it needs its own store.
    DATA_DIR: join(tmpdir(), `contact-sync-sandbox-${randomUUID().slice(0, 8)}`),
  };
  if (options.json) terminal.print(JSON.stringify(environment));
  else printEnvironment(terminal, running, environment);
  if (!interrupt.signal.aborted) await once(interrupt.signal, 'abort');
  return EXIT.done;
};

/** Defines `sandbox`. */
export const define: Define = (command, call) => {
  command
    .option('--google <FILE>', 'contacts for Google: .vcf, or .csv as exported by Google')
    .option('--json', 'print the environment as one JSON document')
    .addHelpText('after', examples('sandbox', 'sandbox --google contacts.vcf'))
    .action(actionOf(call, null, sandbox));
};
