import { readConfig } from '../../app/config/config.ts';
import type { EffectiveSetting } from '../../app/config/settings.ts';
import { chooseLinks } from '../command/configuration.ts';
import { EXIT, type ExitCode } from '../command/exit-codes.ts';
import { actionOf, examples, JSON_OPTION, withLinks, type Define } from '../command/options.ts';
import type { CommonOptions } from '../command/with-app.ts';
import { formatTable } from '../terminal/layout.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** A setting that has a source is set, although the value of a secret is not shown. */
const isSet = ({ source, value }: EffectiveSetting): boolean => source !== 'default' || value !== null;

const valueText = (setting: EffectiveSetting): string => setting.value ?? (isSet(setting) ? 'set (hidden)' : 'not set');

const sourceText = ({ source, where }: EffectiveSetting): string =>
  source === 'secret file' ? `secret file ${where ?? ''}` : (where ?? source);

const documentOf = (setting: EffectiveSetting) => {
  const { link, key, value, isSecret, source, where } = setting;
  return { link, key, value, secret: isSecret, set: isSet(setting), source, where };
};

const printTables = (terminal: Terminal, settings: readonly EffectiveSetting[]): void => {
  for (const [link, own] of Map.groupBy(settings, (setting) => setting.link)) {
    terminal.print(`\n${terminal.style('bold', link === null ? 'Process' : `Link ${link}`)}`);
    terminal.print(
      formatTable(
        own.map((setting) => [setting.key, valueText(setting), sourceText(setting)]),
        { indent: '  ' },
      ),
    );
  }
};

/** `config show`: prints the effective settings with their sources. Secrets are hidden. */
export const showConfig = (terminal: Terminal, linkName: string | undefined, options: CommonOptions): ExitCode => {
  const { config, effective, misspelt } = readConfig(options);
  if (misspelt !== null) terminal.warn(misspelt);
  const names = new Set(chooseLinks(config, linkName).map(({ name }) => name));
  const { file } = config;
  const settings = effective()
    .filter(({ link }) => (link === null ? linkName === undefined : names.has(link)))
    // The default of DATA_DIR depends on the machine.
    .map((setting) => (setting.key === 'dataDir' ? { ...setting, value: config.dataDir } : setting));
  if (options.json) {
    terminal.print(JSON.stringify({ settings: settings.map(documentOf) }));
    return EXIT.done;
  }
  terminal.print(file === null ? 'No configuration file.' : `Configuration file: ${file}`);
  printTables(terminal, settings);
  return EXIT.done;
};

/** Defines `config show`. */
export const define: Define = (command, call) => {
  command.helpCommand(false).addHelpText('after', examples('config show'));
  withLinks(
    command.command('show').description('Show the value of every setting and where it comes from. Secrets are hidden.'),
  )
    .option(...JSON_OPTION)
    .addHelpText('after', examples('config show', 'config show work --json'))
    .action(actionOf(call, { settings: [] }, showConfig));
};
