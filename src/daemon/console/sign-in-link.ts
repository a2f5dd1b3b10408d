import { createHmac, timingSafeEqual } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { readTextFile } from '../../util/files.ts';

/** What a daemon leaves in DATA_DIR for the command that makes sign-in links: whoever reads it may sign in. */
const pageKey = z.object({
  /** Where the page is: `127.0.0.1:8377`. */
  address: z.string().min(1),
  /** Of this daemon alone; a new one makes another. */
  key: z.string().min(1),
  pid: z.number(),
});
export type PageKey = z.infer<typeof pageKey>;

const VALID_FOR_MS = 5 * 60_000;

/** One for each machine, as the heartbeat. */
const pathIn = (dataDir: string): string => join(dataDir, `console-${hostname()}.json`);

export const writePageKey = async (dataDir: string, key: PageKey): Promise<void> => {
  const draft = `${pathIn(dataDir)}.${key.pid}`;
  await writeFile(draft, JSON.stringify(key), { mode: 0o600 });
  await rename(draft, pathIn(dataDir));
};

/** What the daemon of this machine left; null where none with a page did. */
export const readPageKey = async (dataDir: string): Promise<PageKey | null> => {
  const read = readTextFile(pathIn(dataDir)).then((text): unknown => JSON.parse(text));
  // Of a file that was cut off, as when the machine lost its power, nothing is known.
  const parsed = pageKey.safeParse(await read.catch(() => null));
  return parsed.success ? parsed.data : null;
};

/** Takes back what this process left; another daemon's stays. */
export const removePageKey = async (dataDir: string, pid: number): Promise<void> => {
  if ((await readPageKey(dataDir))?.pid === pid) await rm(pathIn(dataDir), { force: true });
};

const sign = (key: string, text: string): string => createHmac('sha256', key).update(text).digest('base64url');

/** Whether two texts are the same, found out in a time that does not depend on where they differ. */
export const isSameText = (one: string, other: string): boolean => {
  const [left, right] = [one, other].map((text) => createHmac('sha256', 'compared').update(text).digest());
  return left !== undefined && right !== undefined && timingSafeEqual(left, right);
};

/**
 * A pass that signs in once, within some minutes, at the daemon of that key: for one link, or with null for all of them. `id`
 * is of this pass alone.
 */
export const makePass = (
  { key }: Pick<PageKey, 'key'>,
  { nowMs, id, link }: { readonly nowMs: number; readonly id: string; readonly link: string | null },
): string => {
  const text = `${nowMs + VALID_FOR_MS}.${id}${link === null ? '' : `.${link}`}`;
  return `${text}.${sign(key, text)}`;
};

/** The address to open with a pass. */
export const signInLink = ({ address }: Pick<PageKey, 'address'>, pass: string): string => {
  // What listens at every address of the machine is reached by the machine's own.
  const reachable = address.replace(/^(?:0\.0\.0\.0|\[::\])(?=:\d+$)/u, '127.0.0.1');
  return `http://${reachable}/sign-in?pass=${pass}`;
};

/** What a pass opens: one link, or with null all of them. */
type Opened = { readonly link: string | null };

/**
 * Tells what a pass opens, once; null where it is not good. It remembers those that were used for as long as they would be
 * valid.
 */
export const createPassBook = (key: string): { use(pass: string, nowMs: number): Opened | null } => {
  const used = new Map<string, number>();
  return {
    use: (pass, nowMs) => {
      for (const [old, untilMs] of used) if (untilMs < nowMs) used.delete(old);
      const [, text = '', until = '', link = null, signature = ''] =
        /^((\d{1,16})\.[\w-]+(?:\.([\w-]+))?)\.([\w-]+)$/u.exec(pass) ?? [];
      if (text === '' || !isSameText(sign(key, text), signature)) return null;
      if (Number(until) < nowMs || used.has(text)) return null;
      used.set(text, Number(until));
      return { link };
    },
  };
};
