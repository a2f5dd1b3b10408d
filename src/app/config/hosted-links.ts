import { IS_API_TOKEN } from './accounts.ts';
import { SIDES } from '../../core/contact/side.ts';
import { PROVIDERS } from '../../providers/registry.ts';
import { ConfigError, type ConfigProblem } from '../../util/config-error.ts';
import type { Config } from './config.ts';
import { reportForeignAddresses } from './hosted-addresses.ts';
import { linkLayer, parseLink, OWN_LINK_KEYS, type LinkConfig, type LinkSources } from './link-config.ts';
import { isName, linkPlace, NOT_A_LINK_NAME } from './link-sections.ts';
import { declareSides } from './sides.ts';
import { isSection, variableOf, type Report, type Section } from './sources.ts';
import { parseYaml } from './yaml.ts';
import type { StoredLink } from '../../store/hosted-links.ts';

/** A link with invalid settings, and all its problems. */
export type FaultyLink = { readonly name: string; readonly problems: readonly ConfigProblem[] };

/** Valid links, and invalid ones, which are not served. */
type ReadLinks = { readonly links: readonly LinkConfig[]; readonly faulty: readonly FaultyLink[] };

/** The keys of secrets, which no message, list or answer repeats. */
const SECRET_KEYS = new Set([...PROVIDERS.flatMap(({ secretKeys }) => secretKeys), ...OWN_LINK_KEYS.secrets]);
const FILE_KEYS = new Set([...SECRET_KEYS].map((key) => `${key}File`));

/** The last name of a key: the file's `google.refreshToken` may stand in one word too. */
const lastName = (key: string): string => key.slice(key.lastIndexOf('.') + 1);

const isSecretKey = (key: string): boolean => SECRET_KEYS.has(lastName(key));

/** The text that replaces a secret. */
const SECRET_SHOWN = '[secret]';

/** Parses the settings of a link from a YAML or JSON text; `place` is for messages. Throws {@link ConfigError}. */
export const parseLinkSettings = (text: string, place: string): Section => {
  const problems: ConfigProblem[] = [];
  const section = parseYaml(place, text, (where, what) => void problems.push({ where, what }));
  if (section === null) throw new ConfigError(problems);
  return section;
};

/** Sets the value at a path of names; an empty one is null, which takes the setting out. */
const withValue = (section: Section, [name = '', ...rest]: readonly string[], value: string): Section => {
  const inner = section[name];
  const within = isSection(inner) ? inner : {};
  return { ...section, [name]: rest.length > 0 ? withValue(within, rest, value) : value === '' ? null : value };
};

/**
 * Adds settings such as `google.readLimit=90/minute` from a command line; an empty value removes one. Throws
 * {@link ConfigError} for another form, and for secrets: every user of a machine can read its command lines.
 */
export const withAssignments = (section: Section, assignments: readonly string[]): Section => {
  const problems: ConfigProblem[] = [];
  let settings = section;
  for (const assignment of assignments) {
    const [, path = '', value = ''] = /^([^=]+)=(.*)$/su.exec(assignment) ?? [];
    const names = path.split('.');
    if (path === '') problems.push({ where: assignment, what: 'is no setting. Write it as name=value.' });
    else if (isSecretKey(path)) {
      problems.push({
        where: path,
        what: 'is a secret, which does not belong on a command line. Give it with --from -.',
      });
    } else if (names.includes('__proto__')) problems.push({ where: path, what: 'is not a setting. Remove it.' });
    else settings = withValue(settings, names, value);
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return settings;
};

/** JSON as the file would have it: there every value is a text. */
const asTexts = (value: unknown): unknown => {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return value.map(asTexts);
  if (!isSection(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, asTexts(inner)]));
};

/** The settings with `[secret]` in place of each secret. */
export const withoutSecrets = (section: Section): Section =>
  Object.fromEntries(
    Object.entries(section).map(([key, value]) => {
      if (isSecretKey(key) && value !== null) return [key, SECRET_SHOWN];
      return [key, isSection(value) ? withoutSecrets(value) : value];
    }),
  );

/** Reports values that no host can use: the name of a file, and the text that replaces a secret. */
const reportUnusable = (section: Section, where: string, report: Report): void => {
  for (const [key, value] of Object.entries(section)) {
    const place = `${where}.${key}`;
    if (isSection(value)) reportUnusable(value, place, report);
    if (FILE_KEYS.has(lastName(key))) {
      report(place, 'names a file, which other hosts need not have. Give the value itself: it is encrypted.');
    }
    if (isSecretKey(key) && value === SECRET_SHOWN) {
      report(
        place,
        'is what is shown in the place of a secret. Give the secret, or leave this out to keep the one there is.',
      );
    }
  }
};

/** Reports each variable of a single account that would apply to this link too. */
const reportForeignAccounts = ({ environment, report }: LinkSources, providers: readonly string[]): void => {
  for (const { name, accountKeys } of PROVIDERS.filter((provider) => providers.includes(provider.name))) {
    for (const key of accountKeys.flatMap((each) => [`${name}.${each}`, `${name}.${each}File`])) {
      if (!environment.values.has(key)) continue;
      report(variableOf(key), "is one account's, and would be that of this link too. Set it in the file, at its link.");
    }
  }
};

type Known = {
  readonly names: ReadonlySet<string>;
  readonly pageTokens: ReadonlySet<string>;
  readonly apiToken: string | undefined;
  /** The hosts that addresses of a link may name. */
  readonly hosts: readonly string[];
};

/** Reports problems that prevent reading the settings of a link. */
const reportUnreadable = ({ name, settings, fault }: StoredLink, known: Known, report: Report): void => {
  const where = linkPlace(name);
  if (!isName(name)) report(where, NOT_A_LINK_NAME);
  if (known.names.has(name)) {
    report(where, 'is the name of a link of the configuration file too. Give each link a name of its own.');
  }
  if (settings === null) report(where, fault ?? 'has settings that cannot be read.');
  // A named file is not opened.
  else reportUnusable(settings, where, report);
};

const readSettings = (name: string, settings: Section, known: Known, sources: LinkSources): LinkConfig | null => {
  const { report } = sources;
  const where = linkPlace(name);
  const texts = asTexts(settings);
  const section = isSection(texts) ? texts : {};
  const sides = declareSides({ name, where, section }, report);
  if (sides !== null) {
    const providers = SIDES.map((side) => sides[side].provider.name);
    reportForeignAccounts(sources, providers);
    const own = linkLayer({ name, where, section }, () => undefined);
    reportForeignAddresses(sides, { ...sources, section: own }, { hosts: known.hosts, report });
  }
  return parseLink({ name, where, section, sides }, sources);
};

type Parsed = { readonly link: LinkConfig | null; readonly problems: readonly ConfigProblem[] };

/** The parsed links of one configuration, by name, with their settings as JSON. Unchanged links are not parsed again. */
type ParsedLinks = Map<string, { readonly json: string; readonly parsed: Parsed }>;

const parseOnce = (
  { name, settings }: { readonly name: string; readonly settings: Section },
  known: Known,
  { sources, cache }: { readonly sources: LinkSources; readonly cache: ParsedLinks },
): Parsed => {
  const json = JSON.stringify(settings);
  const before = cache.get(name);
  if (before?.json === json) return before.parsed;
  const problems: ConfigProblem[] = [];
  const report: Report = (where, what) => void problems.push({ where, what });
  const parsed = { link: readSettings(name, settings, known, { ...sources, report }), problems };
  cache.set(name, { json, parsed });
  return parsed;
};

const reportPageToken = (link: LinkConfig | null, known: Known, report: Report): void => {
  const token = link?.consoleToken?.reveal();
  if (link === null || token === undefined) return;
  const where = `${linkPlace(link.name)}.consoleToken`;
  if (known.pageTokens.has(token)) report(where, 'opens another link too. Give each link a token of its own.');
  if (token === known.apiToken) report(where, IS_API_TOKEN);
};

const readLink = (
  hosted: StoredLink,
  known: Known,
  parts: { readonly sources: LinkSources; readonly cache: ParsedLinks },
): LinkConfig | FaultyLink => {
  const { name, settings } = hosted;
  const problems: ConfigProblem[] = [];
  const report: Report = (where, what) => void problems.push({ where, what });
  reportUnreadable(hosted, known, report);
  if (settings === null || problems.length > 0) return { name, problems };
  const { link, problems: own } = parseOnce({ name, settings }, known, parts);
  problems.push(...own);
  reportPageToken(link, known, report);
  return link === null || problems.length > 0 ? { name, problems } : link;
};

type ConfigOfLinks = Pick<Config, 'links' | 'consoleToken' | 'apiToken' | 'hostedLinkHosts'>;

/**
 * Reads links of a database like links of the configuration file: variables win over their own settings, and these over the top
 * of the file. An invalid link does not affect the others. With the same `cache`, an unchanged link is the same object.
 */
const readStoredLinks = (
  hosted: readonly StoredLink[],
  config: ConfigOfLinks,
  parts: { readonly sources: LinkSources; readonly cache: ParsedLinks },
): ReadLinks => {
  const { links: ofFile, consoleToken, hostedLinkHosts: hosts } = config;
  const apiToken = config.apiToken?.reveal();
  const names = new Set(ofFile.map(({ name }) => name));
  const pageTokens = new Set([{ consoleToken }, ...ofFile].flatMap((each) => each.consoleToken?.reveal() ?? []));
  const links: LinkConfig[] = [];
  const faulty: FaultyLink[] = [];
  for (const each of hosted) {
    const read = readLink(each, { names, pageTokens, apiToken, hosts }, parts);
    if ('problems' in read) faulty.push(read);
    else {
      links.push(read);
      if (read.consoleToken !== null) pageTokens.add(read.consoleToken.reveal());
    }
  }
  // One link alone is a draft. The others stay known.
  const current = new Set(hosted.map(({ name }) => name));
  if (hosted.length > 1) for (const name of parts.cache.keys()) if (!current.has(name)) parts.cache.delete(name);
  return { links, faulty };
};

/** Creates a reader for links in a database, which parses only links that changed since the last call. */
export const createHostedReader = (
  config: ConfigOfLinks,
  sources: LinkSources,
): ((hosted: readonly StoredLink[]) => ReadLinks) => {
  const cache: ParsedLinks = new Map();
  return (hosted) => readStoredLinks(hosted, config, { sources, cache });
};
