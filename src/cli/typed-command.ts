import { IS_INSTALLED } from '../config/home.ts';

/** How this program is started by whoever reads its texts: a checkout has no command of its own on the PATH. */
export const TYPED_COMMAND = IS_INSTALLED ? 'contact-sync' : 'npm run -s contact-sync --';

/** Every command; what follows the program's name in a text is one of them, or the text only speaks of the program. */
export const COMMAND_NAMES = [
  'init',
  'sync',
  'resync',
  'plan',
  'status',
  'conflicts',
  'undo',
  'explain',
  'daemon',
  'health',
  'connect',
  'doctor',
  'sandbox',
  'demo',
  'completion',
  'man',
  'help',
] as const;

const COMMAND = new RegExp(`(?<![\\w./@-])contact-sync(?= (?:${COMMAND_NAMES.join('|')})\\b)`, 'gu');

/** A text of the program with its commands as they are typed here: `npm run -s contact-sync -- plan` for `contact-sync plan`. */
export const asTyped = (text: string, command: string): string => text.replaceAll(COMMAND, command);
