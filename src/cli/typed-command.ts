import { IS_INSTALLED } from '../config/home.ts';
import type { Terminal } from './terminal.ts';

/** How this program is started by whoever reads its texts: a checkout has no command of its own on the PATH. */
export const TYPED_COMMAND = IS_INSTALLED ? 'contact-sync' : 'npm run -s contact-sync --';

/**
 * A terminal on which commands are named as they are typed here: every text says `contact-sync plan`, and a person reads
 * `npm run -s contact-sync -- plan`. What is no command of `names` stays, and so does a JSON document, which is for scripts.
 */
export const withTypedCommands = (terminal: Terminal, names: readonly string[], command: string): Terminal => {
  const pattern = new RegExp(`(?<![\\w./@-])contact-sync(?= (?:${names.join('|')})\\b)`, 'gu');
  const typed = (text: string): string => (text.startsWith('{"') ? text : text.replaceAll(pattern, command));
  return {
    ...terminal,
    print: (text) => terminal.print(typed(text)),
    warn: (text) => terminal.warn(typed(text)),
  };
};
