import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { z } from 'zod';
import { ConflictsDocument, DecidedDocument } from '../../../src/cli/contacts/conflicts.ts';
import { ContactsDocument } from '../../../src/cli/contacts/explain.ts';
import { VerdictDocument } from '../../../src/cli/contacts/pair.ts';
import { BackupDocument, RestoreDocument } from '../../../src/cli/data/backup.ts';
import { ForgottenDocument } from '../../../src/cli/data/forget.ts';
import { StatusDocument } from '../../../src/cli/links/status.ts';
import { HistoryDocument } from '../../../src/cli/runs/runs.ts';
import { UndoDocument } from '../../../src/cli/runs/undo.ts';
import { SettingsDocument } from '../../../src/cli/setup/config-show.ts';
import { ChecksDocument } from '../../../src/cli/setup/doctor.ts';
import { PlansDocument } from '../../../src/cli/sync/plan.ts';
import { RetriedDocument } from '../../../src/cli/sync/retry.ts';
import { RunsDocument } from '../../../src/cli/sync/run-links.ts';

const README = readFileSync(join(import.meta.dirname, '../../../src/cli/README.md'), 'utf8');

const DOCUMENTS: Readonly<Record<string, z.ZodType>> = {
  '`sync`, `resync`': RunsDocument,
  '`plan`': PlansDocument,
  '`status`': StatusDocument,
  '`runs`': HistoryDocument,
  '`undo`': UndoDocument,
  '`explain`': ContactsDocument,
  '`conflicts`': ConflictsDocument,
  '`conflicts resolve`': DecidedDocument,
  '`pair`': VerdictDocument,
  '`retry`': RetriedDocument,
  '`doctor`': ChecksDocument,
  '`config show`': SettingsDocument,
  '`backup`': BackupDocument,
  '`restore`': RestoreDocument,
  '`forget`': ForgottenDocument,
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
