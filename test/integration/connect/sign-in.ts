import { createInterface } from 'node:readline';
import { ended, startCli, type Ended, type Environment } from '../cli/run-cli.ts';

/** A `connect` under way, which waits for its answer. */
export type SignIn = {
  /** The consent page's address, as it was printed. */
  readonly address: string;
  /** Writes a line to the command's standard input. */
  readonly paste: (line: string) => void;
  readonly end: Promise<Ended>;
};

/** Starts `connect` without a browser and reads the address that it prints. */
export const startSignIn = async (args: readonly string[], env: Environment, directory: string): Promise<SignIn> => {
  const child = startCli(['connect', ...args, '--no-browser'], env, directory);
  const end = ended(child);
  if (child.stdout === null) throw new Error('The command has no stdout.');
  const lines = createInterface({ input: child.stdout });
  const { promise: address, resolve, reject } = Promise.withResolvers<string>();
  lines.on('line', (line) => line.startsWith('http://127.0.0.1') && resolve(line));
  void end.then(({ stderr }) => reject(new Error(`No address was printed: ${stderr}`)));
  return { address: await address, paste: (line) => void child.stdin?.write(`${line}\n`), end };
};

/** Where the consent page sends a browser whose user agrees, without following it there. */
export const consentTo = async (address: string, approve = { google: 'auto', service: 'yes' }): Promise<URL> => {
  const url = new URL(address);
  url.searchParams.set('approve', url.pathname.startsWith('/o/oauth2') ? approve.google : approve.service);
  const response = await fetch(url, { redirect: 'manual' });
  return new URL(response.headers.get('location') ?? '');
};
