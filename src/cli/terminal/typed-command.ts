import type { PlaceOptions } from '../command/configuration.ts';
import { IS_INSTALLED } from '../../util/package.ts';
import { shellWord } from '../../util/printable.ts';
import type { Terminal } from './terminal.ts';

/** The words that start this program: a checkout has no command on the PATH. */
export const TYPED_COMMAND = IS_INSTALLED ? 'contact-sync' : 'npm run -s contact-sync --';

/** The command with the option for the configuration, so that a printed command uses the same one. */
export const withConfig = (command: string, { config }: PlaceOptions): string =>
  config === undefined ? command : `${command} --config ${shellWord(config)}`;

/**
 * A terminal that prints commands as they are typed on this machine: `contact-sync plan` in a text is printed as
 * `npm run -s contact-sync -- plan`. Only the commands of `names` are replaced, and JSON documents stay unchanged.
 */
export const withTypedCommands = (terminal: Terminal, names: readonly string[], command: string): Terminal => {
  const pattern = new RegExp(`(?<![\\w./@-])contact-sync(?= (?:${names.join('|')})\\b)`, 'gu');
  const typed = (text: string): string => (text.startsWith('{"') ? text : text.replaceAll(pattern, () => command));
  return {
    ...terminal,
    print: (text) => terminal.print(typed(text)),
    warn: (text) => terminal.warn(typed(text)),
  };
};
