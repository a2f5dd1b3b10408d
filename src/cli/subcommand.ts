import type { Command } from 'commander';
import { nearestWord } from '../app/config/nearest.ts';
import type { ExitCode } from './exit-codes.ts';
import { UnknownLinkError, UsageError } from './usage-error.ts';

/** A subcommand is suggested if at most this many letters differ. */
const FARTHEST_HINT = 2;

/**
 * Runs a command that takes a link and has subcommands too, such as `duplicates` with `duplicates merge`. A misspelled
 * subcommand looks like a link name, so an error about it names the nearest subcommand.
 *
 * @throws {UsageError} if there are more words than the link.
 */
export const orSubcommand = async (command: Command, run: () => Promise<ExitCode>): Promise<ExitCode> => {
  const [word = '', ...others] = command.args;
  const names = command.commands.map((each) => each.name());
  const near = nearestWord(word, names, FARTHEST_HINT);
  const hint = near === null ? '' : ` Did you mean: contact-sync ${command.name()} ${near}?`;
  if (others.length > 0) {
    throw new UsageError(`There is no command \`${command.name()} ${word}\`.${hint}`);
  }
  try {
    return await run();
  } catch (error) {
    if (error instanceof UnknownLinkError && near !== null) throw new UsageError(`${error.message}${hint}`);
    throw error;
  }
};
