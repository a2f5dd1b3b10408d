import type { Command } from 'commander';
import type { Call, Define } from './command/options.ts';

/** A command: its name with its arguments, its description, and the function of its file that defines the rest. */
type Entry = readonly [usage: string, description: string, load: () => Promise<Define>];

/**
 * All commands, in the groups and the order of the help. The help of the program needs only this list. The file of a command
 * is loaded when the command is called, so that the program starts quickly.
 */
const GROUPS: Readonly<Record<string, readonly Entry[]>> = {
  'Start:': [
    [
      'init',
      'Set up a link: write the configuration, sign in, check, and show the first plan.',
      async () => (await import('./setup/init.ts')).defineInit,
    ],
    [
      'connect <SIDE> [LINK]',
      'Sign in to one side, in the browser or with a password, and store its token.',
      async () => (await import('./setup/connect.ts')).defineConnect,
    ],
    [
      'doctor [LINK]',
      'Check configuration, credentials, database, Redis and both sides, with a remedy for each problem.',
      async () => (await import('./setup/doctor.ts')).defineDoctor,
    ],
    ['config', 'Show the configuration.', async () => (await import('./setup/config-show.ts')).defineConfig],
    [
      'demo',
      'Sync two made-up address books. Needs no account and leaves nothing behind.',
      async () => (await import('./demo/demo.ts')).defineDemo,
    ],
    [
      'sandbox',
      'Run local emulators of both sides with sample data, until stopped.',
      async () => (await import('./sandbox/sandbox.ts')).defineSandbox,
    ],
  ],
  'Every day:': [
    [
      'status [LINK]',
      'Show the state of each link, without a request to the sides.',
      async () => (await import('./links/status.ts')).defineStatus,
    ],
    [
      'plan [LINK]',
      'Show what a sync would change. Writes nothing.',
      async () => (await import('./sync/plan.ts')).definePlan,
    ],
    [
      'sync [LINK]',
      'Sync now. The first sync of a link reads both sides in full.',
      async () => (await import('./sync/sync.ts')).defineSync,
    ],
    [
      'conflicts [LINK]',
      'List fields that changed on both sides, with both values and the winner.',
      async () => (await import('./contacts/conflicts.ts')).defineConflicts,
    ],
    [
      'runs [RUN|LINK] [LINK]',
      'List past runs, or show what one run wrote.',
      async () => (await import('./runs/runs.ts')).defineRuns,
    ],
    [
      'explain <CONTACT> [LINK]',
      'Show the history of a contact: what was written, where, when and why.',
      async () => (await import('./contacts/explain.ts')).defineExplain,
    ],
    ['undo <RUN> [LINK]', 'Undo what a run wrote.', async () => (await import('./runs/undo.ts')).defineUndo],
  ],
  'Contacts:': [
    [
      'pair <LEFT> <RIGHT> [LINK]',
      'Declare that two contacts are the same person, or that they are not.',
      async () => (await import('./contacts/pair.ts')).definePair,
    ],
    [
      'retry <ID> [LINK]',
      'Retry refused contacts in the next sync, without waiting.',
      async () => (await import('./sync/retry.ts')).defineRetry,
    ],
    [
      'forget <LINK>',
      'Delete the history, contacts and tokens of a link. Both sides stay unchanged.',
      async () => (await import('./data/forget.ts')).defineForget,
    ],
  ],
  'Daemon:': [
    [
      'daemon',
      'Sync every link on schedule until stopped. Logs to stdout; SIGHUP reloads the configuration.',
      async () => (await import('./daemon/daemon.ts')).defineDaemon,
    ],
    [
      'health',
      'Report in one line whether the daemon on this machine works. Exits 0 or 1.',
      async () => (await import('./daemon/health.ts')).defineHealth,
    ],
    [
      'console [LINK]',
      "Print a one-time sign-in link for the page of this machine's daemon.",
      async () => (await import('./daemon/console.ts')).defineConsole,
    ],
    ['pause [LINK]', 'Stop scheduled runs of a link.', async () => (await import('./links/pause.ts')).definePause],
    [
      'resume [LINK]',
      'Start the scheduled runs of a paused link again.',
      async () => (await import('./links/pause.ts')).defineResume,
    ],
    [
      'resync [LINK]',
      'Read both sides in full and match again.',
      async () => (await import('./sync/resync.ts')).defineResync,
    ],
  ],
  'Data:': [
    [
      'backup <PATH>',
      'Copy the state in DATA_DIR to a new file. Works while a daemon runs.',
      async () => (await import('./data/backup.ts')).defineBackup,
    ],
    [
      'restore <PATH>',
      'Check a backup and restore it into an empty DATA_DIR.',
      async () => (await import('./data/backup.ts')).defineRestore,
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
      if (isCalled(command.name())) (await load())(command, call);
    }
  }
};
