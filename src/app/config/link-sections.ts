import { isSection, isText, isUnset, type Report, type Section } from './sources.ts';

/** The settings of a link: in the configuration file, or in a file of its own. */
export type LinkSection = {
  readonly name: string;
  /** Its place for messages. */
  readonly where: string;
  /** The text before each of its keys in messages. */
  readonly prefix: string;
  readonly section: Section;
};

const NAME = /^[a-z0-9][a-z0-9_-]{0,99}$/iu;

/** The fault of a text that is not the name of a link. */
export const NOT_A_LINK_NAME = 'is not a name for a link. Use letters, digits, - and _, at most 100 characters.';

/** Whether a text can be the name of a link or of a side. */
export const isName = (text: string): boolean => NAME.test(text);

const LONGEST_SHOWN_NAME = 100;

/** The place of a link's settings in the file, for messages. */
const placeIn = (name: string): Pick<LinkSection, 'where' | 'prefix'> => {
  const where = `links.${name.length > LONGEST_SHOWN_NAME ? `${name.slice(0, LONGEST_SHOWN_NAME)}...` : name}`;
  return { where, prefix: `${where}.` };
};

const NO_LINK =
  'names no link. Write each link as name: with its settings below, or as an entry of a list with its name among ' +
  'them, or remove links.';

const fromMapping = (links: Section, report: Report): LinkSection[] =>
  Object.entries(links).map(([name, section]) => {
    const place = { name, ...placeIn(name) };
    if (isSection(section)) return { ...place, section };
    if (!isUnset(section)) report(place.where, 'holds no settings. Write them as name: value below it.');
    return { ...place, section: {} };
  });

/** The link of a configuration that names none. */
const DEFAULT = { name: 'default', ...placeIn('default') };

/** A link that is the only one of the list needs no name. */
const fromList = (links: readonly Section[], report: Report): LinkSection[] =>
  links.flatMap(({ name, ...section }, index): LinkSection[] => {
    if (name === undefined && links.length === 1) return [{ ...DEFAULT, section }];
    if (isText(name) && !isUnset(name)) return [{ name, ...placeIn(name), section }];
    report(`links[${index}].name`, 'is not set. Give each link a name.');
    return [];
  });

type Options = {
  /** Whether the file may have no link, because there is a folder with files of links. */
  readonly mayBeNone: boolean;
  readonly report: Report;
};

const listed = (links: unknown, { mayBeNone, report }: Options): LinkSection[] => {
  const isFilled = typeof links === 'object' && links !== null && Object.keys(links).length > 0;
  if (isFilled && isSection(links)) return fromMapping(links, report);
  if (isFilled && Array.isArray(links) && links.every(isSection)) return fromList(links, report);
  const isNone = isUnset(links) || (typeof links === 'object' && !isFilled);
  if (!isNone || !mayBeNone) report('links', NO_LINK);
  return [];
};

/** The links of the file, a mapping or a list. Without `links` there is one, named `default`, unless the file may have none. */
export const linkSections = (links: unknown, options: Options): readonly LinkSection[] => {
  const { report } = options;
  if (links === undefined) return options.mayBeNone ? [] : [{ ...DEFAULT, section: {} }];
  const sections = listed(links, options);
  const taken = new Set<string>();
  for (const { name, where } of sections) {
    if (!isName(name)) report(where, NOT_A_LINK_NAME);
    if (taken.has(name)) report(where, 'is the name of another link too. Give each link a name of its own.');
    taken.add(name);
  }
  return sections;
};
