import { cp, glob, mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from './dockerfile.ts';
import { succeed } from './engine.ts';

/** Where an ELF file says for which machine it is, and how it says arm64. */
const MACHINE_OFFSET = 18;
const AARCH64 = 183;

/** What the packages with native parts bring for arm64. */
const NATIVE = {
  'better-sqlite3': 'better-sqlite3/prebuilds/linux-arm64.node',
  msgpackr: '@msgpackr-extract/msgpackr-extract-linux-arm64/*.glibc.node',
};

const machineOf = async (path: string): Promise<number> => {
  await using file = await open(path);
  const { buffer } = await file.read(Buffer.alloc(2), 0, 2, MACHINE_OFFSET);
  return buffer.readUInt16LE();
};

/** Installs for arm64, which is not emulated here, and looks whether every native part came with it. */
export const installForArm64 = async (scratch: string): Promise<void> => {
  const directory = join(scratch, 'arm64');
  await mkdir(directory);
  for (const name of ['package.json', 'package-lock.json', '.npmrc']) await cp(join(ROOT, name), join(directory, name));
  const target = ['--cpu=arm64', '--os=linux', '--libc=glibc'];
  await succeed('npm', ['ci', '--prefix', directory, '--omit=dev', '--ignore-scripts', '--silent', ...target]);
  for (const [name, pattern] of Object.entries(NATIVE)) {
    const paths = await Array.fromAsync(glob(join(directory, 'node_modules', pattern)));
    const machines = await Promise.all(paths.map(machineOf));
    if (paths.length === 0 || machines.some((machine) => machine !== AARCH64)) {
      throw new Error(`${name} brings nothing that arm64 can load: ${paths.join(', ') || pattern}`);
    }
  }
};
