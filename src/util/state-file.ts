import { readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import type { z } from 'zod';

/** Replaces a JSON file of the state atomically. Only its owner can read it. */
export const writeStateFile = async (path: string, content: object): Promise<void> => {
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, JSON.stringify(content), { mode: 0o600 });
  await rename(draft, path);
};

/** Reads such a file; null if it is missing. A truncated file, for example after a power failure, counts as missing. */
export const readStateFile = async <Schema extends z.ZodType>(
  path: string,
  schema: Schema,
): Promise<z.output<Schema> | null> => {
  const read = Promise.try((): unknown => JSON.parse(readFileSync(path, 'utf8')));
  const parsed = schema.safeParse(await read.catch(() => null));
  return parsed.success ? parsed.data : null;
};
