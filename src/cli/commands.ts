import type { Command } from 'commander';
import type { Call } from './command/options.ts';
import { addContactCommands } from './contact-commands.ts';
import { addDaemonCommands } from './daemon-commands.ts';
import { addDailyCommands } from './daily-commands.ts';
import { addDataCommands } from './data-commands.ts';
import { addStartCommands } from './start-commands.ts';

/** The groups of the help, in its order. */
const GROUPS = [
  ['Start:', addStartCommands],
  ['Every day:', addDailyCommands],
  ['Contacts:', addContactCommands],
  ['Daemon:', addDaemonCommands],
  ['Data:', addDataCommands],
] as const;

/** Every command with its arguments, options and help, except those about the shell. */
export const addCommands = (program: Command, call: Call): void => {
  for (const [group, add] of GROUPS) {
    program.commandsGroup(group);
    add(program, call);
  }
};
