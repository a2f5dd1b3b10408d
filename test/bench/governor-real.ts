import { randomUUID } from 'node:crypto';
import { startTestRedis, type TestRedis } from '../support/redis.ts';
import { startChild } from './child.ts';
import type { SandboxProcess } from './sandbox-process.ts';
import type { SenderProcess } from './sender-process.ts';
import { percent, type Table } from './table.ts';

const PER_MINUTE = 500;
const KINDS = ['fixed', 'sliding-log'] as const;

type Trial = { readonly kind: (typeof KINDS)[number]; readonly processes: number; readonly minutes: number };

const tryOut = async ({ kind, processes, minutes }: Trial, redis: TestRedis | null): Promise<string[]> => {
  if (processes > 1 && redis === null) return [kind, String(processes), 'skipped: no Redis', ''];
  const sandbox = startChild<SandboxProcess>('sandbox-process.ts');
  const start = { count: 10, filled: 'none', limit: 'documented', windowKind: kind } as const;
  const environment = await sandbox.call('start', start);
  const senders = Array.from({ length: processes }, () => startChild<SenderProcess>('sender-process.ts'));
  const keyPrefix = `contact-sync:bench:${randomUUID()}:`;
  const sending = {
    url: environment['SERVICE_BASE_URL'] ?? '',
    token: environment['SERVICE_ACCESS_TOKEN'] ?? '',
    durationMs: minutes * 60_000,
    shared: processes > 1 && redis !== null ? { redisUrl: redis.url, keyPrefix } : null,
  };
  const answered = await Promise.all(senders.map((sender) => sender.call('send', sending)));
  const { refused } = await sandbox.call('asked', null);
  await Promise.all([...senders, sandbox].map((child) => child.stop()));
  const total = answered.reduce((sum, one) => sum + one, 0);
  return [kind, String(processes), `${percent(total / (PER_MINUTE * minutes))} (${total} requests)`, String(refused)];
};

/** Runs item 2 of the suite: all trials at the same time, each with a separate emulator. */
export const benchRealTime = async (minutes: number): Promise<Table> => {
  await using redis = await startTestRedis();
  const trials = KINDS.flatMap((kind) => [1, 4].map((processes) => ({ kind, processes, minutes })));
  const rows = await Promise.all(trials.map((trial) => tryOut(trial, redis)));
  return {
    title: `2. The governor in real time, ${minutes} minutes against the sandbox at ${PER_MINUTE}/minute`,
    head: ['window', 'processes', 'share of the allowed rate', '429'],
    rows,
    notes: ['Several processes share their limiter through Redis. Bounds: at least 98 %, no 429.'],
  };
};
