import { UsageError } from './usage-error.ts';
import { readTextFile } from '../util/regular-file.ts';

/** The content of the file that an option names, trimmed. Throws {@link UsageError} if it cannot be read. */
export const readSecretFile = (option: string, path: string): Promise<string> =>
  readTextFile(path).then(
    (content) => content.trim(),
    (cause: unknown) => {
      const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown error';
      throw new UsageError(`${option}: ${path} cannot be read (${code}). Check its path and permissions.`, { cause });
    },
  );
