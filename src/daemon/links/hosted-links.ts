import { whole, CHECK_LINKS_EVERY_MS } from './link-changes.ts';
import { ConfigError, type ConfigProblem } from '../../util/config-error.ts';
import type { Config, ReadConfig } from '../../app/config/config.ts';
import { withoutSecrets } from '../../app/config/hosted-links.ts';
import type { Clock } from '../../util/clock.ts';
import { SIDES } from '../../core/contact/side.ts';
import type { LinkSettings, HostedLinks, StoredLink } from '../../store/hosted-links.ts';
import { CredentialsError } from '../../store/store.ts';
import { LeaseError } from '../../engine/context.ts';
import type { Revocation } from './forget-link.ts';

/** A link in a list. */
export type ListedLink = {
  readonly name: string;
  /** The place of its settings. */
  readonly keptIn: 'file' | 'database';
  /** The names of its sides, left first; null if unknown. */
  readonly sides: readonly [string, string] | null;
  /** Its settings without secrets; null for a link of the file, and if they cannot be decrypted. */
  readonly settings: LinkSettings | null;
  /** The reasons why it is not served; empty if it is served. */
  readonly problems: readonly ConfigProblem[];
};

/** A removed link; `tokens` is null if its stored data was not deleted. */
type RemovedLink = { readonly name: string; readonly tokens: readonly Revocation[] | null };

/** A change of links in the database was refused. The message has the reason and the remedy. */
export class HostedLinkError extends Error {
  override readonly name = 'HostedLinkError';
  readonly fault: 'exists' | 'unknown' | 'in the file' | 'busy';

  constructor(fault: HostedLinkError['fault'], message: string, cause?: unknown) {
    super(message, { cause });
    this.fault = fault;
  }
}

/** Links are stored in the database of DATABASE_URL only. */
export const NO_DATABASE: ConfigProblem = {
  where: 'DATABASE_URL',
  what: 'is not set, and links are stored in that database. Set it, or add the link to the configuration file.',
};

/** Changes the links in the database. Every method throws StoreError if the database cannot be used. */
export type LinkManager = {
  /** All links of the file and of the database. */
  list(): Promise<readonly ListedLink[]>;
  /** Throws {@link ConfigError} with all problems of the settings, and {@link HostedLinkError} if the name is in use. */
  add(name: string, settings: LinkSettings): Promise<ListedLink>;
  /** Changes settings by a JSON merge patch (RFC 7396): null removes one. Throws like `add`. */
  set(name: string, patch: LinkSettings): Promise<ListedLink>;
  /**
   * Removes a link from all hosts. Its stored data stays, and is used if the link is added again, unless `forget` is set.
   * Throws {@link HostedLinkError} and the errors of forgetting.
   */
  remove(name: string, options: { readonly forget: boolean }): Promise<RemovedLink>;
};

type LinkManagerParts = {
  /** Reads the configuration with which links are parsed. */
  readonly read: () => ReadConfig;
  readonly hostedLinks: HostedLinks;
  readonly clock: Clock;
  /** Deletes the stored data of a link, whose sides are known from these links; null if it does not exist. */
  readonly forget: (name: string, links: Config['links']) => Promise<readonly Revocation[] | null>;
};

/** The time after which every host has read the removal of a link and starts no run of it. */
const NOTICED_AFTER_MS = 2 * CHECK_LINKS_EVERY_MS;

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

/** Parses the link. Throws {@link ConfigError} if it is invalid. */
const checkLink = async (
  { read, hostedLinks }: LinkManagerParts,
  name: string,
  settings: LinkSettings,
): Promise<ListedLink> => {
  const own: StoredLink = { name, settings, fault: null };
  const { readLinks } = read();
  const alone = readLinks([own]);
  // A page token of one link must not open another one.
  const hasPage = alone.links.some(({ consoleToken }) => consoleToken !== null);
  const others = hasPage ? (await hostedLinks.all()).filter((each) => each.name !== name) : [];
  const checked = listed(own, hasPage ? readLinks([...others, own]) : alone);
  if (checked.problems.length > 0) throw new ConfigError(checked.problems);
  return checked;
};

type Written = { readonly before: LinkSettings; readonly next: LinkSettings; readonly checked: ListedLink };

const isSame = (one: LinkSettings, other: LinkSettings): boolean => JSON.stringify(one) === JSON.stringify(other);

/**
 * Checks a link after it was written, because another process may have written one with the same page token in the meantime.
 * If it is invalid, calls `undo` and throws {@link ConfigError}.
 */
const checkWritten = async (
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

/** Runs calls one after the other. */
const createSequence = () => {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };
};

/** Counts the work in progress for each name. */
const createBusyNames = () => {
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

/** Removes a link, waits until every host has read the removal, and deletes its stored data. */
const dropAndForget = async (
  { hostedLinks, clock, forget }: LinkManagerParts,
  name: string,
  links: Config['links'],
): Promise<{ readonly isDropped: boolean; readonly tokens: readonly Revocation[] | null }> => {
  const isDropped = await hostedLinks.drop(name);
  if (isDropped) await clock.sleep(NOTICED_AFTER_MS);
  if ((await hostedLinks.all()).some((each) => each.name === name)) {
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

/** Creates the manager of the links in the database. */
export const manageLinks = (parts: LinkManagerParts): LinkManager => {
  const { read, hostedLinks } = parts;
  const inSequence = createSequence();
  const forgetting = createBusyNames();
  const refuse = (name: string): never => {
    if (read().config.links.some((each) => each.name === name)) {
      throw new HostedLinkError('in the file', `The link ${name} is in the configuration file. Change it there.`);
    }
    throw new HostedLinkError('unknown', `The database keeps no link named ${name}. See: contact-sync links list.`);
  };
  return {
    list: async () => {
      const stored = await hostedLinks.all();
      const { config, readLinks } = read();
      const found = readLinks(stored);
      return [...listFile(config), ...stored.map((each) => listed(each, found))];
    },
    add: (name, settings) =>
      inSequence(async () => {
        if (forgetting.has(name)) {
          throw new HostedLinkError('busy', `The data of a link named ${name} is being deleted. Add the link later.`);
        }
        const checked = await checkLink(parts, name, settings);
        if (!(await hostedLinks.add(name, settings))) {
          throw new HostedLinkError(
            'exists',
            `The database keeps a link named ${name} already. Choose another name, or change that one: contact-sync links set ${name}.`,
          );
        }
        return checkWritten(parts, checked, settings, () => hostedLinks.drop(name));
      }),
    set: (name, patch) =>
      inSequence(async () => {
        let written: Written | null = null;
        const change = async (before: LinkSettings): Promise<LinkSettings> => {
          const next = mergePatch(before, patch);
          written = { before, next, checked: await checkLink(parts, name, next) };
          return next;
        };
        const isThere = await hostedLinks.change(name, change).catch((error: unknown) => {
          if (!(error instanceof CredentialsError)) throw error;
          throw new ConfigError([{ where: `links.${name}`, what: error.message }]);
        });
        const { before, next, checked } = (isThere ? written : null) ?? refuse(name);
        const undo = async (current: LinkSettings): Promise<LinkSettings> => (isSame(current, next) ? before : current);
        return checkWritten(parts, checked, next, () => hostedLinks.change(name, undo));
      }),
    remove: async (name, options) => {
      const { config, readLinks } = read();
      if (options.forget && config.links.some((each) => each.name === name)) {
        const what = `The link ${name} is in the configuration file too, and the stored data belongs to that one.`;
        throw new HostedLinkError('in the file', `${what} To remove it from the database alone, do not forget it.`);
      }
      const { links } = options.forget ? whole(config, readLinks(await hostedLinks.all())) : config;
      if (!options.forget) return (await hostedLinks.drop(name)) ? { name, tokens: null } : refuse(name);
      const { isDropped, tokens } = await forgetting.during(name, async () => dropAndForget(parts, name, links));
      return tokens === null && !isDropped ? refuse(name) : { name, tokens: tokens ?? [] };
    },
  };
};
