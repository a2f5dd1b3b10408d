const COMMANDS = / Look at `contact-sync [^`]+`; to let [^`]+, run `contact-sync [^`]+`\.$/u;

/** The message of a halt (R8) without its commands; the page has buttons instead. */
export const haltWords = (message: string): string => message.replace(COMMANDS, '');
