const COMMANDS = / Review: `contact-sync [^`]+`\. To [^`]+, run `contact-sync [^`]+`\.$/u;

/** The message of a halt (R8) without its commands; the page has buttons instead. */
export const haltWords = (message: string): string => message.replace(COMMANDS, '');
