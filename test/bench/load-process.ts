import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { loadAddressBook } from '../../src/sandbox/address-book/load.ts';
import { serve } from './child.ts';

export type Load = {
  readonly people: number;
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly peakBytes: number;
};

const STATUS = '/proc/self/status';

/** Linux includes in `maxRSS` the memory of the process before it started this program. VmHWM starts from zero. */
const peakBytes = (): number => {
  const own = existsSync(STATUS) ? /VmHWM:\s+(\d+)/u.exec(readFileSync(STATUS, 'utf8')) : null;
  return Number(own?.[1] ?? process.resourceUsage().maxRSS) * 1_024;
};

const measured = async (work: () => Promise<number>): Promise<Load> => {
  const [startedAtMs, cpu] = [performance.now(), process.cpuUsage()];
  const people = await work();
  const { user, system } = process.cpuUsage(cpu);
  return { people, wallMs: performance.now() - startedAtMs, cpuMs: (user + system) / 1_000, peakBytes: peakBytes() };
};

const LF = 0x0a;

/** The minimum work of a line reader: reads the bytes and divides them into strings. */
const cutLines = async (path: string): Promise<number> => {
  let lines = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) {
    const bytes = chunk as Buffer;
    for (let from = 0, at = bytes.indexOf(LF); at >= 0; from = at + 1, at = bytes.indexOf(LF, from)) {
      if (bytes.toString('latin1', from, at).length >= 0) lines += 1;
    }
  }
  return lines;
};

const HANDLERS = {
  load: ({ path, most }: { readonly path: string; readonly most: number }) =>
    measured(async () => (await loadAddressBook(path, most)).people.length),
  lines: (path: string) => measured(() => cutLines(path)),
};

export type LoadHandlers = typeof HANDLERS;

serve(HANDLERS);
