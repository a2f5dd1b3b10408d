import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import type { LeaseHolders } from '../engine/lease.ts';
import { errorCode } from '../util/errors.ts';

/** The state of a process in the kernel. */
type ProcessState = { readonly state: string; readonly startedAt: string };

const SEPARATOR = '|';

/** Null if there is no such process, or the kernel does not report it. */
const readProcess = (pid: string): ProcessState | null => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may contain parentheses. The state follows it; the start is the 20th field.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, startedAt] = [fields[0], fields[19]];
    return state === undefined || startedAt === undefined ? null : { state, startedAt };
  } catch {
    return null;
  }
};

/**
 * Identifies the space of process ids: the boot of the machine and its namespace of ids. Null if unknown: then no process is
 * recognised, and leases expire by time.
 */
const readMachine = (): string | null => {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return [hostname(), boot, readlinkSync('/proc/self/ns/pid')].join(SEPARATOR);
  } catch {
    return null;
  }
};

const exists = (pid: string): boolean => {
  try {
    process.kill(Number(pid), 0);
    return true;
  } catch (error) {
    return errorCode(error) !== 'ESRCH';
  }
};

/** Whether a process has ended: it does not exist, is a zombie, or another process has its id. */
const isOver = (pid: string, startedAt: string): boolean => {
  if (!/^[1-9]\d*$/u.test(pid)) return false;
  if (!exists(pid)) return true;
  const now = readProcess(pid);
  return now !== null && (now.startedAt !== startedAt || now.state === 'Z' || now.state === 'X');
};

/** Identifies holders of leases by host, process id and start of the process. */
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
