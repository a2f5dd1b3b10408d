import type { RunKind } from '../../src/core/state/rows.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp, type App } from '../../src/app/app.ts';
import { loadConfig } from '../../src/app/config/config.ts';
import type { LinkConfig } from '../../src/app/config/link-config.ts';
import { createEvents } from '../../src/engine/events.ts';
import { createLogger } from '../../src/util/logger.ts';
import { startSandbox, type Sandbox, type SandboxOptions } from '../../src/sandbox/sandbox.ts';
import type { PlanResult } from '../../src/engine/plan-link.ts';
import type { RunResult } from '../../src/engine/run.ts';
import { createShiftedClock, type ShiftedClock } from './shifted-clock.ts';

/** A link of the real program between the two emulators over HTTP, with a clock that the test moves. */
export type LinkedSandbox = {
  readonly sandbox: Sandbox;
  readonly app: App;
  readonly link: LinkConfig;
  readonly clock: ShiftedClock;
  readonly dataDir: string;
  sync(options?: { readonly kind?: RunKind; readonly acceptDeletes?: boolean }): Promise<RunResult>;
  plan(kind?: RunKind): Promise<PlanResult>;
  [Symbol.asyncDispose](): Promise<void>;
};

const FAST = { requests: 60_000, windowMs: 60_000 };

/** Starts both emulators and the program, with high rate limits so that no test waits. `hurry`: see `createShiftedClock`. */
export const startLinkedSandbox = async (
  options: Omit<SandboxOptions, 'clock'> = {},
  variables: Readonly<Record<string, string>> = {},
  {
    hurry = 1,
    ...overrides
  }: Pick<NonNullable<Parameters<typeof createApp>[2]>, 'store'> & { readonly hurry?: number } = {},
): Promise<LinkedSandbox> => {
  await using stack = new AsyncDisposableStack();
  const clock = createShiftedClock(hurry);
  const quotas = { readsPerMinute: 60_000, writesPerMinute: 60_000 };
  const sandbox = stack.use(await startSandbox({ serviceRateLimit: FAST, googleQuotas: quotas, ...options, clock }));
  const dataDir = await mkdtemp(join(tmpdir(), 'contact-sync-test-'));
  stack.defer(() => rm(dataDir, { recursive: true, force: true }));
  const limits = {
    SERVICE_RATE_LIMIT: '60000/minute',
    GOOGLE_READ_LIMIT: '60000/minute',
    GOOGLE_WRITE_LIMIT: '60000/minute',
  };
  const env = { ...sandbox.environment(), ...limits, DATA_DIR: dataDir, ...variables };
  const config = loadConfig({ env, cwd: dataDir });
  const logger = createLogger({ level: 'silent', format: 'json', destination: process.stderr });
  const app = stack.use(createApp(config, createEvents(logger, { personalData: false }), { ...overrides, clock }));
  const [link] = config.links;
  if (link === undefined) throw new Error('The sandbox configures one link.');
  const { signal } = new AbortController();
  const owned = stack.move();
  return {
    sandbox,
    app,
    link,
    clock,
    dataDir,
    sync: ({ kind = 'incremental', acceptDeletes = false } = {}) => app.run(link, { kind, acceptDeletes, signal }),
    plan: (kind = 'incremental') => app.plan(link, { kind, signal }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
};
