import { startSandbox } from '../../../src/sandbox/sandbox.ts';
import type { Ended, Engine } from './engine.ts';
import { expectText, IMAGE, until } from './smoke.ts';

const NAME = `${IMAGE}-volume-${process.pid}`;
const VOLUME = ['--volume', `${NAME}:/data`];

/** Opens the link of `console` on the host and presses its button. */
const signIn = async (link: string): Promise<void> => {
  const { origin, searchParams } = new URL(link);
  const page = await fetch(link);
  expectText('the sign-in page', await page.text(), /<button[^>]*>Sign in<\/button>/u);
  const answer = await fetch(`${origin}/sign-in`, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin },
    body: new URLSearchParams({ pass: searchParams.get('pass') ?? '' }),
  });
  if (answer.status !== 303) throw new Error(`The link of console was answered with ${answer.status}.`);
};

/** `init` in a first container, the daemon in a second one with the same volume, and the page on the host. */
export const runFromVolume = async (engine: Engine): Promise<void> => {
  await using sandbox = await startSandbox();
  const { DATA_DIR: _left, ...variables } = sandbox.environment();
  const settings = Object.entries(variables).flatMap(([key, value]) => ['--env', `${key}=${value}`]);
  const exec = (...args: readonly string[]): Promise<Ended> => engine.end('exec', NAME, 'contact-sync', ...args);
  try {
    const before = await engine.end('run', '--rm', ...VOLUME, IMAGE);
    expectText('the daemon without a configuration', before.stderr, /contact-sync init/u);
    if (before.code !== 2) throw new Error(`The daemon without a configuration ended with ${before.code}.`);
    const init = ['run', '--rm', '--network', 'host', ...VOLUME, ...settings, IMAGE, 'init', '--yes'];
    expectText('init', await engine.succeed(...init), /\/data\/contact-sync\/contact-sync\.yaml/u);
    await engine.succeed('run', '--detach', '--name', NAME, '--publish', '127.0.0.1:8377:8377', ...VOLUME, IMAGE);
    const isLink = ({ stdout }: Ended): boolean => stdout.startsWith('http://127.0.0.1:8377/sign-in?');
    const { stdout: link } = await until('a link of console', () => exec('console'), isLink);
    await signIn(link.trim());
  } catch (error) {
    const { stdout, stderr } = await engine.end('logs', '--tail', '20', NAME);
    throw new Error(`The container with the volume failed. Its last lines:\n${stdout}${stderr}`, { cause: error });
  } finally {
    await engine.end('rm', '--force', NAME);
    await engine.end('volume', 'rm', NAME);
  }
};
