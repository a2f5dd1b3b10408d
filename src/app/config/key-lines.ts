import { createRequire } from 'node:module';
import type * as Yaml from 'yaml';

const require = createRequire(import.meta.url);

/** The line of each key of a YAML text, by its dotted path. Links of a list are named as those of a mapping are. */
export const keyLines = (content: string): ReadonlyMap<string, number> => {
  const { isMap, isScalar, isSeq, LineCounter, parseDocument } = require('yaml') as typeof Yaml;
  const lineCounter = new LineCounter();
  const document = parseDocument(content, { schema: 'failsafe', lineCounter, uniqueKeys: false });
  const lines = new Map<string, number>();
  const visit = (node: unknown, prefix: string): void => {
    if (isSeq(node) && prefix === 'links.') {
      for (const item of node.items) {
        const name = isMap(item) ? item.get('name') : undefined;
        visit(item, `${prefix}${typeof name === 'string' ? name : 'default'}.`);
      }
    }
    if (!isMap(node)) return;
    for (const { key, value } of node.items) {
      if (!isScalar(key)) continue;
      const path = `${prefix}${String(key.value)}`;
      lines.set(path, lineCounter.linePos(key.range?.[0] ?? 0).line);
      visit(value, `${path}.`);
    }
  };
  visit(document.contents, '');
  return lines;
};
