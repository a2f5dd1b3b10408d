/** The command line asks for something that does not exist; the message names what exists. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The command line names a link that does not exist. */
export class UnknownLinkError extends UsageError {}
