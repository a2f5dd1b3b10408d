/** The database cannot be used as it is: corrupt, of a newer version, full, locked or not writable. Nothing was changed. */
export class StoreError extends Error {
  /** The problem and its place. The message also contains the remedy. */
  readonly detail: string;
  /** Null if the detail includes it. */
  readonly remedy: string | null;

  constructor(detail: string, options: { readonly cause?: unknown; readonly remedy?: string } = {}) {
    const { remedy = null, cause } = options;
    super(remedy === null ? detail : `${detail} ${remedy}`, { cause });
    this.name = 'StoreError';
    this.detail = detail;
    this.remedy = remedy;
  }
}

/** The stored tokens cannot be used. The message includes the remedy. */
export class CredentialsError extends Error {
  override readonly name = 'CredentialsError';
}

/** The link's lease has passed to another process, or was released: nothing may be written with this token any more. */
export class FenceError extends Error {
  readonly link: string;
  readonly token: number;

  constructor(link: string, token: number) {
    super(`The link ${link} is leased to another process; nothing was stored.`);
    this.name = 'FenceError';
    this.link = link;
    this.token = token;
  }
}
