import { z } from 'zod';
import { createKeyring, type KeyOptions } from './credential-entry.ts';
import { seal, unseal, type Sealed } from './credential-key.ts';
import { CredentialsError } from './errors.ts';
import type { HostedRows } from './hosted.ts';

/** What stands in a link's section of the configuration file, as JSON. */
export type LinkSettings = Readonly<Record<string, unknown>>;

/** A link whose settings the database keeps. */
export type StoredLink = {
  readonly name: string;
  /** Null where they cannot be opened; `fault` says why and what to do. */
  readonly settings: LinkSettings | null;
  readonly fault: string | null;
};

/** The links that the database keeps, sealed. */
export type LinkShelf = {
  /** Grows with each change; 0 before the first. */
  revision(): Promise<number>;
  /** Every link, by name. */
  all(): Promise<readonly StoredLink[]>;
  /** Answers whether there was none of that name. Throws {@link CredentialsError} without a key. */
  add(name: string, settings: LinkSettings): Promise<boolean>;
  /**
   * Puts in the place of a link's settings what `change` makes of them; answers whether there were any. What somebody else
   * puts there meanwhile is changed in its turn. Throws {@link CredentialsError}, and what `change` throws.
   */
  change(name: string, change: (settings: LinkSettings) => Promise<LinkSettings>): Promise<boolean>;
  /** Answers whether there was one of that name. */
  drop(name: string): Promise<boolean>;
};

export type LinkShelfOptions = KeyOptions & { readonly rows: HostedRows };

const settingsSchema = z.record(z.string(), z.unknown());

/** What sealed settings belong to. No link with a side has such a name. */
const ownerOf = (name: string): string => `settings of ${name}`;

const ofAnotherKey = (keyId: string): string =>
  `is encrypted with another key (${keyId}) than CREDENTIALS_KEY. Set the key that it was stored with, or give that one as ` +
  'CREDENTIALS_KEY_OLD where the key was changed.';

/** Seals the settings of links, and opens them. */
const createSettingsSeal = (options: LinkShelfOptions) => {
  const keysFor = createKeyring(options);
  const keys = async () => keysFor(await options.rows.salt());
  return {
    isCurrent: async ({ keyId }: Sealed): Promise<boolean> => (await keys()).current?.id === keyId,
    close: async (name: string, settings: LinkSettings): Promise<Sealed> => {
      const { current } = await keys();
      if (current !== null) return seal(JSON.stringify(settings), ownerOf(name), current);
      throw new CredentialsError('No link is stored in the database without CREDENTIALS_KEY. Set it.');
    },
    open: async (name: string, sealed: Sealed): Promise<LinkSettings> => {
      const key = (await keys()).known.find(({ id }) => id === sealed.keyId);
      if (key === undefined) throw new CredentialsError(ofAnotherKey(sealed.keyId));
      try {
        return settingsSchema.parse(JSON.parse(unseal(sealed, ownerOf(name), key)));
      } catch {
        throw new CredentialsError(
          `is damaged in the database. Remove it, and add it again: contact-sync links remove ${name}.`,
        );
      }
    },
  };
};

/** The links that a database keeps; it is not asked before the first use. */
export const openLinkShelf = (options: LinkShelfOptions): LinkShelf => {
  const { rows } = options;
  const { open, close, isCurrent } = createSettingsSeal(options);
  /** Takes up a changed key. */
  const renew = async (name: string, sealed: Sealed, settings: LinkSettings): Promise<void> => {
    if (await isCurrent(sealed)) return;
    await rows.swapLinkSettings({ name, sealed: await close(name, settings) }, sealed, { isNews: false });
  };
  const find = async (name: string): Promise<Sealed | null> => (await rows.linkSettings([name]))[0]?.sealed ?? null;
  return {
    revision: () => rows.linksRevision(),
    all: async () => {
      const stored = await rows.linkSettings(null);
      const links: StoredLink[] = [];
      for (const { name, sealed } of stored) {
        try {
          const settings = await open(name, sealed);
          await renew(name, sealed, settings);
          links.push({ name, settings, fault: null });
        } catch (error) {
          if (!(error instanceof CredentialsError)) throw error;
          links.push({ name, settings: null, fault: error.message });
        }
      }
      return links;
    },
    add: async (name, settings) => rows.addLinkSettings({ name, sealed: await close(name, settings) }),
    change: async (name, change) => {
      for (;;) {
        const before = await find(name);
        if (before === null) return false;
        const sealed = await close(name, await change(await open(name, before)));
        if (await rows.swapLinkSettings({ name, sealed }, before, { isNews: true })) return true;
      }
    },
    drop: (name) => rows.dropLinkSettings(name),
  };
};
