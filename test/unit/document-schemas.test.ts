import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { documentSchema, fileOf } from '../../config/document-schemas.ts';
import { DOCUMENTS } from '../../config/documents.ts';

test.each(Object.keys(DOCUMENTS))(
  'the JSON Schema of the output of %s is current (node config/document-schemas.ts writes it)',
  (command) => {
    expect(readFileSync(fileOf(command), 'utf8')).toBe(documentSchema(command));
  },
);
