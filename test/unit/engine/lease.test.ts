import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createLeaseHolders } from '../../../src/app/lease-holders.ts';
import { systemClock } from '../../../src/util/clock.ts';
import { openStore } from '../../../src/store/sqlite/sqlite-store.ts';
import type { Store } from '../../../src/store/store.ts';
import { changeLink } from '../../../src/engine/change-link.ts';
import { LeaseError } from '../../../src/engine/context.ts';
import { LeaseChecks, newOwner, takeLease, type LeaseParts } from '../../../src/engine/lease.ts';

const NEVER = new AbortController().signal;
const FAR_MS = 3_600_000;

describe.skipIf(process.platform !== 'linux')('a lease that another process holds', () => {
  let store: Store;
  let child: ChildProcess;
  let parts: LeaseParts & { readonly link: string };

  /** The other process under its own name, with its lease on the link. */
  const hold = async (): Promise<string> => {
    const owner = newOwner({ ...parts, holders: createLeaseHolders(child.pid) });
    const nowMs = systemClock.now();
    expect(await store.acquireLease('work', owner, nowMs, nowMs + FAR_MS)).not.toBeNull();
    return owner;
  };
  const kill = async (): Promise<void> => {
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  };

  beforeEach(async () => {
    store = openStore(':memory:');
    child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000); console.log()'], { stdio: 'pipe' });
    await once(child.stdout ?? child, 'data');
    parts = { link: 'work', store, clock: systemClock, newId: randomUUID, holders: createLeaseHolders() };
  });
  afterEach(async () => {
    child.kill('SIGKILL');
    await store.close();
  });

  test('is busy while that process is alive', async () => {
    await hold();
    await expect(takeLease(parts, NEVER)).rejects.toThrow(LeaseError);
  });

  test('is free at once when that process was killed on this host, with a greater token', async () => {
    const owner = await hold();
    const before = await store.acquireLease('work', owner, 0, systemClock.now() + FAR_MS);
    await kill();
    await using lease = await takeLease(parts, NEVER);
    expect(lease.token).toBeGreaterThan(before ?? 0);
  });

  test('is free at once for a change outside of a run as well', async () => {
    await hold();
    await kill();
    await changeLink(parts, 'work', () => [{ kind: 'link', patch: { reason: 'Changed.' } }]);
    expect((await store.link('work')).reason).toBe('Changed.');
  });

  test('is free at once if its process id has been reused by another process since', async () => {
    const owner = (await hold()).replace(/\d+$/u, '1');
    await store.releaseLease('work', (await store.leaseOwner('work')) ?? '');
    await store.acquireLease('work', owner, 0, systemClock.now() + FAR_MS);
    await using lease = await takeLease(parts, NEVER);
    expect(lease.token).toBeGreaterThan(0);
  });

  test.each([
    ['another host', (owner: string) => owner.replace('@', '@other-')],
    ['a program without a process id', () => 'somebody'],
  ])('is waited for if it belongs to %s, whether or not that process is alive', async (_owner, rename) => {
    const owner = await hold();
    await kill();
    await store.releaseLease('work', owner);
    await store.acquireLease('work', rename(owner), 0, systemClock.now() + FAR_MS);
    await expect(takeLease(parts, NEVER)).rejects.toThrow(LeaseError);
  });
});

test('a lease starts at the time of its request, even if the store was slow', async () => {
  const store = openStore(':memory:');
  let atMs = 1_000_000;
  const clock = { now: () => atMs, monotonic: () => atMs, sleep: () => new Promise<void>(() => undefined) };
  const slow: Store = {
    ...store,
    acquireLease: async (...of) => {
      const token = await store.acquireLease(...of);
      atMs += 10_000;
      return token;
    },
  };
  const leaseChecks = new LeaseChecks();
  const lease = await takeLease({ link: 'work', store: slow, clock, newId: randomUUID, leaseChecks }, NEVER);
  leaseChecks.check('work');
  expect(lease.signal.aborted).toBe(false);
  atMs += 6_000;
  expect(await store.acquireLease('work', 'another process', atMs, atMs + 15_000)).not.toBeNull();
  leaseChecks.check('work');
  expect(lease.signal.aborted).toBe(true);
  await store.close();
});
