import { isSection, isUnset, type Report, type Section } from './sources.ts';

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

/** The place of a link's settings in the file, for messages. */
const placeIn = (name: string): Pick<LinkSection, 'where' | 'prefix'> => ({
  where: `links.${name}`,
  prefix: `links.${name}.`,
});

const fromMapping = (links: Section, report: Report): LinkSection[] =>
  Object.entries(links).map(([name, section]) => {
    const place = { name, ...placeIn(name) };
    if (isSection(section)) return { ...place, section };
    if (!isUnset(section)) report(place.where, 'holds no settings. Write them as name: value below it.');
    return { ...place, section: {} };
  });

/** The links of the file. Without `links` there is one, named `default`, unless a folder has files of links. */
export const linkSections = (
  links: unknown,
  { mayBeNone, report }: { readonly mayBeNone: boolean; readonly report: Report },
): readonly LinkSection[] => {
  if (links === undefined) return mayBeNone ? [] : [{ name: 'default', ...placeIn('default'), section: {} }];
  if (isUnset(links) || isSection(links)) {
    const sections = isSection(links) ? fromMapping(links, report) : [];
    for (const { name, where } of sections) if (!isName(name)) report(where, NOT_A_LINK_NAME);
    if (sections.length > 0 || mayBeNone) return sections;
  }
  report('links', 'names no link. Write each link as name: with its settings below, or remove links.');
  return [];
};
