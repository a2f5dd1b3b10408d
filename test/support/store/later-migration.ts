import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';

const MIGRATIONS = join(import.meta.dirname, '../../../migrations');

const journalSchema = z.looseObject({ entries: z.array(z.looseObject({ idx: z.number(), when: z.number() })) });

/** A folder with the migrations of this version and one that a later version might add. */
export type LaterVersion = { readonly folder: string; [Symbol.dispose](): void };

/** Copies the migrations of a dialect and adds a later one with these statements. */
export const withLaterMigration = (dialect: 'sqlite' | 'postgres', statements: readonly string[]): LaterVersion => {
  const folder = mkdtempSync(join(tmpdir(), 'contact-sync-migrations-'));
  cpSync(join(MIGRATIONS, dialect), folder, { recursive: true });
  const path = join(folder, 'meta/_journal.json');
  const journal = journalSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  const idx = journal.entries.length;
  const when = Math.max(...journal.entries.map((entry) => entry.when)) + 1;
  const entry = { idx, version: '7', when, tag: 'later', breakpoints: true };
  writeFileSync(path, JSON.stringify({ ...journal, entries: [...journal.entries, entry] }));
  writeFileSync(join(folder, 'later.sql'), statements.join('\n--> statement-breakpoint\n'));
  return { folder, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
};
