import { randomBytes, randomUUID } from 'node:crypto';
import { open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import type { Clock } from '../clock.ts';
import { makeDirectory } from '../make-directory.ts';
import { giveToThisUser, isForeign } from '../ownership.ts';
import {
  closeEntry,
  createKeyring,
  entry,
  isCurrent,
  NO_KEY,
  openEntry,
  renewEntry,
  type Credential,
  type KeyOptions,
  type Keys,
} from './credential-entry.ts';
import { CredentialsError } from './errors.ts';
import { readTextFile } from '../regular-file.ts';

export type { Credential } from './credential-entry.ts';

const fileSchema = z.object({
  version: z.literal(1),
  /** For keys that are made of a passphrase. */
  salt: z.base64(),
  /** By the link's name, then by the name of its side. */
  links: z.record(z.string(), z.record(z.string(), entry)),
});
type File = z.output<typeof fileSchema>;

type VaultOptions = KeyOptions & { readonly path: string; readonly clock: Clock };

/** A stored token, by the names of its link and side. */
export type TokenName = { readonly link: string; readonly side: string };

/** Where the tokens of `connect` are kept: in a file beside the database, or in it. A link's side is known by its name there. */
export type Vault = {
  /** The file, or the database, for people. */
  readonly place: string;
  /** The setting that says where it is. */
  readonly setting: 'DATA_DIR' | 'DATABASE_URL';
  /** Null where nothing was stored. Throws {@link CredentialsError} where it cannot be opened. */
  read(link: string, side: string): Promise<Credential | null>;
  /** Whether the token is stored encrypted with the key of now. */
  isSealed(link: string, side: string): Promise<boolean>;
  /** Stores one, and encrypts with the key of now whatever can be opened. Throws {@link CredentialsError}. */
  save(link: string, side: string, credential: Credential): Promise<void>;
  /** Every token that is stored, whether it can be opened or not. */
  names(): Promise<readonly TokenName[]>;
  /** Forgets the tokens of a link. Throws {@link CredentialsError}. */
  remove(link: string): Promise<void>;
};

const remedyOf = (cause: unknown, path: string): string => {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown error';
  if (!isForeign(code)) return `Check the disk and its mount (${code}).`;
  return `Change its owner to the user that runs contact-sync (${code}), ${giveToThisUser(path)}`;
};

const SALT_BYTES = 16;

const readText = async (path: string): Promise<string | null> => {
  try {
    return await readTextFile(path);
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return null;
    throw new CredentialsError(`The stored tokens in ${path} cannot be read. ${remedyOf(cause, path)}`, { cause });
  }
};

const parseFile = (text: string, path: string): File => {
  try {
    return fileSchema.parse(JSON.parse(text));
  } catch {
    // Without the cause, which quotes the file.
    throw new CredentialsError(
      `${path} is damaged. Move it away and sign in again to each side: contact-sync connect SIDE LINK`,
    );
  }
};

const readFileOf = async (path: string): Promise<File> => {
  const text = await readText(path);
  if (text !== null) return parseFile(text, path);
  return { version: 1, salt: randomBytes(SALT_BYTES).toString('base64'), links: {} };
};

const formatFile = (file: File): string => `${JSON.stringify(file, null, 2)}\n`;

/** Writes beside the file, then takes its place: a reader sees the old file or the new one, whole. */
const replaceFile = async (path: string, file: File): Promise<void> => {
  const draft = `${path}.${randomUUID()}`;
  try {
    const handle = await open(draft, 'wx', 0o600);
    try {
      await handle.writeFile(formatFile(file));
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, path);
  } catch (cause) {
    await rm(draft, { force: true });
    throw new CredentialsError(`The tokens cannot be stored in ${path}. ${remedyOf(cause, dirname(path))}`, { cause });
  }
};

const LOCK_WAIT_MS = 50;
/** A lock is held for milliseconds; one that is older was left by a process that died. */
const LOCK_LIFE_MS = 5_000;

/** When a lock was made, which its file's own time says; null where it is gone. */
const lockTime = (path: string): Promise<number | null> =>
  stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => null,
  );

const takeLock = async (path: string, clock: Clock): Promise<void> => {
  /** The lock that is waited for, and since when: a file's time may lie in the future. */
  const seen = { takenAtMs: 0, sinceMs: 0 };
  for (;;) {
    try {
      await (await open(path, 'wx', 0o600)).close();
      return;
    } catch (cause) {
      if (!(cause instanceof Error && 'code' in cause && cause.code === 'EEXIST')) {
        throw new CredentialsError(`No token can be stored at ${path}. ${remedyOf(cause, dirname(path))}`, { cause });
      }
    }
    const takenAtMs = await lockTime(path);
    if (takenAtMs !== null && takenAtMs !== seen.takenAtMs)
      Object.assign(seen, { takenAtMs, sinceMs: clock.monotonic() });
    const ageMs = Math.max(clock.now() - (takenAtMs ?? Infinity), clock.monotonic() - seen.sinceMs);
    if (takenAtMs !== null && ageMs > LOCK_LIFE_MS) await removeLock(path, takenAtMs, clock);
    else await clock.sleep(LOCK_WAIT_MS);
  }
};

const underLock = async <T>(path: string, clock: Clock, work: () => Promise<T>): Promise<T> => {
  await takeLock(path, clock);
  try {
    return await work();
  } finally {
    await rm(path, { force: true });
  }
};

/** Removes a lock that was made then. Of several who wait for it one does so: the lock that comes next is not removed with it. */
const removeLock = (path: string, takenAtMs: number, clock: Clock): Promise<void> =>
  underLock(`${path}.old`, clock, async () => {
    if ((await lockTime(path)) === takenAtMs) await rm(path, { force: true });
  });

const renewAll = (file: File, keys: Keys): File => {
  const links = Object.entries(file.links).map(([link, stored]) => {
    const renewed = Object.entries(stored).map(([side, one]) => [side, renewEntry(one, link, side, keys)] as const);
    return [link, Object.fromEntries(renewed)] as const;
  });
  return { ...file, links: Object.fromEntries(links) };
};

/**
 * The text of a vault's file for a copy of it, without the tokens that are not encrypted unless `plain`, and which those
 * are; the text is null where no token was stored.
 *
 * @throws {CredentialsError} where the file cannot be read.
 */
export const exportTokens = async (
  path: string,
  { plain }: { readonly plain: boolean },
): Promise<{ readonly text: string | null; readonly leftOut: readonly TokenName[] }> => {
  const text = await readText(path);
  if (text === null) return { text, leftOut: [] };
  const file = parseFile(text, path);
  const leftOut: TokenName[] = [];
  const links = Object.entries(file.links).map(([link, sides]) => {
    const kept = Object.entries(sides).filter(([side, stored]) => {
      if (plain || 'sealed' in stored) return true;
      leftOut.push({ link, side });
      return false;
    });
    return [link, Object.fromEntries(kept)] as const;
  });
  return { text: formatFile({ ...file, links: Object.fromEntries(links) }), leftOut };
};

/** A vault's file as rows, for a copy of it. */
export type TokenRows = {
  /** Null where there is no file. */
  readonly salt: string | null;
  readonly tokens: readonly (TokenName & { readonly sealedJson: string })[];
};

/**
 * The sealed tokens of a vault's file.
 *
 * @throws {CredentialsError} where the file cannot be read, or holds one that is not encrypted: such a one stays where it is.
 */
export const readTokenRows = async (path: string): Promise<TokenRows> => {
  const text = await readText(path);
  if (text === null) return { salt: null, tokens: [] };
  const { salt, links } = parseFile(text, path);
  const tokens = Object.entries(links).flatMap(([link, sides]) =>
    Object.entries(sides).map(([side, stored]) => {
      if ('sealed' in stored) return { link, side, sealedJson: JSON.stringify(stored.sealed) };
      throw new CredentialsError(
        `The ${side} token of the link ${link} in ${path} is not encrypted, and is not copied so. Set CREDENTIALS_KEY, and ` +
          `CREDENTIALS_KEY_OLD=${NO_KEY}, run contact-sync doctor, which encrypts it, and copy again.`,
      );
    }),
  );
  return { salt, tokens };
};

/** Makes a vault's file of such rows; nothing where there are none. Throws {@link CredentialsError}. */
export const writeTokenRows = async (path: string, { salt, tokens }: TokenRows): Promise<void> => {
  if (salt === null) return;
  const links = Object.groupBy(tokens, ({ link }) => link);
  const sidesOf = (of: TokenRows['tokens']) =>
    Object.fromEntries(of.map(({ side, sealedJson }) => [side, { sealed: JSON.parse(sealedJson) as unknown }]));
  const draft = Object.entries(links).map(([link, of = []]) => [link, sidesOf(of)] as const);
  await replaceFile(path, fileSchema.parse({ version: 1, salt, links: Object.fromEntries(draft) }));
};

/** Opens the vault in a file; reads and writes nothing yet. */
export const openVault = (options: VaultOptions): Vault => {
  const { path, clock } = options;
  const keysFor = createKeyring(options);
  const change = async (edit: (file: File, keys: Keys) => File): Promise<void> => {
    makeDirectory(dirname(path));
    await underLock(`${path}.lock`, clock, async () => {
      const file = await readFileOf(path);
      await replaceFile(path, edit(file, await keysFor(file.salt)));
    });
  };
  const find = async (link: string, side: string) => {
    const file = await readFileOf(path);
    const sides = new Map(Object.entries(file.links)).get(link) ?? {};
    const stored = new Map(Object.entries(sides)).get(side);
    return stored === undefined ? null : { stored, keys: await keysFor(file.salt) };
  };
  return {
    place: path,
    setting: 'DATA_DIR',
    read: async (link, side) => {
      const found = await find(link, side);
      if (found === null) return null;
      const opened = openEntry(found.stored, link, side, found.keys);
      // So a changed key is taken up by whatever runs next; a directory that cannot be written keeps the old one.
      if (found.keys.current !== null && !isCurrent(found.stored, found.keys)) {
        await change(renewAll).catch((error: unknown) => {
          if (!(error instanceof CredentialsError)) throw error;
        });
      }
      return opened;
    },
    isSealed: async (link, side) => {
      const found = await find(link, side);
      return found !== null && 'sealed' in found.stored && isCurrent(found.stored, found.keys);
    },
    names: async () => {
      const { links } = await readFileOf(path);
      return Object.entries(links).flatMap(([link, sides]) => Object.keys(sides).map((side) => ({ link, side })));
    },
    remove: (link) =>
      change((file) => {
        const { [link]: _, ...links } = file.links;
        return { ...file, links };
      }),
    save: (link, side, opened) =>
      change((file, keys) => {
        const renewed = renewAll(file, keys);
        const sides = { ...renewed.links[link], [side]: closeEntry(opened, link, side, keys) };
        return { ...renewed, links: { ...renewed.links, [link]: sides } };
      }),
  };
};
