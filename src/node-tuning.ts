import module from 'node:module';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { PACKAGE_ROOT } from './package-root.ts';

/** The user's own folder for what can be made again; a checkout keeps everything within itself. */
const folderOf = (env: Readonly<Record<string, string | undefined>>): string => {
  if (import.meta.filename.endsWith('.ts')) return join(PACKAGE_ROOT, 'node_modules', '.cache', 'contact-sync');
  const named = env['XDG_CACHE_HOME'] ?? '';
  return join(isAbsolute(named) ? named : join(env['HOME'] || homedir(), '.cache'), 'contact-sync');
};

/**
 * Keeps what Node compiled of this program, so that the next command starts sooner. Where the folder cannot be written,
 * nothing is kept; `NODE_COMPILE_CACHE` names another one, `NODE_DISABLE_COMPILE_CACHE=1` turns it off.
 */
export const keepCompiled = (): void => void module.enableCompileCache(folderOf(process.env));

/**
 * Lets the heap grow by a fifth at most between two collections: where the machine has much memory Node would let it grow
 * fourfold, and a process keeps what it once had. A collection is a short pause and not spread over the work that goes on
 * meanwhile, during which the heap would outgrow that fifth: for a heap this small that also takes a tenth less CPU time. One
 * thread looks after what is young, as each would keep half-filled pages of its own. And WebAssembly, which here is undici's
 * parser of HTTP, stays as it was compiled at first: V8 would soon optimise that one large function, for 15 MB and a seventh
 * of the CPU time of a short run.
 */
const FLAGS = [
  '--heap-growing-percent=20',
  '--memory-saver-mode',
  '--no-incremental-marking',
  '--no-parallel-scavenge',
  '--no-wasm-tier-up',
  '--no-wasm-dynamic-tiering',
];

/** What a process holds, and a collection after which it gives back to the system what it no longer needs. */
export type ProcessMemory = { readonly heldBytes: () => number; readonly collect: () => void };

/** V8 shows its collector to contexts that are made after it was told to. */
const ownMemory = (): ProcessMemory => {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as NodeJS.GCFunction;
  return {
    heldBytes: () => process.memoryUsage.rss(),
    collect: () => gc({ type: 'major', flavor: 'last-resort' }),
  };
};

/** Everything stands still while memory is given back, some 30 ms, so it has to be worth it. */
const WORTH_IT = 1.25;

/** What was held in the middle of a run says less and less of what is needed: after 450 looks it is a fifth less. */
const FADING = 0.9995;

/**
 * Makes what is to be called again and again: where the process has grown by a quarter since memory was last given back, or
 * that is long ago, it is given back. Other collections keep the pages that they empty, for the heap to grow again, and come
 * late where all that grows are things that outlive the young generation, such as the pages of a listing.
 */
export const createGivingBack = ({ heldBytes, collect }: ProcessMemory = ownMemory()): (() => void) => {
  let restBytes = 0;
  return () => {
    restBytes *= FADING;
    if (heldBytes() < restBytes * WORTH_IT) return;
    collect();
    restBytes = heldBytes();
  };
};

/** A run that lists a large book fills some 100 MB a second, of which it keeps hardly anything; looking takes microseconds. */
const LOOK_EACH_MS = 250;

/** Most commands have ended by then. */
const FIRST_LOOK_AFTER_MS = 1_000;

/** Keeps the memory of this process small as long as it lasts; keeps no process alive. */
export const keepProcessSmall = (): void => {
  setFlagsFromString(FLAGS.join(' '));
  const keepGivingBack = (): void => void setInterval(createGivingBack(), LOOK_EACH_MS).unref();
  setTimeout(keepGivingBack, FIRST_LOOK_AFTER_MS).unref();
};
