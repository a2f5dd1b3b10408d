import { rm } from 'node:fs/promises';
import { z } from 'zod';
import { giveToThisUser, isForeign, readTextFile } from '../util/files.ts';
import { entry } from './credential-entry.ts';
import { CredentialsError } from './errors.ts';
import type { HostedRows } from './hosted.ts';
import { errorCode } from '../util/errors.ts';

// Earlier versions stored the tokens in a file next to the SQLite database.

/** Its name in DATA_DIR. */
export const TOKEN_FILE = 'credentials.json';

const fileSchema = z.object({
  version: z.literal(1),
  /** The salt of keys that are derived from a passphrase. */
  salt: z.base64(),
  /** By the link's name, then by the name of its side. */
  links: z.record(z.string(), z.record(z.string(), entry)),
});

const remedyOf = (cause: unknown, path: string): string => {
  const code = errorCode(cause) ?? 'unknown error';
  if (!isForeign(code)) return `Check the disk and its mount (${code}).`;
  return `Change its owner to the user that runs contact-sync (${code}), ${giveToThisUser(path)}`;
};

const readFile = async (path: string): Promise<string | null> => {
  try {
    return await readTextFile(path);
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT') return null;
    throw new CredentialsError(`The stored tokens in ${path} cannot be read. ${remedyOf(cause, path)}`, { cause });
  }
};

const parseFile = (text: string, path: string): z.output<typeof fileSchema> => {
  try {
    return fileSchema.parse(JSON.parse(text));
  } catch {
    // Without the cause, which quotes the file.
    throw new CredentialsError(
      `${path} is damaged. Move it away and sign in again to each side: contact-sync connect SIDE LINK`,
    );
  }
};

/**
 * Moves the tokens of a file of an earlier version into the database, all in one step, and removes the file; does nothing
 * where there is none. Where it is interrupted, the next call ends it.
 *
 * @throws {CredentialsError} where the file cannot be read or removed, or its keys have another salt than the database.
 */
export const importTokenFile = async (rows: HostedRows, path: string): Promise<void> => {
  const text = await readFile(path);
  if (text === null) return;
  const { salt, links } = parseFile(text, path);
  const tokens = Object.entries(links).flatMap(([link, sides]) =>
    Object.entries(sides).map(([side, stored]) => ({ link, side, entry: stored })),
  );
  if (!(await rows.importTokens(salt, tokens))) {
    throw new CredentialsError(
      `The tokens in ${path} belong to another database than ${rows.place}. Move the file away and sign in again to each ` +
        'side: contact-sync connect SIDE LINK',
    );
  }
  try {
    await rm(path);
    await rm(`${path}.lock`, { force: true });
  } catch (cause) {
    throw new CredentialsError(`${path} cannot be removed. ${remedyOf(cause, path)}`, { cause });
  }
};
