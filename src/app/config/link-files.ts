import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ConfigProblem } from '../../util/config-error.ts';
import { errorCode } from '../../util/errors.ts';
import { parseLink, type DeclaredLink, type LinkConfig, type LinkSources } from './link-config.ts';
import { isName, NOT_A_LINK_NAME, type LinkSection } from './link-sections.ts';
import { declareSides } from './sides.ts';
import { collectProblems, readText, type Report, type Section } from './sources.ts';
import { parseYaml } from './yaml.ts';

/** A link with invalid settings, which is not served, and all its problems. */
export type FaultyLink = { readonly name: string; readonly problems: readonly ConfigProblem[] };

/** A file of the folder `links`. Its section is null if it cannot be read. */
type LinkFile = Omit<LinkSection, 'section'> & {
  readonly section: Section | null;
  readonly problems: readonly ConfigProblem[];
};

const FOLDER = 'links';
const EXTENSION = '.yaml';

/** The folder with one file for each link, next to the configuration file. */
export const linkFolderBeside = (configFile: string): string => join(dirname(configFile), FOLDER);

/** The file of a link in that folder. */
export const linkFileBeside = (configFile: string, name: string): string =>
  join(linkFolderBeside(configFile), name + EXTENSION);

const readLinkFile = (folder: string, fileName: string, fileNames: readonly string[]): LinkFile => {
  const where = `${FOLDER}/${fileName}`;
  const name = fileName.replace(/\.ya?ml$/u, '');
  const used = name + EXTENSION;
  if (fileName !== used && fileNames.includes(used)) {
    // The link of that name is the other file's.
    const what = `is not read, because ${FOLDER}/${used} has the link ${name}. Remove one of the two.`;
    return { name: fileName, where, prefix: `${where}: `, section: null, problems: [{ where, what }] };
  }
  const { report, all } = collectProblems();
  if (!isName(name)) report(where, NOT_A_LINK_NAME);
  if (fileName !== used) report(where, `is not read. Rename it to ${used}.`);
  const path = join(folder, fileName);
  const content = all().length > 0 ? null : readText(path, where, report);
  const section = content === null ? null : parseYaml(where, content, report);
  return { name, where, prefix: `${where}: `, section, problems: all() };
};

/**
 * Reads the folder with one file for each link, in the order of their names. Returns null without such a folder; reports a
 * folder that cannot be read.
 */
export const readLinkFiles = (folder: string, report: Report): readonly LinkFile[] | null => {
  try {
    const fileNames = readdirSync(folder).filter((name) => /^[^.].*\.ya?ml$/u.test(name));
    return fileNames.toSorted().map((fileName) => readLinkFile(folder, fileName, fileNames));
  } catch (error) {
    const code = errorCode(error) ?? 'unreadable';
    if (code === 'ENOENT') return null;
    report(folder, `cannot be read (${code}). Make it a folder that contact-sync can read, or remove it.`);
    return [];
  }
};

/** Reports each name that both the configuration file and a file of the folder use. */
export const reportNamesakes = (
  sections: readonly LinkSection[],
  files: readonly Pick<LinkFile, 'name' | 'where'>[],
  report: Report,
): void => {
  const places = new Map(sections.map(({ name, where }) => [name, where]));
  for (const { name, where } of files) {
    const other = places.get(name);
    if (other !== undefined)
      report(where, `has the name of ${other} in the configuration file. Remove one of the two.`);
  }
};

/** Parses the link of a file; `link` is null if the file has a problem. */
export const parseLinkFile = (
  { section, problems, ...place }: LinkFile,
  sources: LinkSources,
): FaultyLink & { readonly declared: DeclaredLink | null; readonly link: LinkConfig | null } => {
  const { name } = place;
  if (section === null) return { name, declared: null, link: null, problems };
  const { report, all } = collectProblems();
  const own = { ...place, section };
  const declared = { ...own, sides: declareSides(own, report) };
  const link = parseLink(declared, { ...sources, report });
  return { name, declared, link: all().length > 0 ? null : link, problems: all() };
};
