import { Option } from 'commander';
import type { App } from '../../app/app.ts';
import type { LinkConfig } from '../../app/config/link-config.ts';
import { storeSignIn } from '../../app/store-sign-in.ts';
import { otherSide, SIDES, type Side } from '../../core/contact/side.ts';
import { RemoteError } from '../../providers/errors.ts';
import { providerNamed } from '../../providers/registry.ts';
import { SignInError, type Grant, type SignInContext } from '../../providers/sign-in.ts';
import { CredentialsError } from '../../store/store.ts';
import { systemClock } from '../../util/clock.ts';
import { onlyLink, type PlaceOptions } from '../command/configuration.ts';
import { EXIT, exitCodeOf, UsageError, type ExitCode } from '../command/exit-codes.ts';
import { actionOf, examples, parseWholeNumber, withOneLink, type Define } from '../command/options.ts';
import { withApp, type Opened } from '../command/with-app.ts';
import { askerOf, unlessInterrupted } from '../terminal/prompts.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { readPipedLine } from './consent-answer.ts';
import { askForConsent } from './consent.ts';

export type ConnectOptions = PlaceOptions & {
  /** False: the address is only printed. */
  readonly browser?: boolean;
  readonly port?: number;
  readonly replaceAccount?: boolean;
  /** False: the next command is not printed. */
  readonly printsNext?: boolean;
};

/** The side of that name, or the only one with the provider of that name. Throws {@link UsageError}. */
const sideCalled = ({ name, sides }: LinkConfig, word: string): Side => {
  const named = SIDES.find((side) => sides[side].name === word);
  if (named !== undefined) return named;
  const [played, ...others] = SIDES.filter((side) => sides[side].provider === word);
  if (played !== undefined && others.length === 0) return played;
  const names = SIDES.map((side) => sides[side].name).join(', ');
  throw new UsageError(`The link ${name} has no side named ${word}. Its sides are: ${names}.`);
};

type Step = {
  readonly terminal: Terminal;
  readonly app: App;
  readonly link: LinkConfig;
  readonly side: Side;
  readonly signal: AbortSignal;
  readonly options: ConnectOptions;
};

/** Reads the password. Throws {@link SignInError} without one. */
const readPassword = async ({ terminal, signal }: Step): Promise<string> => {
  const password = process.stdin.isTTY
    ? await unlessInterrupted(askerOf(terminal).secret('password (not shown)'), '')
    : await readPipedLine(process.stdin, signal);
  if (password === '') throw new SignInError('No password was given. Nothing was stored.');
  return password;
};

const signIn = async (step: Step): Promise<Grant> => {
  const { terminal, link, side, signal, options } = step;
  const { port = 0, browser: opensBrowser = true } = options;
  const { provider, settings } = link.sides[side];
  const { signIn: signInAt } = providerNamed(provider);
  if (signInAt === null) return { token: await readPassword(step), scopes: null };
  const context: SignInContext = { clock: systemClock, signal };
  const consent = { ...context, terminal, input: process.stdin, port, opensBrowser };
  return signInAt(settings, (addressFor) => askForConsent(addressFor, consent), context);
};

const printNext = async ({ terminal, app, link, side }: Step): Promise<void> => {
  const other = otherSide(side);
  const digests = await app.credentials(link);
  terminal.print(
    digests[other] === null
      ? `Next: contact-sync connect ${link.sides[other].name} ${link.name}`
      : `Next: contact-sync plan ${link.name} shows what a sync would do.`,
  );
};

const connectSide = async (step: Step): Promise<void> => {
  const { terminal, app, link, side, signal, options } = step;
  const grant = await signIn(step);
  const storing = {
    app,
    link,
    side,
    signal,
    clock: systemClock,
    replaceAccount: options.replaceAccount ?? false,
    replaceHint: 'pass --replace-account',
    print: (text: string) => terminal.print(text),
    warn: (text: string) => terminal.warn(text),
  };
  await storeSignIn(storing, grant);
  if (options.printsNext ?? true) await printNext(step);
};

/** Prints an expected error of a sign-in without a stack, and returns the exit code. Throws other errors. */
const printFailure = (terminal: Terminal, error: unknown, { signal }: Opened): ExitCode => {
  if (error instanceof SignInError) {
    terminal.warn(error.message);
    return error.fault === 'account' ? EXIT.halted : EXIT.failed;
  }
  if (error instanceof CredentialsError) {
    terminal.warn(error.message);
    return EXIT.failed;
  }
  if (error instanceof RemoteError) {
    terminal.warn(`${error.message}. Nothing was stored.`);
    return exitCodeOf(error);
  }
  if (!signal.aborted) throw error;
  terminal.warn('Interrupted. Nothing was stored.');
  return EXIT.failed;
};

/** `connect SIDE [LINK]`: signs in at the side of that name or provider, checks the account, and stores the token. */
export const connect = (
  terminal: Terminal,
  word: string,
  linkName: string | undefined,
  options: ConnectOptions,
): Promise<ExitCode> =>
  withApp(terminal, linkName, options, async (opened) => {
    const link = onlyLink(opened.links);
    const side = sideCalled(link, word);
    try {
      await connectSide({ terminal, app: opened.app, link, side, signal: opened.signal, options });
      return EXIT.done;
    } catch (error) {
      return printFailure(terminal, error, opened);
    }
  });

/** The option for the port of this machine to which the browser returns. */
export const portOption = (): Option =>
  new Option('--port <PORT>', 'loopback port for the answer of the browser (default: any free port)').argParser(
    parseWholeNumber(1, 65_535),
  );

/** Defines `connect`. */
export const define: Define = (command, call) => {
  withOneLink(command.argument('<SIDE>', 'name of the side, such as google or service'))
    .option('--no-browser', 'only print the address to sign in at')
    .addOption(portOption())
    .option('--replace-account', 'accept another account than the one of the first sign-in')
    .addHelpText('after', examples('connect google', 'connect service work --port 8400'))
    .action(actionOf(call, null, connect));
};
