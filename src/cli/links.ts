import { ConfigError } from '../util/config-error.ts';
import type { Config, LinkConfig } from '../app/config/config.ts';
import { nearestWord } from '../app/config/nearest.ts';
import { UnknownLinkError } from './usage-error.ts';

/** So many letters of a link's name may be wrong for it to be guessed. */
const FARTHEST_HINT = 2;

/**
 * The links that a command works on: the one that was named, else all.
 *
 * @throws {UnknownLinkError} if there is no link of that name.
 * @throws {ConfigError} where the database keeps it, and it cannot be used as it is.
 */
export const chooseLinks = ({ links, faultyLinks }: Config, name: string | undefined): readonly LinkConfig[] => {
  if (name === undefined) return links;
  const chosen = links.filter((link) => link.name === name);
  if (chosen.length > 0) return chosen;
  const faulty = faultyLinks.find((link) => link.name === name);
  if (faulty !== undefined) throw new ConfigError(faulty.problems);
  const names = links.map((link) => link.name);
  const near = nearestWord(name, names, FARTHEST_HINT);
  const hint = near === null ? '' : ` Did you mean ${near}?`;
  throw new UnknownLinkError(`There is no link named ${name}.${hint} The configuration has: ${names.join(', ')}.`);
};
