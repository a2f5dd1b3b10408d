import type { LinkStateName } from '../../../src/core/state/rows.ts';
import type { LinkRunOptions } from '../../../src/app/runs.ts';
import type { LinkConfig } from '../../../src/app/config/link-config.ts';
import type { Side, Sides } from '../../../src/core/contact/side.ts';
import type { Events } from '../../../src/app/events.ts';
import type { JobData } from '../../../src/daemon/jobs/job.ts';
import { createRunner } from '../../../src/daemon/jobs/run-job.ts';
import { RevokedError, UnavailableError } from '../../../src/providers/errors.ts';
import { openStore } from '../../../src/store/sqlite/sqlite-store.ts';
import type { RunResult } from '../../../src/engine/run.ts';
import { summaryOf } from '../run-words.ts';
import { SIDE_WORDS } from '../side-words.ts';
import { createVirtualClock } from '../clocks.ts';
import { patchLink } from '../store/rows.ts';

export const LINK = {
  name: 'a',
  sides: SIDE_WORDS,
  syncIntervalMs: 300_000,
  sweepIntervalMs: 21_600_000,
} as Partial<LinkConfig> as LinkConfig;

const AT = { status: null, route: 'GET /v2/contacts', applied: 'no' } as const;
export const REVOKED = Object.assign(new RevokedError('The permission was taken back.', AT), { side: 'left' as const });
export const DOWN = new UnavailableError('The service does not answer.', AT);

/** A runner with a real store, whose runs end as the test sets. */
export const startRunner = async () => {
  const store = openStore(':memory:');
  const clock = createVirtualClock();
  const logged: string[] = [];
  const runs: LinkRunOptions[] = [];
  const credentials: Record<Side, string | null> = { left: 'g1', right: 's1' };
  let cached: Sides<string | null> | null = null;
  let waitForLease = (): Promise<void> => Promise.resolve();
  let next: (options: LinkRunOptions) => Promise<unknown> = () => Promise.resolve(null);
  const events = new Proxy({} as Events, {
    get: (_, name) => (fields: object) => logged.push(`${String(name)} ${JSON.stringify(fields)}`),
  });
  const runner = createRunner({
    events,
    clock,
    random: () => 0.5,
    app: {
      store,
      lease: { store, clock, newId: () => 'the runner' },
      vault: { forget: () => (cached = null) },
      credentials: () => Promise.resolve((cached ??= { ...credentials })),
      run: async (_link, options): Promise<RunResult> => {
        await waitForLease();
        await options.onLease?.();
        runs.push(options);
        const error = await next(options);
        const state: LinkStateName = error === REVOKED ? 'paused' : error === null ? 'active' : 'failing';
        await patchLink(store, 'a', { state, reason: error === null ? null : 'It went wrong.' });
        return { summary: summaryOf(), error };
      },
    },
  });
  runner.setLinks(['a', 'b', 'c'].map((name) => ({ ...LINK, name })));
  const run = (change: Partial<JobData> = {}) => {
    return runner.runJob({ link: 'a', kind: 'incremental', override: null, ...change });
  };
  return {
    runner,
    run,
    runs,
    logged,
    clock,
    store,
    credentials,
    waitsForLease: (wait: () => Promise<void>) => {
      waitForLease = wait;
    },
    ends: (error: unknown) => {
      next = () => Promise.resolve(error);
    },
    breaks: (error: Error) => {
      next = () => Promise.reject(error);
    },
    until: (wait: (options: LinkRunOptions) => Promise<unknown>) => {
      next = wait;
    },
    [Symbol.asyncDispose]: () => store.close(),
  };
};
