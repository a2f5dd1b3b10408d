import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import type { LeaseHolders } from '../engine/lease.ts';

/** A process as the kernel tells of it. */
type ProcessState = { readonly state: string; readonly startedAt: string };

const SEPARATOR = '|';

/** Null where the kernel does not tell, or there is no such process. */
const readProcess = (pid: string): ProcessState | null => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may hold anything, also parentheses; state is the field behind it, start the 20th.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, startedAt] = [fields[0], fields[19]];
    return state === undefined || startedAt === undefined ? null : { state, startedAt };
  } catch {
    return null;
  }
};

/**
 * Names where process ids mean the same: this boot of this machine, this namespace of ids. Null where that is not known:
 * then no process is recognised, and its leases run out by themselves.
 */
const readMachine = (): string | null => {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return [hostname(), boot, readlinkSync('/proc/self/ns/pid')].join(SEPARATOR);
  } catch {
    return null;
  }
};

const isThere = (pid: string): boolean => {
  try {
    process.kill(Number(pid), 0);
    return true;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
};

/** Ended, or a corpse that its parent has not buried, or another process that has got the same id since. */
const isOver = (pid: string, startedAt: string): boolean => {
  if (!/^[1-9]\d*$/u.test(pid)) return false;
  if (!isThere(pid)) return true;
  const now = readProcess(pid);
  return now !== null && (now.startedAt !== startedAt || now.state === 'Z' || now.state === 'X');
};

/** The holders of leases as this machine knows them: by host, process id and the process's start. */
export const createLeaseHolders = (pid: number = process.pid): LeaseHolders => {
  const machine = readMachine();
  const own = readProcess(String(pid));
  const self = machine === null || own === null ? null : [machine, pid, own.startedAt].join(SEPARATOR);
  return {
    self,
    hasEnded: (name) => {
      const parts = name.split(SEPARATOR);
      const [startedAt = '', id = ''] = parts.toReversed();
      return machine !== null && parts.slice(0, -2).join(SEPARATOR) === machine && isOver(id, startedAt);
    },
  };
};
