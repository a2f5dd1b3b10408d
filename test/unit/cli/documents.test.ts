import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { z } from 'zod';
import {
  ChecksDocument,
  ConflictsDocument,
  ContactsDocument,
  HistoryDocument,
  PlansDocument,
  RunsDocument,
  SettingsDocument,
  StatusDocument,
  UndoDocument,
} from '../../support/documents.ts';

const README = readFileSync(join(import.meta.dirname, '../../../src/cli/README.md'), 'utf8');

const DOCUMENTS: Readonly<Record<string, z.ZodType>> = {
  '`sync`, `resync`': RunsDocument,
  '`plan`': PlansDocument,
  '`status`': StatusDocument,
  '`runs`': HistoryDocument,
  '`undo`': UndoDocument,
  '`explain`': ContactsDocument,
  '`conflicts`': ConflictsDocument,
  '`doctor`': ChecksDocument,
  '`config show`': SettingsDocument,
};

const EXAMPLES = [...README.matchAll(/^### JSON of (?<title>.+)\n[^#]*?```json\n(?<json>[^]*?)```/gmu)].map(
  ({ groups }) => [groups?.['title'] ?? '', groups?.['json'] ?? ''] as const,
);

test('the reference has one example for each document', () => {
  expect(EXAMPLES.map(([title]) => title)).toEqual(Object.keys(DOCUMENTS));
});

test.each(EXAMPLES)('the example for %s is a document of the command', (title, json) => {
  expect(DOCUMENTS[title]?.safeParse(JSON.parse(json)).error).toBeUndefined();
});
