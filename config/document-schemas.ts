import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import * as documents from './documents.ts';
import * as hosted from './hosted-documents.ts';
import { SettingsDocument } from './settings-document.ts';

const FOLDER = join(import.meta.dirname, 'schemas');

/** What each command prints with `--json`. */
export const DOCUMENTS: Readonly<Record<string, z.ZodObject>> = {
  sync: documents.RunsDocument,
  resync: documents.RunsDocument,
  plan: documents.PlansDocument,
  pair: documents.VerdictDocument,
  status: documents.StatusDocument,
  conflicts: documents.ConflictsDocument,
  duplicates: documents.DuplicatesDocument,
  'duplicates-merge': documents.MergeDocument,
  'conflicts-resolve': documents.ReviewedDocument,
  retry: documents.RetriedDocument,
  doctor: documents.ChecksDocument,
  'config-show': SettingsDocument,
  runs: documents.HistoryDocument,
  undo: documents.UndoDocument,
  explain: documents.ContactsDocument,
  backup: documents.BackupDocument,
  restore: documents.RestoreDocument,
  forget: documents.ForgottenDocument,
  'store-copy': hosted.CopyDocument,
  'links-list': hosted.LinksDocument,
  'links-add': hosted.LinksDocument,
  'links-set': hosted.LinksDocument,
  'links-remove': hosted.RemovedDocument,
};

export const fileOf = (command: string): string => join(FOLDER, `${command}.schema.json`);

/** The JSON Schema of a command's document. Keys may be added to a document, so none is forbidden. */
export const documentSchema = (command: string): string => {
  const document = DOCUMENTS[command] ?? z.object({});
  const withError = document.extend({
    error: z.string().describe('Why the command could not do its work; there only then.').exactOptional(),
  });
  const { $schema, ...schema } = z.toJSONSchema(withError, {
    target: 'draft-07',
    override: ({ jsonSchema }) => {
      delete jsonSchema.additionalProperties;
    },
  });
  const title = `What contact-sync ${command.replace('-', ' ')} prints with --json`;
  const description = 'The keys google and service, googleId and the like are made of the names of the link’s sides.';
  return `${JSON.stringify({ $schema, title, description, ...schema }, null, 2)}\n`;
};

if (import.meta.main) {
  for (const command of Object.keys(DOCUMENTS)) writeFileSync(fileOf(command), documentSchema(command));
}
