import { createRequire } from 'node:module';
import type * as Yaml from 'yaml';
import { isSection, type Report, type Section } from './sources.ts';

const require = createRequire(import.meta.url);

/** The closing character of each opening one. */
const CLOSERS = { '[': ']', '{': '}', '"': '"', "'": "'" } as const;

type Opener = { readonly sign: keyof typeof CLOSERS; readonly offset: number };

/** The innermost unclosed bracket or quotation mark; null without one. */
const unclosed = (document: Yaml.Document.Parsed, content: string): Opener | null => {
  const { visit } = require('yaml') as typeof Yaml;
  let found: Opener | null = null;
  visit(document, {
    Node: (_key, { range }) => {
      if (!range) return;
      const [start, end] = range;
      const sign = (Object.keys(CLOSERS) as Opener['sign'][]).find((candidate) => candidate === content[start]);
      if (sign !== undefined && (end - start < 2 || content[end - 1] !== CLOSERS[sign]))
        found = { sign, offset: start };
    },
  });
  return found;
};

/** The first repeated key of a mapping. The check of the parser takes quadratic time, which is slow with many links. */
const repeated = (document: Yaml.Document.Parsed): number | null => {
  const { isScalar, visit } = require('yaml') as typeof Yaml;
  let found: number | null = null;
  visit(document, {
    Map: (_key, { items }) => {
      const taken = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        if (taken.has(key.value)) found ??= key.range?.[0] ?? 0;
        taken.add(key.value);
      }
      return found === null ? undefined : visit.BREAK;
    },
  });
  return found;
};

/** The first alias within its own anchor, which would be endless. */
const endless = (document: Yaml.Document.Parsed): number | null => {
  const { isCollection, visit } = require('yaml') as typeof Yaml;
  let found: number | null = null;
  visit(document, {
    Alias: (_key, alias, path) => {
      const isEndless = path.some(
        (node) => isCollection(node) && node.anchor === alias.source && alias.resolve(document) === node,
      );
      if (!isEndless) return undefined;
      found = alias.range?.[0] ?? 0;
      return visit.BREAK;
    },
  });
  return found;
};

/** The first fault of a document with the code of the parser and its place; null for a valid document. */
const faultOf = (document: Yaml.Document.Parsed): { readonly code: string; readonly offset: number } | null => {
  const [error] = document.errors;
  if (error !== undefined) return { code: error.code, offset: error.pos[0] };
  const again = repeated(document);
  if (again !== null) return { code: 'DUPLICATE_KEY', offset: again };
  const offset = endless(document);
  return offset === null ? null : { code: 'ALIAS_WITHIN_ITS_ANCHOR', offset };
};

/** Parses a YAML text; reports a fault and returns null. */
export const parseYaml = (path: string, content: string, report: Report): Section | null => {
  // Loaded here, because its seventy modules are not used without a file.
  const { LineCounter, parseDocument } = require('yaml') as typeof Yaml;
  const lineCounter = new LineCounter();
  const document = parseDocument(content, { schema: 'failsafe', lineCounter, prettyErrors: false, uniqueKeys: false });
  const error = faultOf(document);
  if (error !== null) {
    const placeOf = (offset: number): string => {
      const { line, col } = lineCounter.linePos(offset);
      return `line ${line}, column ${col}`;
    };
    const opened = unclosed(document, content);
    // Its code and not its message, which may quote the file.
    const fault = error.code.toLowerCase().replaceAll('_', ' ');
    report(
      path,
      opened === null
        ? `is not valid YAML at ${placeOf(error.offset)} (${fault}). Correct that place; quote values that hold YAML signs.`
        : `is not valid YAML: the ${opened.sign} at ${placeOf(opened.offset)} is not closed. Add its ${CLOSERS[opened.sign]}.`,
    );
    return null;
  }
  try {
    const section: unknown = document.toJS() ?? {};
    if (isSection(section)) return section;
    report(path, 'holds no settings at its top. Write lines of the form name: value; see config/example.yaml.');
  } catch {
    report(path, 'uses a YAML alias that has no anchor. Quote values that begin with *.');
  }
  return null;
};

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
