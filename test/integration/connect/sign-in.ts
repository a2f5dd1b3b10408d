import { cliHost, type HostedCommand } from '../../support/cli-host.ts';
import type { Environment } from '../cli/run-cli.ts';

/** A `connect` under way, which waits for its answer. */
export type SignIn = Pick<HostedCommand, 'paste' | 'end'> & {
  /** The consent page's address, as it was printed. */
  readonly address: string;
};

export const startSignIn = async (args: readonly string[], env: Environment, directory: string): Promise<SignIn> => {
  const command = cliHost.start(['connect', ...args, '--no-browser'], env, directory);
  const printed = command.printed((stdout) => /^http:\/\/127\.0\.0\.1.*(?=\n)/mu.exec(stdout)?.[0] ?? null);
  const failed = command.end.then(({ stderr }): never => {
    throw new Error(`No address was printed: ${stderr}`);
  });
  return { ...command, address: await Promise.race([printed, failed]) };
};

/** The redirect address of an accepted consent; the redirect is not followed. */
export const consentTo = async (address: string, approve = { google: 'auto', service: 'yes' }): Promise<URL> => {
  const url = new URL(address);
  url.searchParams.set('approve', url.pathname.startsWith('/o/oauth2') ? approve.google : approve.service);
  const response = await fetch(url, { redirect: 'manual' });
  return new URL(response.headers.get('location') ?? '');
};

/** Signs in by paste, like a user whose browser is on another machine. */
export const connectByPaste = async (args: readonly string[], env: Environment, directory: string) => {
  const { address, paste, end } = await startSignIn(args, env, directory);
  paste((await consentTo(address)).href);
  return end;
};
