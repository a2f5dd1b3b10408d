import { randomBytes } from 'node:crypto';
import { codeIn, SignInError, type AskForConsent, type Consent } from '../../providers/sign-in.ts';
import type { Clock } from '../../util/clock.ts';
import { openBrowser } from '../terminal/open-browser.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { pastedAnswer } from './consent-answer.ts';
import { listenForRedirect } from './redirect-listener.ts';

/** The options of {@link askForConsent}. */
type ConsentOptions = {
  readonly terminal: Terminal;
  /** The input into which the address may be pasted. */
  readonly input: NodeJS.ReadableStream;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** 0: any free port. */
  readonly port: number;
  readonly opensBrowser: boolean;
};

const PATIENCE_MS = 5 * 60_000;
const STATE_BYTES = 32;

const printAddress = (terminal: Terminal, address: string, { opensBrowser }: ConsentOptions): void => {
  const how = opensBrowser ? 'If the browser does not show the sign-in page, open' : 'Open';
  terminal.print(`${how} this address and consent:\n\n${address}\n`);
  terminal.print(
    'If the browser is on another machine, it ends at an address that it cannot open. Copy that address and paste it here.',
  );
};

const refuseLate = async (clock: Clock, signal: AbortSignal): Promise<never> => {
  await clock.sleep(PATIENCE_MS, signal);
  throw new SignInError('No consent was given within 5 minutes. Nothing was stored. Run the command again.');
};

/**
 * Prints the address of a consent page and waits for the answer, from a browser on this machine or pasted. `addressFor` returns
 * the address.
 *
 * @throws {SignInError} if there was no consent in time, or the consent was refused.
 */
export const askForConsent = async (
  addressFor: Parameters<AskForConsent>[0],
  options: ConsentOptions,
): Promise<Consent> => {
  const { terminal, input, clock, port } = options;
  const state = randomBytes(STATE_BYTES).toString('base64url');
  await using listener = await listenForRedirect(port, state);
  const { redirectUri, answered } = listener;
  const address = addressFor({ redirectUri, state });
  const over = new AbortController();
  const signal = AbortSignal.any([options.signal, over.signal]);
  try {
    printAddress(terminal, address, options);
    await using _ = options.opensBrowser ? await openBrowser(address) : null;
    const answer = await Promise.race([
      answered,
      pastedAnswer(input, terminal, { state, signal }),
      refuseLate(clock, signal),
    ]);
    return { code: codeIn(answer), redirectUri };
  } finally {
    over.abort(new Error('The sign-in is over.'));
  }
};
