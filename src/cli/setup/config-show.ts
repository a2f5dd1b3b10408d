import { readConfig, type Config } from '../../app/config/config.ts';
import type { EffectiveSetting } from '../../app/config/settings.ts';
import { keyLines } from '../../app/config/yaml.ts';
import { readTextFileSync } from '../../util/files.ts';
import { loadOptionsOf, chooseLinks } from '../command/configuration.ts';
import { EXIT, type ExitCode } from '../command/exit-codes.ts';
import { examples, JSON_OPTION, setFailureDocument, withLinks, type Define } from '../command/options.ts';
import type { CommonOptions } from '../command/with-app.ts';
import { formatTable } from '../terminal/layout.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { z } from 'zod';

/** The JSON document of `config show`. */
export const SettingsDocument = z.strictObject({
  settings: z.array(
    z.strictObject({
      link: z.string().nullable(),
      key: z.string(),
      value: z.string().nullable(),
      secret: z.boolean(),
      set: z.boolean(),
      source: z.enum(['default', 'option', 'variable', 'file', 'secret file']),
      where: z.string().nullable(),
    }),
  ),
});

/** Defaults that depend on the machine or on other settings, and the option that sets one of them. */
const withComputed = (setting: EffectiveSetting, config: Config, options: CommonOptions): EffectiveSetting => {
  if (setting.link !== null) return setting;
  if (setting.key === 'dataDir') {
    const isOption = options.dataDir !== undefined;
    const source = isOption ? ({ source: 'option', where: '--data-dir' } as const) : {};
    return { ...setting, ...source, value: config.dataDir, isSet: true };
  }
  return setting;
};

/** The place in the configuration file, as `<file>:<line>`. */
const withLine = (setting: EffectiveSetting, file: string, lines: ReadonlyMap<string, number>): EffectiveSetting => {
  // The file of a link is already named.
  if (setting.source !== 'file' || setting.where?.startsWith('links/')) return setting;
  const line = lines.get(setting.where ?? '');
  return { ...setting, where: line === undefined ? file : `${file}:${line}` };
};

const valueText = ({ value, isSet, isSecret }: EffectiveSetting): string => {
  if (!isSet) return 'not set';
  return isSecret ? 'set (hidden)' : (value ?? '');
};

const sourceText = ({ source, where }: EffectiveSetting): string => {
  switch (source) {
    case 'default':
      return 'default';
    case 'secret file':
      return `secret file ${where ?? ''}`;
    case 'option':
    case 'variable':
    case 'file':
      return where ?? source;
  }
};

const documentOf = ({ link, key, value, isSecret, isSet, source, where }: EffectiveSetting) => ({
  link,
  key,
  value,
  secret: isSecret,
  set: isSet,
  source,
  where,
});

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
  const { config, effective, misspelt } = readConfig(loadOptionsOf(options));
  if (misspelt !== null) terminal.warn(misspelt);
  const names = new Set(chooseLinks(config, linkName).map(({ name }) => name));
  const { file } = config;
  const lines = file === null ? new Map<string, number>() : keyLines(readTextFileSync(file));
  const settings = effective()
    .filter(({ link }) => (link === null ? linkName === undefined : names.has(link)))
    .map((setting) => withLine(withComputed(setting, config, options), file ?? '', lines));
  if (options.json) {
    terminal.print(JSON.stringify({ settings: settings.map(documentOf) }));
    return EXIT.done;
  }
  terminal.print(file === null ? 'No configuration file.' : `Configuration file: ${file}`);
  printTables(terminal, settings);
  return EXIT.done;
};

/** Defines `config show`. */
export const defineConfig: Define = (command, call) => {
  command.helpCommand(false).addHelpText('after', examples('config show'));
  withLinks(
    command.command('show').description('Show the value of every setting and where it comes from. Secrets are hidden.'),
  )
    .option(...JSON_OPTION)
    .addHelpText('after', examples('config show', 'config show work --json'))
    .action((link: string | undefined, options: CommonOptions) => {
      setFailureDocument(call, options, { settings: [] });
      call.code = showConfig(call.terminal, link, options);
    });
};
