import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';
import { markdownFiles, ROOT } from '../../../config/docs.ts';

const FILES = markdownFiles();

const withoutFences = (markdown: string): string => markdown.replaceAll(/^(?<fence>```+).*?^\k<fence>$/gmsu, '');

const read = (file: string): string => withoutFences(readFileSync(join(ROOT, file), 'utf8'));

/** The anchors that GitHub gives to the headings of a Markdown text. */
const anchorsOf = (markdown: string): ReadonlySet<string> => {
  const seen = new Map<string, number>();
  const anchors = [...markdown.matchAll(/^#{1,6} +(?<heading>.+?)$/gmu)].map(({ groups }) => {
    const text = (groups?.['heading'] ?? '').replaceAll(/\[(?<text>[^\]]*)\]\([^)]*\)/gu, '$<text>');
    const slug = text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-');
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  });
  return new Set(anchors);
};

/** The links of a Markdown text that lead into the repository. */
const internalLinks = (markdown: string): readonly string[] => {
  const prose = markdown.replaceAll(/(?<ticks>`+)(?:(?!\k<ticks>).)+\k<ticks>/gsu, (text) =>
    text.replaceAll(/[[\]]/gu, ''),
  );
  const targets = [
    ...prose.matchAll(/\]\((?<target>[^)\s]+)(?: "[^"]*")?\)/gu),
    ...prose.matchAll(/^\[[^\]]+\]: +(?<target>\S+)/gmu),
  ].map(({ groups }) => groups?.['target'] ?? '');
  return targets.filter((target) => !/^[a-z]+:/u.test(target));
};

/** Why a link of a file leads nowhere; null where it resolves. */
const faultOf = (file: string, link: string): string | null => {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? file : normalize(join(dirname(file), path));
  if (!existsSync(join(ROOT, target))) return `${file}: ${link}: there is no ${target}`;
  if (anchor === undefined) return null;
  return anchorsOf(read(target)).has(anchor) ? null : `${file}: ${link}: ${target} has no heading for #${anchor}`;
};

test.each(FILES)('every link of %s to a file or heading of the repository resolves', (file) => {
  const faults = internalLinks(read(file)).map((link) => faultOf(file, link));
  expect(faults.filter((fault) => fault !== null)).toEqual([]);
});
