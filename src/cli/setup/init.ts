import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { Option } from 'commander';
import { configFileOf, readConfig, settingsInVariables } from '../../app/config/config.ts';
import type { LinkConfig } from '../../app/config/link-config.ts';
import { isSecretSetting } from '../../app/config/set-up.ts';
import { variableOf } from '../../app/config/sources.ts';
import { SIDES, type Side } from '../../core/contact/side.ts';
import { PROVIDER_NAMES } from '../../providers/names.ts';
import { PROVIDERS, providerNamed } from '../../providers/registry.ts';
import { chooseLinks, loadOptionsOf, type PlaceOptions } from '../command/configuration.ts';
import { EXIT, UsageError, type ExitCode } from '../command/exit-codes.ts';
import { examples, providerOption, type Define } from '../command/options.ts';
import { withApp } from '../command/with-app.ts';
import { plan } from '../sync/plan.ts';
import { InterruptedError } from '../terminal/prompts.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { checkClient, chooseCollection, needsCollectionChoice } from './account.ts';
import { readExisting, writeAnswers, writeLinkFile, type Existing } from './config-file.ts';
import { linkFileBeside } from '../../app/config/link-files.ts';
import { isName, NOT_A_LINK_NAME } from '../../app/config/link-sections.ts';
import { connect, portOption, type ConnectOptions } from './connect.ts';
import { doctor } from './doctor.ts';
import {
  askAll,
  createAsker,
  NON_INTERACTIVE,
  type AnswerHandlers,
  type Answers,
  type Asker,
  type KnownAnswers,
  type SecretPlace,
} from './questions.ts';

type InitOptions = PlaceOptions &
  Pick<ConnectOptions, 'browser' | 'port'> & {
    readonly left?: string;
    readonly right?: string;
    readonly secrets?: SecretPlace;
    /** The name of a link to add in a file of its own. */
    readonly link?: string;
    /** Asks no question: all values come from variables and options. */
    readonly yes?: boolean;
  };

const NO_TERMINAL =
  'init asks its questions on a terminal, and standard input is not a terminal. In a script, set the variables and use ' +
  '--yes. In a container, use docker run -it.';

const heading = (terminal: Terminal, text: string): void => terminal.print(`\n${terminal.style('bold', text)}`);

const introduce = (terminal: Terminal, path: string): void => {
  terminal.print(
    [
      terminal.style('bold', 'Set up a link between two address books'),
      '',
      'init asks for the two providers, what each of them needs, and the time between two syncs.',
      `Then it writes ${path} (readable by you only), signs in at both sides, in the browser or with a password,`,
      'checks everything, and shows the plan of the first sync. It writes nothing at either side.',
      'Enter accepts the value in parentheses. Ctrl-C stops; your answers are kept for the next init.',
      '',
    ].join('\n'),
  );
};

/** The treatment of a configuration file that exists. */
type Treatment = 'change' | 'replace' | 'leave';

const chooseTreatment = async (
  terminal: Terminal,
  asker: Asker,
  path: string,
  isValid: boolean,
): Promise<Treatment> => {
  if (isValid) {
    return asker.choice(
      `${path} exists`,
      [
        { value: 'change', name: 'Change its values' },
        { value: 'replace', name: 'Replace it with a new configuration' },
        { value: 'leave', name: 'Leave it unchanged' },
      ],
      'change',
    );
  }
  terminal.warn(`${path} exists and is not valid YAML.`);
  return (await asker.yesNo('Replace it with a new configuration?', false)) ? 'replace' : 'leave';
};

const handlersFor = (terminal: Terminal, keep: AnswerHandlers['keep']): AnswerHandlers => ({
  inform: (text) => terminal.print(text),
  keep,
  check: async (provider, settings) => {
    const { title } = providerNamed(provider);
    const fault = await checkClient(provider, settings);
    if (fault === null) terminal.print(`${title}: no fault found in these values.`);
    else terminal.warn(`${title}: ${fault}`);
    return fault === null;
  },
});

/** For answers without questions. */
const SILENT: AnswerHandlers = { inform: () => {}, keep: () => {}, check: () => Promise.resolve(true) };

/** Warns about variables that are used instead of an answer. */
const warnAboutVariables = (terminal: Terminal, options: PlaceOptions, { settings }: Answers): void => {
  for (const [key, value] of settingsInVariables(loadOptionsOf(options))) {
    const answer = settings.get(key);
    if (answer === undefined || answer === value) continue;
    const shown = isSecretSetting(key) ? '' : ` (${value})`;
    terminal.warn(`The variable ${variableOf(key)}${shown} is used instead of your answer. Unset it.`);
  }
};

/** Reports the variables with tokens that are written although they were not asked for. */
const reportTokens = (terminal: Terminal, options: PlaceOptions, { secrets, settings }: Answers): void => {
  const tokens = new Set(PROVIDERS.map(({ name, tokenKey }) => `${name}.${tokenKey}`));
  const found = settingsInVariables(loadOptionsOf(options));
  const variables = [...settings.keys()].filter((key) => tokens.has(key) && found.has(key)).map(variableOf);
  if (variables.length === 0 || secrets === 'none') return;
  terminal.print(`The tokens in ${variables.join(' and ')} are written as well, so no sign-in is needed.`);
};

/** The answers to all questions; null if the questions were interrupted, after the answers so far were written. */
const answersOf = async (
  terminal: Terminal,
  options: InitOptions,
  asker: Asker,
  { path, known }: { readonly path: string; readonly known: KnownAnswers },
): Promise<Answers | null> => {
  let soFar: Answers | null = null;
  const keep = (answers: Answers): void => {
    soFar = answers;
  };
  const handlers = options.yes ? { ...SILENT, keep } : handlersFor(terminal, keep);
  try {
    return await askAll(asker, known, handlers);
  } catch (error) {
    if (!(error instanceof InterruptedError)) throw error;
    const written = soFar === null ? [] : await writeAnswers(path, soFar, { isComplete: false });
    const where = `Your answers are in ${written.join(' and ')}. Continue with: contact-sync init`;
    terminal.warn(`Interrupted. ${written.length === 0 ? 'Nothing was written.' : where}`);
    return null;
  }
};

/** Asks for all values and writes them. Returns false if the questions were interrupted. */
const askAndWrite = async (
  terminal: Terminal,
  options: InitOptions,
  asker: Asker,
  { path, existing }: { readonly path: string; readonly existing: Existing | null },
): Promise<boolean> => {
  const { left, right, dataDir } = options;
  const settings = new Map([...(existing?.settings ?? []), ...settingsInVariables(loadOptionsOf(options))]);
  if (dataDir !== undefined) settings.set('dataDir', resolve(dataDir));
  const known = {
    providers: { ...(left !== undefined && { left }), ...(right !== undefined && { right }) },
    existing: existing?.providers ?? null,
    secrets: options.secrets ?? existing?.secrets ?? null,
    settings,
  };
  const answers = await answersOf(terminal, options, asker, { path, known });
  if (answers === null) return false;
  const written = await writeAnswers(path, answers, { isComplete: true });
  terminal.print(`\nWritten, readable by you only: ${written.join(' and ')}`);
  reportTokens(terminal, options, answers);
  warnAboutVariables(terminal, options, answers);
  return true;
};

/** Asks for the configuration and writes it. Returns null if it was written, otherwise the exit code. */
const setUp = async (terminal: Terminal, options: InitOptions, path: string): Promise<ExitCode | null> => {
  const exists = existsSync(path);
  if (options.yes) {
    if (exists) throw new UsageError(`${path} exists, and --yes replaces nothing. Move it, or set another --config.`);
    await askAndWrite(terminal, { secrets: 'file', ...options }, NON_INTERACTIVE, { path, existing: null });
    return null;
  }
  if (!process.stdin.isTTY) throw new UsageError(NO_TERMINAL);
  introduce(terminal, path);
  const asker = createAsker({ input: process.stdin, output: terminal.stdout });
  const existing = exists ? await readExisting(path) : null;
  const treatment = exists
    ? await chooseTreatment(terminal, asker, path, existing !== null).catch((error: unknown): Treatment => {
        if (error instanceof InterruptedError) return 'leave';
        throw error;
      })
    : 'replace';
  if (treatment === 'leave') {
    terminal.print('Nothing was changed.');
    return EXIT.done;
  }
  const isWritten = await askAndWrite(terminal, options, asker, {
    path,
    existing: treatment === 'change' ? existing : null,
  });
  return isWritten ? null : EXIT.failed;
};

/** Checks that a further link can be added. Throws {@link UsageError}. */
const checkNewLink = ({ link = '', secrets, yes }: InitOptions, configFile: string): void => {
  if (!isName(link)) throw new UsageError(`--link: "${link}" ${NOT_A_LINK_NAME}`);
  if (secrets === 'env')
    throw new UsageError('--secrets env sets variables for all links. Use file or none with --link.');
  if (!existsSync(configFile)) throw new UsageError(`There is no ${configFile}. Begin without --link.`);
  const path = linkFileBeside(configFile, link);
  if (existsSync(path)) throw new UsageError(`${path} exists. Change it there, or remove it.`);
  if (!yes && !process.stdin.isTTY) throw new UsageError(NO_TERMINAL);
};

/** Asks for the settings of a further link and writes its file. Returns null if it was written, otherwise the exit code. */
const addLink = async (terminal: Terminal, options: InitOptions, configFile: string): Promise<ExitCode | null> => {
  checkNewLink(options, configFile);
  const { left, right, link = '', secrets = 'file', yes = false } = options;
  const common: ReadonlyMap<string, string> = (await readExisting(configFile))?.settings ?? new Map();
  const settings = new Map([...common, ...settingsInVariables(loadOptionsOf(options))]);
  const providers = { ...(left !== undefined && { left }), ...(right !== undefined && { right }) };
  const asker = yes ? NON_INTERACTIVE : createAsker({ input: process.stdin, output: terminal.stdout });
  const handlers = yes ? SILENT : handlersFor(terminal, () => undefined);
  try {
    const answers = await askAll(asker, { providers, existing: null, secrets, settings }, handlers);
    const path = await writeLinkFile(configFile, link, answers, common);
    terminal.print(`\nWritten, readable by you only: ${path}`);
    return null;
  } catch (error) {
    if (!(error instanceof InterruptedError)) throw error;
    terminal.warn('Interrupted. Nothing was written.');
    return EXIT.failed;
  }
};

type OpenSide = { readonly link: LinkConfig; readonly side: Side; readonly isSignedIn: boolean };

/** The sides that have no token yet, or whose address book is not chosen. */
const openSides = (terminal: Terminal, options: InitOptions): Promise<readonly OpenSide[]> =>
  withApp(terminal, options.link, options, async ({ app, links }) => {
    const found: OpenSide[] = [];
    for (const link of links) {
      const digests = await app.credentials(link);
      found.push(...SIDES.map((side) => ({ link, side, isSignedIn: digests[side] !== null })));
    }
    return found.filter(({ link, side, isSignedIn }) => !isSignedIn || needsCollectionChoice(link, side));
  });

/**
 * Signs in at a side if it has no token, and asks for its address book if the account has several. A password that the side
 * refuses is asked for again.
 */
const signInAt = async (
  terminal: Terminal,
  options: InitOptions,
  { link, side, isSignedIn }: OpenSide,
  configFile: string,
): Promise<ExitCode> => {
  const { name, place, provider } = link.sides[side];
  heading(terminal, `Sign in at ${place}`);
  const { hasPassword = false } = providerNamed(provider);
  for (;;) {
    const asker = createAsker({ input: process.stdin, output: terminal.stdout });
    const password = needsCollectionChoice(link, side)
      ? await chooseCollection(terminal, options, asker, { link, side, configFile })
      : null;
    if (isSignedIn) return EXIT.done;
    const given = { ...options, printsNext: false, ...(password !== null && { password }) };
    const code = await connect(terminal, name, link.name, given);
    if (code !== EXIT.credentials || !hasPassword) return code;
    terminal.print('Enter the password again. Ctrl-C stops.');
  }
};

/** Signs in at each side without a token; stops at the first sign-in that fails. */
const signIn = async (terminal: Terminal, options: InitOptions, path: string): Promise<ExitCode> => {
  for (const side of await openSides(terminal, options)) {
    const code = await signInAt(terminal, options, side, path).catch((error: unknown) => {
      if (!(error instanceof InterruptedError)) throw error;
      terminal.warn('Interrupted.');
      return EXIT.failed;
    });
    if (code === EXIT.done) continue;
    terminal.print(`\nTo change an answer or to try again: contact-sync init`);
    return code;
  }
  return EXIT.done;
};

/** Checks the new configuration, and shows the plan of the first sync if no check failed. */
const finish = async (terminal: Terminal, options: InitOptions): Promise<ExitCode> => {
  heading(terminal, 'Check (contact-sync doctor)');
  const code = await doctor(terminal, options.link, options);
  if (code !== EXIT.done) {
    terminal.print(`\nTo change an answer: contact-sync init\nTo check again: contact-sync doctor`);
    return code;
  }
  heading(terminal, 'Plan of the first sync (contact-sync plan)');
  const planned = await plan(terminal, options.link, { ...options, showsReview: true });
  terminal.print('\nNothing was written at either side.');
  if (planned === EXIT.done) {
    const links = chooseLinks(readConfig(loadOptionsOf(options)).config, options.link);
    const accept = links.some(({ firstSync }) => firstSync === 'review') ? ' --accept-first' : '';
    const sync = options.link === undefined ? 'sync' : `sync ${options.link}`;
    const daemon =
      options.link === undefined ? 'contact-sync daemon' : 'send SIGHUP to the daemon, which reads the folder';
    terminal.print(`Next: contact-sync ${sync}${accept}\nThen: ${daemon}`);
  }
  return planned;
};

/** `init`: asks for the settings of a link, writes the configuration, signs in, and ends with `doctor` and the plan. */
const init = async (terminal: Terminal, options: InitOptions): Promise<ExitCode> => {
  if (options.dataDir === '') throw new UsageError('--data-dir is empty. Name a directory, or leave the option out.');
  const path = configFileOf(loadOptionsOf(options));
  const code = await (options.link === undefined ? setUp(terminal, options, path) : addLink(terminal, options, path));
  if (code !== null) return code;
  const here = { ...options, config: path };
  const signedIn = options.yes ? EXIT.done : await signIn(terminal, here, path);
  return signedIn === EXIT.done ? finish(terminal, here) : signedIn;
};

const INIT_HELP = `
init asks its questions on a terminal. Variables that are set (GOOGLE_CLIENT_ID, ...) are offered as answers; with --yes
they are the only source. If the configuration file exists, init offers to change its values, to replace it, or to leave
it unchanged; --yes never changes it. A new configuration has firstSync: review, unless you decline: the first sync then
waits for sync --accept-first.`;

/** Defines `init`. */
export const defineInit: Define = (command, call) => {
  command
    .addOption(providerOption('left', PROVIDER_NAMES))
    .addOption(providerOption('right', PROVIDER_NAMES))
    .addOption(
      new Option(
        '--secrets <PLACE>',
        'where to write secrets: into the configuration file, into a .env next to it, or nowhere',
      ).choices(['file', 'env', 'none']),
    )
    .option('--no-browser', 'only print the address to sign in at')
    .addOption(portOption())
    .option('--link <NAME>', 'add a link in a file of its own, links/NAME.yaml next to the configuration file')
    .option('-y, --yes', 'ask nothing and do not sign in')
    .addHelpText('after', INIT_HELP)
    .addHelpText('after', examples('init', 'init --link ada'))
    .action(async (options: InitOptions) => {
      call.code = await init(call.terminal, options);
    });
};
