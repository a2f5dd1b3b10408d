/** A copy cannot be made or taken back; the message says why and what to do. Nothing was changed. */
export class BackupError extends Error {
  /** Whether the directories that were named are the reason, rather than what they hold. */
  readonly isUsage: boolean;

  constructor(message: string, options: { readonly isUsage?: boolean; readonly cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = 'BackupError';
    this.isUsage = options.isUsage ?? false;
  }
}
