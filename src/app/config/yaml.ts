import { createRequire } from 'node:module';
import type * as Yaml from 'yaml';
import { isSection, type Report, type Section } from './sources.ts';

const require = createRequire(import.meta.url);

/** Parses a YAML text; reports a fault and returns null. */
export const parseYaml = (path: string, content: string, report: Report): Section | null => {
  // Loaded here, because its seventy modules are not used without a file.
  const { LineCounter, parseDocument } = require('yaml') as typeof Yaml;
  const lineCounter = new LineCounter();
  const document = parseDocument(content, { schema: 'failsafe', lineCounter, prettyErrors: false });
  const [error] = document.errors;
  if (error !== undefined) {
    const { line, col } = lineCounter.linePos(error.pos[0]);
    // Its code and not its message, which may quote the file.
    const fault = error.code.toLowerCase().replaceAll('_', ' ');
    report(path, `is not valid YAML at line ${line}, column ${col} (${fault}). Quote values that hold YAML signs.`);
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
