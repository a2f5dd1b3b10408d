import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { configFileOf, settingsInVariables, type LinkConfig } from '../../config/config.ts';
import { SIDES, type Side } from '../../contact/side.ts';
import { loadOptionsOf, type PlaceOptions } from '../configuration.ts';
import { connect, type ConnectOptions } from '../connect/connect.ts';
import { doctor } from '../doctor/doctor.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { plan } from '../plan.ts';
import type { Terminal } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';
import { withApp } from '../with-app.ts';
import { createPrompts, type Prompts } from './prompts.ts';
import { askAll, NOBODY, type SecretPlace } from './questions.ts';
import { writeAnswers } from './write.ts';

export type InitOptions = PlaceOptions &
  Pick<ConnectOptions, 'browser' | 'port'> & {
    readonly left?: string;
    readonly right?: string;
    readonly secrets?: SecretPlace;
    /** Nothing is asked: the variables and the options say everything. */
    readonly yes?: boolean;
  };

const confirm = async (prompts: Prompts, question: string, usual: 'y' | 'n'): Promise<boolean> => {
  const faultOf = (answer: string): string | null => (/^(?:y|yes|n|no)$/iu.test(answer) ? null : 'is neither y nor n.');
  return /^y/iu.test(await prompts.ask(`${question} (y or n)`, usual, faultOf));
};

/** Whether the file may be written: a file that is there is somebody's work. Throws {@link UsageError} for a script. */
const mayWrite = async (path: string, prompts: Prompts | null): Promise<boolean> => {
  if (!existsSync(path)) return true;
  if (prompts !== null) return confirm(prompts, `${path} exists. Replace it`, 'n');
  throw new UsageError(`${path} exists, and --yes replaces nothing. Move it away, or name another one with --config.`);
};

/** The sides that have no token yet. */
const unsignedSides = (terminal: Terminal, options: PlaceOptions): Promise<readonly [LinkConfig, Side][]> =>
  withApp(terminal, undefined, options, async ({ app, links }) => {
    const unsigned: [LinkConfig, Side][] = [];
    for (const link of links) {
      const digests = await app.credentials(link);
      unsigned.push(...SIDES.filter((side) => digests[side] === null).map((side): [LinkConfig, Side] => [link, side]));
    }
    return unsigned;
  });

const signIn = async (terminal: Terminal, options: InitOptions): Promise<void> => {
  for (const [link, side] of await unsignedSides(terminal, options)) {
    const { name, place } = link.sides[side];
    terminal.print(`\nSign in at ${place}`);
    await connect(terminal, name, link.name, options);
  }
};

const heading = (terminal: Terminal, text: string): void => terminal.print(`\n${terminal.style('bold', text)}`);

/** What was set up, looked at: every check, and where they pass what a first sync would do. */
const finish = async (terminal: Terminal, options: PlaceOptions): Promise<ExitCode> => {
  heading(terminal, 'Is everything in order? (contact-sync doctor)');
  const code = await doctor(terminal, undefined, options);
  if (code !== EXIT.done) {
    terminal.print('\nWhen that is settled: contact-sync doctor, then contact-sync plan');
    return code;
  }
  heading(terminal, 'What would the first sync do? (contact-sync plan)');
  const planned = await plan(terminal, undefined, options);
  terminal.print('\nNothing was written at either side so far.');
  if (planned === EXIT.done) terminal.print('Next: contact-sync sync, and then: contact-sync daemon');
  return planned;
};

/** The path of the configuration that was written; null where a person did not want it. */
const setUp = async (terminal: Terminal, options: InitOptions, prompts: Prompts | null): Promise<string | null> => {
  const { left, right, secrets = null, dataDir } = options;
  if (dataDir === '') throw new UsageError('--data-dir is empty. Name a directory, or leave the option out.');
  const place = loadOptionsOf(options);
  const path = configFileOf(place);
  if (!(await mayWrite(path, prompts))) return null;
  const settings = new Map(settingsInVariables(place));
  if (dataDir !== undefined) settings.set('dataDir', resolve(dataDir));
  const providers = { ...(left !== undefined && { left }), ...(right !== undefined && { right }) };
  const answers = await askAll(prompts ?? NOBODY, {
    providers,
    secrets: prompts === null ? (secrets ?? 'file') : secrets,
    settings,
  });
  const written = await writeAnswers(path, answers);
  terminal.print(`\nWritten, readable by you alone: ${written.join(' and ')}`);
  return path;
};

/** `init`: asks for what a link needs, writes the configuration, signs in, and ends with `doctor` and the plan. */
export const init = async (terminal: Terminal, options: InitOptions): Promise<ExitCode> => {
  let path: string | null;
  {
    using prompts = options.yes ? null : createPrompts(terminal, process.stdin);
    path = await setUp(terminal, options, prompts);
  }
  if (path === null) {
    terminal.print('Nothing was changed.');
    return EXIT.done;
  }
  const here = { ...options, config: path };
  if (!options.yes) await signIn(terminal, here);
  return finish(terminal, here);
};
