import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { DOCUMENTS } from './documents.ts';

const FOLDER = join(import.meta.dirname, 'schemas');

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
