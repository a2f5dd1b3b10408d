import { setTimeout } from 'node:timers/promises';

/** An address book of a server, as a program on its machine sees it. */
export type BookFolder = {
  /** The address of the server, or of the address book. */
  readonly url: string;
  readonly username: string;
  readonly password: string;
  /** The text of each card by its name. */
  cards(): ReadonlyMap<string, string>;
  read(name: string): string | null;
  write(name: string, text: string): void;
  remove(name: string): void;
  /** The account may not sign in any more. */
  revoke(): void;
  /** Whether a credential is accepted, for a server that checks none itself. */
  readonly accepts?: (authorization: string | undefined) => boolean;
};

/** A CardDAV server of its own, on a free port and with a folder of its own. */
export type CarddavServer = AsyncDisposable & {
  /** Makes an address book; no other test uses it. */
  openBook(): BookFolder;
};

const TRIES = 1_200;

/** Resolves when a server answers. */
export const awaitAnswer = async (url: string): Promise<void> => {
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const status = await fetch(url, { redirect: 'manual' }).then(
      (answer) => answer.status,
      () => 0,
    );
    if (status > 0) return;
    await setTimeout(50);
  }
  throw new Error(`No server answers at ${url}.`);
};
