/**
 * `npm run release -- X.Y.Z`: releases the committed state. Runs `.ci/run all`, writes the version into the files that contain it
 * and into the changelog, stores a database of the version for the tests of later ones, commits and tags. A person pushes the
 * tag, which publishes the release.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { isLater, releasedVersions, stampChangelog } from './changelog.ts';
import { writeDatabase } from './database.ts';

const say = (text: string): void => void process.stdout.write(`${text}\n`);
const git = (...args: readonly string[]): string => execFileSync('git', args, { encoding: 'utf8' }).trim();

const MANIFEST = 'config/deploy/kubernetes.yaml';

/** Everything that must hold before the long checks begin; answers the stamped changelog. */
const prepare = (version: string): string => {
  if (!/^\d+\.\d+\.\d+$/u.test(version)) throw new Error('Say which version: npm run release -- X.Y.Z');
  const changelog = readFileSync('CHANGELOG.md', 'utf8');
  const [latest = '0.0.0'] = releasedVersions(changelog);
  if (!isLater(version, latest)) throw new Error(`${version} does not come after ${latest}, the latest release.`);
  const stamped = stampChangelog(changelog, version, new Date().toISOString().slice(0, 10));
  if (git('status', '--porcelain') !== '')
    throw new Error('Commit your changes first: a release is what is committed.');
  if (git('tag', '--list', `v${version}`) !== '') throw new Error(`The tag v${version} exists already.`);
  return stamped;
};

const stamp = async (version: string, changelog: string): Promise<void> => {
  writeFileSync('CHANGELOG.md', changelog);
  execFileSync('npm', ['version', '--no-git-tag-version', version], { stdio: 'ignore' });
  const manifest = readFileSync(MANIFEST, 'utf8');
  writeFileSync(MANIFEST, manifest.replace(/(image: contact-sync):\S+/u, `$1:${version}`));
  writeFileSync(`test/support/databases/${version}.db.gz`, await writeDatabase());
};

const release = async (version: string): Promise<void> => {
  const changelog = prepare(version);
  execFileSync('bash', ['.ci/run', 'all'], { stdio: 'inherit' });
  await stamp(version, changelog);
  git('add', '--all');
  git('commit', '--message', `Release ${version}`);
  git('tag', '--annotate', `v${version}`, '--message', `contact-sync ${version}`);
  say(`Tagged v${version}. To publish it: git push --follow-tags`);
};

await release(process.argv[2] ?? '').catch((error: unknown) => {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
