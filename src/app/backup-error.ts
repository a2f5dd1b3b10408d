/** A backup or a restore failed and has changed nothing. The message has the reason and the remedy. */
export class BackupError extends Error {
  /** Whether the named directories are the reason, and not their content. */
  readonly isUsage: boolean;

  constructor(message: string, options: { readonly isUsage?: boolean; readonly cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = 'BackupError';
    this.isUsage = options.isUsage ?? false;
  }
}
