import { expect, test } from 'vitest';
import { isLater, notesOf, releasedVersions, stampChangelog } from '../../../config/release/changelog.ts';

const OLD = '## [0.9.0] - 2026-01-02\n\n### Added\n\n- The first.\n';
const changelog = (unreleased: string): string => `# Changelog\n\n## [Unreleased]\n${unreleased}\n${OLD}`;

test('unreleased changes are moved under the version and its date', () => {
  const stamped = stampChangelog(changelog('\n### Fixed\n\n- A fault.\n'), '1.0.0', '2026-11-22');
  expect(stamped).toBe(
    `# Changelog\n\n## [Unreleased]\n\n## [1.0.0] - 2026-11-22\n\n### Fixed\n\n- A fault.\n\n${OLD}`,
  );
  expect(releasedVersions(stamped)).toEqual(['1.0.0', '0.9.0']);
  expect(notesOf(stamped, '1.0.0')).toBe('### Fixed\n\n- A fault.');
  expect(notesOf(stamped, '0.9.0')).toBe('### Added\n\n- The first.');
  expect(notesOf(stamped, '0.9')).toBe('');
});

test.each(['', '\n### Added\n'])('a release without unreleased changes is refused (%j)', (unreleased) => {
  expect(() => stampChangelog(changelog(unreleased), '1.0.0', '2026-11-22')).toThrow(/nothing under Unreleased/u);
});

test.each([
  ['1.0.0', '0.9.0', true],
  ['0.10.0', '0.9.9', true],
  ['0.9.10', '0.9.9', true],
  ['0.9.0', '0.9.0', false],
  ['0.8.9', '0.9.0', false],
])('%s after %s: %s', (version, than, expected) => {
  expect(isLater(version, than)).toBe(expected);
});
