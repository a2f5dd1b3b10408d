import { createHmac, timingSafeEqual } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { readStateFile, writeStateFile } from '../../util/state-file.ts';

/** The key in DATA_DIR from which `contact-sync console` creates sign-in links. A program that reads it can sign in. */
const pageKey = z.object({
  /** The address of the page, such as `127.0.0.1:8377`. */
  address: z.string().min(1),
  /** The key of this daemon process. */
  key: z.string().min(1),
  pid: z.number(),
});
type PageKey = z.infer<typeof pageKey>;

const VALID_FOR_MS = 5 * 60_000;

/** One file for each machine, like the heartbeat. */
const pathIn = (dataDir: string): string => join(dataDir, `console-${hostname()}.json`);

export const writePageKey = (dataDir: string, key: PageKey): Promise<void> => writeStateFile(pathIn(dataDir), key);

/** Reads the key of the daemon on this machine; null without a daemon with a page. */
export const readPageKey = (dataDir: string): Promise<PageKey | null> => readStateFile(pathIn(dataDir), pageKey);

/** Removes the key of this process; the key of another daemon stays. */
export const removePageKey = async (dataDir: string, pid: number): Promise<void> => {
  if ((await readPageKey(dataDir))?.pid === pid) await rm(pathIn(dataDir), { force: true });
};

const sign = (key: string, text: string): string => createHmac('sha256', key).update(text).digest('base64url');

/** Whether two texts are equal, compared in constant time. */
export const isSameText = (one: string, other: string): boolean => {
  const [left, right] = [one, other].map((text) => createHmac('sha256', 'compared').update(text).digest());
  return left !== undefined && right !== undefined && timingSafeEqual(left, right);
};

/**
 * Creates a pass that signs in once, within {@link VALID_FOR_MS}, at the daemon with this key: for one link, or for all links if
 * `link` is null. `id` must be unique.
 */
export const makePass = (
  { key }: Pick<PageKey, 'key'>,
  { nowMs, id, link }: { readonly nowMs: number; readonly id: string; readonly link: string | null },
): string => {
  const text = `${nowMs + VALID_FOR_MS}.${id}${link === null ? '' : `.${link}`}`;
  return `${text}.${sign(key, text)}`;
};

/** The sign-in address with a pass. */
export const signInLink = ({ address }: Pick<PageKey, 'address'>, pass: string): string => {
  // A server on all addresses is reached at the loopback address.
  const reachable = address.replace(/^(?:0\.0\.0\.0|\[::\])(?=:\d+$)/u, '127.0.0.1');
  return `http://${reachable}/sign-in?pass=${pass}`;
};

/**
 * Creates a check that returns the scope of a valid pass once, otherwise null; the scope is one link, or null for all links. Used
 * passes are stored until they expire.
 */
export const createPassChecker = (key: string) => {
  const used = new Map<string, number>();
  return (pass: string, nowMs: number): { readonly link: string | null } | null => {
    for (const [old, untilMs] of used) if (untilMs < nowMs) used.delete(old);
    const [, text = '', until = '', link = null, signature = ''] =
      /^((\d{1,16})\.[\w-]+(?:\.([\w-]+))?)\.([\w-]+)$/u.exec(pass) ?? [];
    if (text === '' || !isSameText(sign(key, text), signature)) return null;
    if (Number(until) < nowMs || used.has(text)) return null;
    used.set(text, Number(until));
    return { link };
  };
};
