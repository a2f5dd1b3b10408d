const COMMANDS = / Look at `contact-sync [^`]+`; to let [^`]+, run `contact-sync [^`]+`\.$/u;

/** What a halt says has happened (R8), without the commands that let it pass: for whoever presses a button instead. */
export const haltWords = (message: string): string => message.replace(COMMANDS, '');
