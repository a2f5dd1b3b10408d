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

/** Parses a YAML text; reports a fault and returns null. */
export const parseYaml = (path: string, content: string, report: Report): Section | null => {
  // Loaded here, because its seventy modules are not used without a file.
  const { LineCounter, parseDocument } = require('yaml') as typeof Yaml;
  const lineCounter = new LineCounter();
  const document = parseDocument(content, { schema: 'failsafe', lineCounter, prettyErrors: false });
  const [error] = document.errors;
  if (error !== undefined) {
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
        ? `is not valid YAML at ${placeOf(error.pos[0])} (${fault}). Correct that place; quote values that hold YAML signs.`
        : `is not valid YAML: the ${opened.sign} at ${placeOf(opened.offset)} is not closed. Add its ${CLOSERS[opened.sign]}.`,
    );
    return null;
  }
  try {
    // Without aliases, no document is endless or grows when it is read.
    const section: unknown = document.toJS({ maxAliasCount: 0 }) ?? {};
    if (isSection(section)) return section;
    report(path, 'holds no settings at its top. Write lines of the form name: value; see config/example.yaml.');
  } catch {
    report(path, 'uses a YAML alias, which is not supported. Write the value itself; quote values that begin with *.');
  }
  return null;
};
