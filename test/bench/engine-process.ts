import type { RunKind } from '../../src/core/state/rows.ts';
import { createApp, type App } from '../../src/app/app.ts';
import { loadConfig } from '../../src/app/config/config.ts';
import { createMovableClock } from '../support/clocks.ts';
import { silentEvents } from '../support/silent-events.ts';
import { serve } from './child.ts';
import { measureOwn, type Cost } from './own-cost.ts';

export type Measured = Cost & { readonly wrote: number; readonly paired: number };

const NEVER = new AbortController().signal;
const clock = createMovableClock();
let app: App | null = null;
const running = (): App => {
  if (app === null) throw new Error('The engine is not open.');
  return app;
};

type Open = { readonly environment: Record<string, string>; readonly dataDir: string; readonly config: string | null };

const open = ({ environment, dataDir, config }: Open): void => {
  const env = { ...environment, DATA_DIR: dataDir, LOG_LEVEL: 'silent' };
  app = createApp(loadConfig({ env, config, cwd: dataDir }), silentEvents(), { clock });
};

/** Runs the first link once. */
const run = async (kind: RunKind): Promise<Measured> => {
  const [link] = running().config.links;
  if (link === undefined) throw new Error('There is no link.');
  let done = { wrote: 0, paired: 0 };
  const cost = await measureOwn(async () => {
    const { summary, error } = await running().run(link, { kind, signal: NEVER });
    if (error !== null) throw new Error(`The run of ${link.name} did not complete.`, { cause: error });
    const { left, right, paired } = summary;
    const wrote = [left, right].reduce((sum, { created, updated, deleted }) => sum + created + updated + deleted, 0);
    done = { wrote, paired };
  });
  return { ...cost, ...done };
};

const close = async (): Promise<void> => running()[Symbol.asyncDispose]();

/** Plans the first link. */
const plan = async (_argument: null): Promise<Measured> => {
  const [link] = running().config.links;
  if (link === undefined) throw new Error('There is no link.');
  let paired = 0;
  const cost = await measureOwn(async () => {
    const { changes } = await running().plan(link, { kind: 'incremental', signal: NEVER });
    paired = changes.filter(({ action }) => action === 'pair').length;
  });
  return { ...cost, wrote: 0, paired };
};

const handlers = { open, run, close, plan, advance: (byMs: number): void => clock.advance(byMs) };
export type EngineProcess = typeof handlers;
serve(handlers);
