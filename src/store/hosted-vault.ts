import type { Clock } from '../clock.ts';
import { closeEntry, createKeyring, isCurrent, openEntry, type Entry, type KeyOptions } from './credential-entry.ts';
import type { Vault } from './credentials.ts';
import { CredentialsError } from './errors.ts';
import type { HostedRows, TokenRow } from './hosted.ts';

export type HostedVaultOptions = KeyOptions & {
  readonly rows: HostedRows;
  readonly clock: Clock;
};

/** A run asks for the tokens of a link several times as it begins: those of so short a time ago are the same ones. */
const KEPT_MS = 1_000;
const MOST_KEPT = 100;

/** Remembers the tokens of a link for a moment. */
const createMemory = ({ rows, clock }: HostedVaultOptions) => {
  const kept = new Map<string, { readonly atMs: number; readonly tokens: Promise<readonly TokenRow[]> }>();
  return {
    tokens: (link: string): Promise<readonly TokenRow[]> => {
      const nowMs = clock.monotonic();
      const known = kept.get(link);
      if (known !== undefined && nowMs - known.atMs < KEPT_MS) return known.tokens;
      if (kept.size >= MOST_KEPT) kept.clear();
      const tokens = rows.tokens(link);
      kept.set(link, { atMs: nowMs, tokens });
      tokens.catch(() => kept.delete(link));
      return tokens;
    },
    forget: (link: string): void => void kept.delete(link),
  };
};

/** The vault in a database that many hosts share: a token is stored there sealed, or not at all. */
export const openHostedVault = (options: HostedVaultOptions): Vault => {
  const { rows } = options;
  const { place } = rows;
  const keysFor = createKeyring(options);
  const memory = createMemory(options);
  const keys = async () => keysFor(await rows.salt());
  const find = async (link: string, side: string): Promise<TokenRow | null> =>
    (await memory.tokens(link)).find((row) => row.side === side) ?? null;
  const close = async (...of: readonly [opened: Parameters<typeof closeEntry>[0], link: string, side: string]) => {
    const entry: Entry = closeEntry(...of, await keys());
    if ('sealed' in entry) return entry.sealed;
    throw new CredentialsError(`No token is stored in ${place} without CREDENTIALS_KEY. Set it.`);
  };
  return {
    place,
    setting: 'DATABASE_URL',
    read: async (link, side) => {
      const found = await find(link, side);
      if (found === null) return null;
      const opened = openEntry(found, link, side, await keys());
      // So a changed key is taken up by whatever runs next.
      if (!isCurrent(found, await keys())) {
        await rows.swapToken(link, side, found.sealed, await close(opened, link, side));
        memory.forget(link);
      }
      return opened;
    },
    isSealed: async (link, side) => {
      const found = await find(link, side);
      return found !== null && isCurrent(found, await keys());
    },
    names: () => rows.tokenNames(),
    remove: async (link) => {
      await rows.dropTokens(link);
      memory.forget(link);
    },
    save: async (link, side, opened) => {
      await rows.putToken(link, side, await close(opened, link, side));
      memory.forget(link);
    },
  };
};
