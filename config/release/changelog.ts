const UNRELEASED = '## [Unreleased]';
const HEADING = /^## \[(?<version>\d+\.\d+\.\d+)\]/gmu;

/** Returns the versions that the changelog lists, the newest first. */
export const releasedVersions = (changelog: string): readonly string[] =>
  [...changelog.matchAll(HEADING)].map(({ groups }) => groups?.['version'] ?? '');

const parts = (version: string): readonly number[] => version.split('.').map(Number);

/** Whether the one version comes after the other. */
export const isLater = (version: string, than: string): boolean => {
  const [one, other] = [parts(version), parts(than)];
  const differing = one.findIndex((part, index) => part !== other[index]);
  return differing !== -1 && (one[differing] ?? 0) > (other[differing] ?? 0);
};

/** Returns the text under Unreleased, without empty lines around it. */
const unreleasedNotes = (changelog: string): string => {
  const from = changelog.indexOf(UNRELEASED);
  if (from === -1) throw new Error(`The changelog has no heading "${UNRELEASED}".`);
  const rest = changelog.slice(from + UNRELEASED.length);
  const end = rest.search(/^## /mu);
  return (end === -1 ? rest : rest.slice(0, end)).trim();
};

/**
 * Returns the changelog with the unreleased notes under the version and its day (`2026-11-22`), and none under Unreleased.
 *
 * @throws {Error} if there are no unreleased notes.
 */
export const stampChangelog = (changelog: string, version: string, day: string): string => {
  // Headings alone say nothing.
  if (!/^- /mu.test(unreleasedNotes(changelog))) {
    throw new Error('The changelog has nothing under Unreleased. Describe there what changes for users.');
  }
  return changelog.replace(UNRELEASED, `${UNRELEASED}\n\n## [${version}] - ${day}`);
};

/** What the changelog says of a version; empty where it does not know it. */
export const notesOf = (changelog: string, version: string): string => {
  const heading = new RegExp(`^## \\[${version.replaceAll('.', String.raw`\.`)}\\].*\n`, 'mu').exec(changelog);
  if (heading === null) return '';
  const rest = changelog.slice(heading.index + heading[0].length);
  const end = rest.search(/^## /mu);
  return (end === -1 ? rest : rest.slice(0, end)).trim();
};
