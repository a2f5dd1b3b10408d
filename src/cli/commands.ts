import type { Command } from 'commander';
import type { Call, Define } from './command/options.ts';

/** A command: its name with its arguments, its description, and the file whose function `define` defines the rest. */
type Entry = readonly [usage: string, description: string, load: () => Promise<{ readonly define: Define }>];

/**
 * All commands, in the groups and the order of the help. The help of the program needs only this list. The file of a command
 * is loaded when the command is called, so that the program starts quickly.
 */
const GROUPS: Readonly<Record<string, readonly Entry[]>> = {
  'Start:': [
    [
      'init',
      'Set up a link: write the configuration, sign in, check, and show the first plan.',
      () => import('./setup/init.ts'),
    ],
    [
      'connect <SIDE> [LINK]',
      'Sign in to one side, in the browser or with a password, and store its token.',
      () => import('./setup/connect.ts'),
    ],
    [
      'doctor [LINK]',
      'Check configuration, credentials, database, Redis and both sides, with a remedy for each problem.',
      () => import('./setup/doctor.ts'),
    ],
    ['config', 'Show the configuration.', () => import('./setup/config-show.ts')],
    [
      'demo',
      'Sync two made-up address books. Needs no account and leaves nothing behind.',
      () => import('./demo/demo.ts'),
    ],
    [
      'sandbox',
      'Run local emulators of both sides with sample data, until stopped.',
      () => import('./sandbox/sandbox.ts'),
    ],
  ],
  'Every day:': [
    [
      'status [LINK]',
      'Show the state of each link, without a request to the sides.',
      () => import('./links/status.ts'),
    ],
    ['plan [LINK]', 'Show what a sync would change. Writes nothing.', () => import('./sync/plan.ts')],
    ['sync [LINK]', 'Sync now. The first sync of a link reads both sides in full.', () => import('./sync/sync.ts')],
    [
      'conflicts [LINK]',
      'List fields that changed on both sides, with both values and the winner.',
      () => import('./contacts/conflicts.ts'),
    ],
    ['runs [RUN|LINK] [LINK]', 'List past runs, or show what one run wrote.', () => import('./runs/runs.ts')],
    [
      'explain <CONTACT> [LINK]',
      'Show the history of a contact: what was written, where, when and why.',
      () => import('./contacts/explain.ts'),
    ],
    ['undo <RUN> [LINK]', 'Undo what a run wrote.', () => import('./runs/undo.ts')],
  ],
  'Contacts:': [
    [
      'pair <LEFT> <RIGHT> [LINK]',
      'Declare that two contacts are the same person, or that they are not.',
      () => import('./contacts/pair.ts'),
    ],
    ['retry <ID> [LINK]', 'Retry refused contacts in the next sync, without waiting.', () => import('./sync/retry.ts')],
    [
      'forget <LINK>',
      'Delete the history, contacts and tokens of a link. Both sides stay unchanged.',
      () => import('./data/forget.ts'),
    ],
  ],
  'Daemon:': [
    [
      'daemon',
      'Sync every link on schedule until stopped. Logs to stdout; SIGHUP reloads the configuration.',
      () => import('./daemon/daemon.ts'),
    ],
    [
      'health',
      'Report in one line whether the daemon on this machine works. Exits 0 or 1.',
      () => import('./daemon/health.ts'),
    ],
    [
      'console [LINK]',
      "Print a one-time sign-in link for the page of this machine's daemon.",
      () => import('./daemon/console.ts'),
    ],
    ['pause [LINK]', 'Stop scheduled runs of a link.', () => import('./links/pause.ts')],
    [
      'resume [LINK]',
      'Start the scheduled runs of a paused link again.',
      async () => ({ define: (await import('./links/pause.ts')).defineResume }),
    ],
    ['resync [LINK]', 'Read both sides in full and match again.', () => import('./sync/resync.ts')],
  ],
  'Data:': [
    [
      'backup <PATH>',
      'Copy the state in DATA_DIR to a new file. Works while a daemon runs.',
      () => import('./data/backup.ts'),
    ],
    [
      'restore <PATH>',
      'Check a backup and restore it into an empty DATA_DIR.',
      async () => ({ define: (await import('./data/backup.ts')).defineRestore }),
    ],
  ],
};

const ENTRIES = Object.values(GROUPS).flat();
const nameOf = ([usage]: Entry): string => usage.replace(/ .*$/u, '');

/** The names of all commands. */
export const COMMAND_NAMES: readonly string[] = ENTRIES.map(nameOf);

/** A command with its arguments, such as `undo <RUN> [LINK]`; null for a name that is not a command. */
export const usageOf = (name: string): string | null => ENTRIES.find((entry) => nameOf(entry) === name)?.[0] ?? null;

/** Adds all commands with their group and description. Commands that `isCalled` selects are defined in full. */
export const addCommands = async (program: Command, call: Call, isCalled: (name: string) => boolean): Promise<void> => {
  for (const [title, entries] of Object.entries(GROUPS)) {
    program.commandsGroup(title);
    for (const entry of entries) {
      const [, description, load] = entry;
      const command = program.command(nameOf(entry)).description(description);
      if (isCalled(command.name())) (await load()).define(command, call);
    }
  }
};
