import { cp, mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from './dockerfile.ts';
import { succeed } from './engine.ts';

/** The offset of the machine in an ELF file, and its value for arm64. */
const MACHINE_OFFSET = 18;
const AARCH64 = 183;

/** The one native part without which nothing works; BullMQ's msgpackr goes on in JavaScript where it finds none. */
const NATIVE = 'node_modules/better-sqlite3/prebuilds/linux-arm64.node';

/** Installs for arm64, which is not emulated here, and looks whether the native part came with it. */
export const installForArm64 = async (scratch: string): Promise<void> => {
  const directory = join(scratch, 'arm64');
  await mkdir(directory);
  for (const name of ['package.json', 'package-lock.json', '.npmrc']) await cp(join(ROOT, name), join(directory, name));
  const target = ['--cpu=arm64', '--os=linux', '--libc=glibc'];
  await succeed('npm', ['ci', '--prefix', directory, '--omit=dev', '--ignore-scripts', '--silent', ...target]);
  await using file = await open(join(directory, NATIVE));
  const { buffer } = await file.read(Buffer.alloc(2), 0, 2, MACHINE_OFFSET);
  if (buffer.readUInt16LE() !== AARCH64) throw new Error(`${NATIVE} is not for arm64.`);
};
