import { existsSync, readFileSync } from 'node:fs';
import { Option } from 'commander';
import { configFileOf, loadConfig, readConfig, settingsInVariables } from '../../app/config/config.ts';
import type { LinkConfig } from '../../app/config/link-config.ts';
import { linkFileBeside } from '../../app/config/link-files.ts';
import { isName, NOT_A_LINK_NAME } from '../../app/config/link-sections.ts';
import { settingsIn } from '../../app/config/set-up.ts';
import { variableOf } from '../../app/config/sources.ts';
import { SIDES, type Side } from '../../core/contact/side.ts';
import { PROVIDER_NAMES } from '../../providers/names.ts';
import { PROVIDERS } from '../../providers/registry.ts';
import { ConfigError } from '../../util/config-error.ts';
import { chooseLinks, type PlaceOptions } from '../command/configuration.ts';
import { EXIT, UsageError, type ExitCode } from '../command/exit-codes.ts';
import { actionOf, examples, type Define } from '../command/options.ts';
import { withApp } from '../command/with-app.ts';
import { plan } from '../sync/plan.ts';
import { askerOf, InterruptedError } from '../terminal/prompts.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { writeConfigFile, writeLinkFile } from './config-file.ts';
import { connect, portOption, type ConnectOptions } from './connect.ts';
import { doctor } from './doctor.ts';
import { askAll, NON_INTERACTIVE } from './questions.ts';

type InitOptions = PlaceOptions &
  Pick<ConnectOptions, 'browser' | 'port'> & {
    readonly left?: string;
    readonly right?: string;
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
      'Enter accepts the value in parentheses. Ctrl-C stops.',
      '',
    ].join('\n'),
  );
};

/** The file that init writes: the configuration file, or that of a further link. Throws {@link UsageError}. */
const targetOf = ({ link }: InitOptions, configFile: string): string => {
  if (link === undefined) return configFile;
  if (!isName(link)) throw new UsageError(`--link: "${link}" ${NOT_A_LINK_NAME}`);
  if (!existsSync(configFile)) throw new UsageError(`There is no ${configFile}. Begin without --link.`);
  return linkFileBeside(configFile, link);
};

/** Reports the variables with tokens that are written although they were not asked for. */
const reportTokens = (terminal: Terminal, options: PlaceOptions, written: ReadonlyMap<string, string>): void => {
  const found = settingsInVariables(options);
  const tokens = PROVIDERS.map(({ name, tokenKey }) => `${name}.${tokenKey}`);
  const variables = tokens.filter((key) => written.has(key) && found.has(key)).map(variableOf);
  if (variables.length === 0) return;
  terminal.print(`The tokens in ${variables.join(' and ')} are written as well, so no sign-in is needed.`);
};

/** The links of a configuration; none if it is invalid. */
const namesIn = (config: string): readonly string[] => {
  try {
    return loadConfig({ config }).links.map(({ name }) => name);
  } catch (error) {
    if (error instanceof ConfigError) return [];
    throw error;
  }
};

/** Asks for all values and writes them to a new file. */
const askAndWrite = async (terminal: Terminal, options: InitOptions, configFile: string): Promise<void> => {
  const { left, right, link, yes = false } = options;
  const common = link === undefined ? new Map<string, string>() : settingsIn(readFileSync(configFile, 'utf8'));
  const settings = new Map([...common, ...settingsInVariables(options)]);
  const providers = { ...(left !== undefined && { left }), ...(right !== undefined && { right }) };
  const asker = yes ? NON_INTERACTIVE : askerOf(terminal);
  const answers = await askAll(asker, { providers, settings }, (text) => {
    if (!yes) terminal.print(text);
  });
  if (link === undefined) await writeConfigFile(configFile, answers);
  else {
    const before = namesIn(configFile);
    await writeLinkFile(configFile, link, answers, common);
    const after = namesIn(configFile);
    for (const name of before.filter((each) => !after.includes(each))) {
      terminal.warn(
        `The link ${name} is no longer used: ${configFile} has no section links, and the folder links exists now. ` +
          `To keep the link, add this line to the file: links: { ${name}: {} }`,
      );
    }
  }
  reportTokens(terminal, options, answers.settings);
};

/** Writes the file unless it exists. Returns null if there is one now, otherwise the exit code. */
const setUp = async (terminal: Terminal, options: InitOptions, configFile: string): Promise<ExitCode | null> => {
  const { yes = false } = options;
  const path = targetOf(options, configFile);
  const exists = existsSync(path);
  if (exists && yes) throw new UsageError(`${path} exists, and --yes replaces nothing. Move it, or name another one.`);
  if (!yes && !process.stdin.isTTY) throw new UsageError(NO_TERMINAL);
  if (exists) {
    terminal.print(`${path} exists and is used as it is. Edit it to change a value.`);
    return null;
  }
  if (!yes) introduce(terminal, path);
  try {
    await askAndWrite(terminal, options, configFile);
    terminal.print(`\nWritten, readable by you only: ${path}`);
    return null;
  } catch (error) {
    if (!(error instanceof InterruptedError)) throw error;
    terminal.warn('Interrupted. Nothing was written.');
    return EXIT.failed;
  }
};

/** How to continue after a failed step. */
const howToContinue = ({ link }: InitOptions): string =>
  `\nTo change an answer, edit the file. To continue: contact-sync init${link === undefined ? '' : ` --link ${link}`}`;

type Unsigned = { readonly link: LinkConfig; readonly side: Side };

/** The sides that have no token yet. */
const findUnsigned = (terminal: Terminal, options: InitOptions): Promise<readonly Unsigned[]> =>
  withApp(terminal, options.link, options, async ({ app, links }) => {
    const found: Unsigned[] = [];
    for (const link of links) {
      const digests = await app.credentials(link);
      found.push(...SIDES.filter((side) => digests[side] === null).map((side) => ({ link, side })));
    }
    return found;
  });

/** Signs in at each side without a token; stops at the first sign-in that fails. */
const signIn = async (terminal: Terminal, options: InitOptions): Promise<ExitCode> => {
  for (const { link, side } of await findUnsigned(terminal, options)) {
    const { name, place } = link.sides[side];
    heading(terminal, `Sign in at ${place}`);
    const code = await connect(terminal, name, link.name, { ...options, printsNext: false });
    if (code === EXIT.done) continue;
    terminal.print(howToContinue(options));
    return code;
  }
  return EXIT.done;
};

/** Checks the new configuration, and shows the plan of the first sync if no check failed. */
const finish = async (terminal: Terminal, options: InitOptions): Promise<ExitCode> => {
  heading(terminal, 'Check (contact-sync doctor)');
  const code = await doctor(terminal, options.link, options);
  if (code !== EXIT.done) {
    terminal.print(howToContinue(options));
    return code;
  }
  heading(terminal, 'Plan of the first sync (contact-sync plan)');
  const planned = await plan(terminal, options.link, { ...options, showsReview: true });
  terminal.print('\nNothing was written at either side.');
  if (planned === EXIT.done) {
    const links = chooseLinks(readConfig(options).config, options.link);
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
  const path = configFileOf(options);
  const code = await setUp(terminal, options, path);
  if (code !== null) return code;
  const here = { ...options, config: path };
  const signedIn = options.yes ? EXIT.done : await signIn(terminal, here);
  return signedIn === EXIT.done ? finish(terminal, here) : signedIn;
};

const INIT_HELP = `
init asks its questions on a terminal. Variables that are set (GOOGLE_CLIENT_ID, ...) are offered as answers; with --yes
they are the only source. If the file exists, init keeps it and continues with the sign-in; with --yes it ends. A new configuration has firstSync: review, unless you decline: the first sync then waits for sync --accept-first.`;

/** The option that chooses the provider of a side. */
const providerOption = (side: Side): Option =>
  new Option(`--${side} <PROVIDER>`, `provider of the ${side} side`).choices(PROVIDER_NAMES);

/** Defines `init`. */
export const define: Define = (command, call) => {
  command
    .addOption(providerOption('left'))
    .addOption(providerOption('right'))
    .option('--no-browser', 'only print the address to sign in at')
    .addOption(portOption())
    .option('--link <NAME>', 'add a link in a file of its own, links/NAME.yaml next to the configuration file')
    .option('-y, --yes', 'ask nothing and do not sign in')
    .addHelpText('after', INIT_HELP)
    .addHelpText('after', examples('init', 'init --link ada'))
    .action(actionOf(call, null, init));
};
