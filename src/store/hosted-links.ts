import { z } from 'zod';
import { createKeyring, type KeyOptions } from './credential-entry.ts';
import { seal, unseal, type Sealed } from './credential-key.ts';
import { CredentialsError } from './errors.ts';
import type { HostedRows } from './hosted.ts';

/** The values of a link's section of the configuration file, as JSON. */
export type LinkSettings = Readonly<Record<string, unknown>>;

/** A link whose settings are stored in the database. */
export type StoredLink = {
  readonly name: string;
  /** Null where they cannot be opened; then `fault` is the reason with its remedy. */
  readonly settings: LinkSettings | null;
  readonly fault: string | null;
};

/** The links whose settings are stored in the database, sealed. */
export type HostedLinks = {
  /** Grows with each change; 0 before the first. */
  revision(): Promise<number>;
  /** Every link, by name. */
  all(): Promise<readonly StoredLink[]>;
  /** Adds a link. Returns whether none was stored under that name. Throws {@link CredentialsError} without a key. */
  add(name: string, settings: LinkSettings): Promise<boolean>;
  /**
   * Replaces a link's settings by the result of `change`. Returns whether any were stored. If another process replaces them in the
   * meantime, `change` is called again with the new ones. Throws {@link CredentialsError} and the errors of `change`.
   */
  change(name: string, change: (settings: LinkSettings) => Promise<LinkSettings>): Promise<boolean>;
  /** Deletes a link. Returns whether one was stored under that name. */
  drop(name: string): Promise<boolean>;
};

type HostedLinksOptions = KeyOptions & { readonly rows: HostedRows };

const settingsSchema = z.record(z.string(), z.unknown());

/** The owner of sealed settings. No link with a side has such a name. */
const ownerOf = (name: string): string => `settings of ${name}`;

const ofAnotherKey = (keyId: string): string =>
  `is encrypted with another key (${keyId}) than CREDENTIALS_KEY. Set the key that it was stored with, or give that one as ` +
  'CREDENTIALS_KEY_OLD where the key was changed.';

/** Seals the settings of links, and opens them. */
const createSettingsSeal = (options: HostedLinksOptions) => {
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

/** Opens the links that are stored in a database. The first use sends the first statement. */
export const openHostedLinks = (options: HostedLinksOptions): HostedLinks => {
  const { rows } = options;
  const { open, close, isCurrent } = createSettingsSeal(options);
  /** Seals settings again if the key has changed. */
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
