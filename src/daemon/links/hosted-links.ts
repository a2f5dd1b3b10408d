import { ConfigError, type ConfigProblem } from '../../util/config-error.ts';
import type { Config, ReadConfig } from '../../app/config/config.ts';
import { withoutSecrets, type FaultyLink } from '../../app/config/hosted-links.ts';
import type { Clock } from '../../util/clock.ts';
import { SIDES } from '../../core/contact/side.ts';
import { LOOK_EVERY_MS } from './link-changes.ts';
import { openLinkShelf, type LinkSettings, type LinkShelf, type StoredLink } from '../../store/hosted-links.ts';
import { CredentialsError } from '../../store/store.ts';
import { LeaseError } from '../../engine/context.ts';
import type { Revocation } from './forget-link.ts';
import { keysOf, openStoreOf } from '../../app/store.ts';

/** A link as it is listed. */
export type ListedLink = {
  readonly name: string;
  /** Where its settings stand. */
  readonly keptIn: 'file' | 'database';
  /** The names of its sides, the left one first; null where they are not known. */
  readonly sides: readonly [string, string] | null;
  /** Its settings without their secrets; null for a link of the file, and where they cannot be opened. */
  readonly settings: LinkSettings | null;
  /** Why it is left out; empty where it is not. */
  readonly problems: readonly ConfigProblem[];
};

/** What was removed of a link; `tokens` is null where nothing of it was forgotten. */
type RemovedLink = { readonly name: string; readonly tokens: readonly Revocation[] | null };

/** The links that the database keeps cannot be changed so; the message says why and what to do. */
export class HostedLinkError extends Error {
  override readonly name = 'HostedLinkError';
  readonly fault: 'exists' | 'unknown' | 'in the file' | 'busy';

  constructor(fault: HostedLinkError['fault'], message: string, cause?: unknown) {
    super(message, { cause });
    this.fault = fault;
  }
}

/** Links are kept in the database of DATABASE_URL alone. */
export const NO_DATABASE: ConfigProblem = {
  where: 'DATABASE_URL',
  what: 'is not set, and links are stored in that database. Set it, or add the link to the configuration file.',
};

/** How the links that the database keeps are changed. Every method throws StoreError, where the database cannot be used. */
export type LinkManager = {
  /** Every link, of the file and of the database. */
  list(): Promise<readonly ListedLink[]>;
  /** Throws {@link ConfigError} with all that is wrong with the settings, {@link HostedLinkError} where the name is taken. */
  add(name: string, settings: LinkSettings): Promise<ListedLink>;
  /** Changes some settings, as a JSON merge patch (RFC 7396) does: null takes one out. Throws as `add` does. */
  set(name: string, patch: LinkSettings): Promise<ListedLink>;
  /**
   * Takes a link out of the schedule of every host. What is stored of it stays, and is gone on with where it is added again,
   * unless it is to be forgotten. Throws {@link HostedLinkError}, and what forgetting throws.
   */
  remove(name: string, options: { readonly forget: boolean }): Promise<RemovedLink>;
};

export type LinkManagerParts = {
  /** The configuration that links are read with. */
  readonly read: () => ReadConfig;
  readonly shelf: LinkShelf;
  readonly clock: Clock;
  /** Forgets what is stored of a link, whose sides are known from these links; null where nothing is. */
  readonly forget: (name: string, links: Config['links']) => Promise<readonly Revocation[] | null>;
};

/** By then every host has seen that a link is gone, and begins no run of it any more. */
const SEEN_AFTER_MS = 2 * LOOK_EVERY_MS;

const isObject = (value: unknown): value is LinkSettings =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** RFC 7396. */
const mergePatch = (target: unknown, patch: LinkSettings): LinkSettings => {
  const merged = new Map(Object.entries(isObject(target) ? target : {}));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else merged.set(key, isObject(value) ? mergePatch(merged.get(key), value) : value);
  }
  return Object.fromEntries(merged);
};

const listed = ({ name, settings }: StoredLink, { links, faulty }: ReturnType<ReadConfig['readLinks']>): ListedLink => {
  const link = links.find((each) => each.name === name);
  return {
    name,
    keptIn: 'database',
    sides: link === undefined ? null : [link.sides.left.name, link.sides.right.name],
    settings: settings && withoutSecrets(settings),
    problems: faulty.find((each) => each.name === name)?.problems ?? [],
  };
};

/** The links of the configuration file. */
export const listFile = ({ links }: Config): readonly ListedLink[] =>
  links.map(({ name, sides }) => {
    const [left, right] = SIDES.map((side) => sides[side].name);
    return { name, keptIn: 'file', sides: [left ?? '', right ?? ''], settings: null, problems: [] };
  });

/** The link as it would be used. Throws {@link ConfigError} where it could not be. */
const checkLink = async (
  { read, shelf }: LinkManagerParts,
  name: string,
  settings: LinkSettings,
): Promise<ListedLink> => {
  const own: StoredLink = { name, settings, fault: null };
  const { readLinks } = read();
  const alone = readLinks([own]);
  // A token for the page of this link alone opens no other one.
  const hasPage = alone.links.some(({ consoleToken }) => consoleToken !== null);
  const others = hasPage ? (await shelf.all()).filter((each) => each.name !== name) : [];
  const checked = listed(own, hasPage ? readLinks([...others, own]) : alone);
  if (checked.problems.length > 0) throw new ConfigError(checked.problems);
  return checked;
};

type Written = { readonly before: LinkSettings; readonly next: LinkSettings; readonly checked: ListedLink };

const isSame = (one: LinkSettings, other: LinkSettings): boolean => JSON.stringify(one) === JSON.stringify(other);

/**
 * Checks a link that was written: another process may have written one with the same token for the page since it was checked
 * first. Throws {@link ConfigError} after `undo`.
 */
const checkAgain = async (
  parts: LinkManagerParts,
  checked: ListedLink,
  settings: LinkSettings,
  undo: () => Promise<unknown>,
): Promise<ListedLink> => {
  try {
    return await checkLink(parts, checked.name, settings);
  } catch (error) {
    if (error instanceof ConfigError) await undo();
    throw error;
  }
};

/** Runs each work after the one before it has ended. */
const createTurns = () => {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };
};

/** The names for which a work is under way. */
const createNamesInWork = () => {
  const counts = new Map<string, number>();
  const add = (name: string, by: 1 | -1): void => void counts.set(name, (counts.get(name) ?? 0) + by);
  return {
    has: (name: string): boolean => (counts.get(name) ?? 0) > 0,
    during: async <T>(name: string, work: () => Promise<T>): Promise<T> => {
      add(name, 1);
      try {
        return await work();
      } finally {
        add(name, -1);
        if (counts.get(name) === 0) counts.delete(name);
      }
    },
  };
};

/** Removes a link and, when every host has seen that, deletes its stored data. */
const dropAndForget = async (
  { shelf, clock, forget }: LinkManagerParts,
  name: string,
  links: Config['links'],
): Promise<{ readonly isDropped: boolean; readonly tokens: readonly Revocation[] | null }> => {
  const isDropped = await shelf.drop(name);
  if (isDropped) await clock.sleep(SEEN_AFTER_MS);
  if ((await shelf.all()).some((each) => each.name === name)) {
    const what = `Another program added a link named ${name} again, so the stored data was not deleted.`;
    throw new HostedLinkError('busy', `${what} Remove that link too to delete it.`);
  }
  const tokens = await forget(name, links).catch((error: unknown) => {
    if (!(error instanceof LeaseError)) throw error;
    const what = `The link ${name} is removed, but one of its runs has not ended, so its data was not deleted.`;
    throw new HostedLinkError('busy', `${what} Forget it later: contact-sync forget link ${name}`, error);
  });
  return { isDropped, tokens };
};

/** What is done with the links that a database keeps. */
export const manageLinks = (parts: LinkManagerParts): LinkManager => {
  const { read, shelf } = parts;
  const inTurn = createTurns();
  const forgetting = createNamesInWork();
  const refuse = (name: string): never => {
    if (read().config.links.some((each) => each.name === name)) {
      throw new HostedLinkError('in the file', `The link ${name} is in the configuration file. Change it there.`);
    }
    throw new HostedLinkError('unknown', `The database keeps no link named ${name}. See: contact-sync links list.`);
  };
  return {
    list: async () => {
      const stored = await shelf.all();
      const { config, readLinks } = read();
      const found = readLinks(stored);
      return [...listFile(config), ...stored.map((each) => listed(each, found))];
    },
    add: (name, settings) =>
      inTurn(async () => {
        if (forgetting.has(name)) {
          throw new HostedLinkError('busy', `The data of a link named ${name} is being deleted. Add the link later.`);
        }
        const checked = await checkLink(parts, name, settings);
        if (!(await shelf.add(name, settings))) {
          throw new HostedLinkError(
            'exists',
            `The database keeps a link named ${name} already. Choose another name, or change that one: contact-sync links set ${name}.`,
          );
        }
        return checkAgain(parts, checked, settings, () => shelf.drop(name));
      }),
    set: (name, patch) =>
      inTurn(async () => {
        let written: Written | null = null;
        const change = async (before: LinkSettings): Promise<LinkSettings> => {
          const next = mergePatch(before, patch);
          written = { before, next, checked: await checkLink(parts, name, next) };
          return next;
        };
        const isThere = await shelf.change(name, change).catch((error: unknown) => {
          if (!(error instanceof CredentialsError)) throw error;
          throw new ConfigError([{ where: `links.${name}`, what: error.message }]);
        });
        const { before, next, checked } = (isThere ? written : null) ?? refuse(name);
        const undo = async (current: LinkSettings): Promise<LinkSettings> => (isSame(current, next) ? before : current);
        return checkAgain(parts, checked, next, () => shelf.change(name, undo));
      }),
    remove: async (name, options) => {
      const { config, readLinks } = read();
      if (options.forget && config.links.some((each) => each.name === name)) {
        const what = `The link ${name} is in the configuration file too, and the stored data belongs to that one.`;
        throw new HostedLinkError('in the file', `${what} To remove it from the database alone, do not forget it.`);
      }
      const { links } = options.forget ? whole(config, readLinks(await shelf.all())) : config;
      if (!options.forget) return (await shelf.drop(name)) ? { name, tokens: null } : refuse(name);
      const { isDropped, tokens } = await forgetting.during(name, async () => dropAndForget(parts, name, links));
      return tokens === null && !isDropped ? refuse(name) : { name, tokens: tokens ?? [] };
    },
  };
};

const whole = (config: Config, { links, faulty }: ReturnType<ReadConfig['readLinks']>): Config => ({
  ...config,
  links: [...config.links, ...links],
  faultyLinks: faulty,
});

/**
 * The configuration with the links that its database keeps; as it is where it names none.
 *
 * @throws {StoreError} where the database cannot be used.
 */
export const withHostedLinks = async ({ config, readLinks }: ReadConfig, clock: Clock): Promise<Config> => {
  const events = { databaseUnreachable: () => undefined, databaseReconnected: () => undefined };
  if (config.databaseUrl === null) return config;
  const { store, isShared } = openStoreOf({ ...config, concurrency: 1 }, { clock, events, newId: () => '' });
  try {
    if (!isShared) return config;
    return whole(config, readLinks(await openLinkShelf({ rows: store.hosted, ...keysOf(config) }).all()));
  } finally {
    await store.close();
  }
};

/** The configuration of a daemon, as it changes. */
export type LinkSource = {
  /** As it was last read. */
  current(): ReadConfig;
  /** Reads variables and file again; the database's links are those that were last seen. Throws {@link ConfigError}. */
  reload(): Config;
  /** Looks at the database; answers the configuration where its links have changed, else null. Throws StoreError. */
  look(): Promise<Config | null>;
};

/** `onFaulty` is told of each link that is left out, once for each thing that is wrong with it. */
export const createLinkSource = (
  readAgain: () => ReadConfig,
  {
    first,
    shelf,
    onFaulty,
  }: {
    readonly first: ReadConfig;
    readonly shelf: Pick<LinkShelf, 'revision' | 'all'> | null;
    readonly onFaulty: (link: FaultyLink) => void;
  },
): LinkSource => {
  let current = first;
  let stored: readonly StoredLink[] = [];
  /** Of those that were read; null before that. A database that was copied has links at revision 0. */
  let revision: number | null = null;
  let told = new Set<string>();
  const readAll = (): Config => {
    const read = current.readLinks(stored);
    const faults = read.faulty.map((link) => [JSON.stringify(link), link] as const);
    for (const [text, link] of faults) if (!told.has(text)) onFaulty(link);
    told = new Set(faults.map(([text]) => text));
    return whole(current.config, read);
  };
  return {
    current: () => current,
    reload: () => {
      current = readAgain();
      return readAll();
    },
    look: async () => {
      if (shelf === null) return null;
      const seen = await shelf.revision();
      if (seen === revision) return null;
      // Read after the revision: what changes in between is looked at again.
      stored = await shelf.all();
      revision = seen;
      return readAll();
    },
  };
};
