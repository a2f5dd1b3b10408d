import type { App } from '../../app/app.ts';
import type { Clock } from '../../util/clock.ts';
import type { LinkConfig } from '../../app/config/config.ts';
import { Hono } from 'hono';
import { openAddressRemedy } from '../../app/config/unencrypted.ts';
import type { ListenAddress } from '../../util/values.ts';
import type { OpenConsole, Console } from '../console/console.ts';
import type { Events } from '../../engine/events.ts';
import { checkHealth, standingOf, unhealthyBecause, type LinkStanding, type Health } from '../jobs/health.ts';
import type { Daemon, OnReport } from '../jobs/daemon.ts';
import { localPage, openDoor, openOptionalDoor } from './http-server.ts';
import { createMetrics, type Seen, type Metrics } from './metrics.ts';

export type ListeningOptions = {
  readonly address: ListenAddress;
  /** Whether the daemon runs without the address where another program has it. */
  readonly isOptional: boolean;
  /** The log. */
  readonly events: Events;
  readonly clock: Clock;
  /** Of this program. */
  readonly version: string;
  /** Opens the page; null where there is none. */
  readonly openConsole: OpenConsole | null;
  /** Whether a token signs in to the page. Without one, only requests to a loopback name get the page. */
  readonly hasPageToken: boolean;
  /** Makes the routes by which programs change links; null where there are none. */
  readonly openApi: (() => Promise<Hono>) | null;
};

/** What LISTEN adds to the daemon. */
export type Listening = {
  /** The log, from which some events are counted. */
  readonly events: Events;
  readonly onReport: OnReport;
  /**
   * Binds the address; `serve` begins to answer there. Null: the address is optional and could not be bound, which is logged.
   *
   * @throws {ConfigError} where an address that is not optional cannot be bound.
   */
  open(app: App): Promise<(AsyncDisposable & { serve(daemon: Daemon): Promise<void> }) | null>;
};

const PAGE_REMEDY = 'Set LISTEN to another address, such as 127.0.0.1:8378, or to off to run without the page.';

type Subject = { readonly app: App; readonly daemon: Daemon; readonly clock: Clock };

const NO_LINKS: readonly LinkConfig[] = [];

const readMetricsInput = async ({ app, daemon, clock }: Subject): Promise<Seen> => {
  const standings: LinkStanding[] = [];
  for (const link of daemon.links()) standings.push(await standingOf(app.store, link));
  const depth = await daemon.depth();
  return { nowMs: clock.now(), sinceMs: (link) => daemon.sinceMs(link), standings, traffic: app.traffic(), depth };
};

const health = ({ app, daemon, clock }: Subject) =>
  checkHealth({ config: app.config, links: daemon.links(), store: app.store, nowMs: clock.now(), isDaemon: true });

/** Counts what happens from now on; nothing is listened at yet. */
export const createListening = (options: ListeningOptions): Listening => {
  const { address, isOptional, events, clock, version, openConsole, hasPageToken, openApi } = options;
  let links = (): readonly LinkConfig[] => NO_LINKS;
  const metrics = createMetrics({ version, links: () => links() });
  let page: Console | undefined;
  /** DATA_DIR cannot be written: what can be served all the same is. */
  const withoutPage = (error: unknown): undefined => {
    events.heartbeatFailed({ error });
    return undefined;
  };
  return {
    events: {
      ...events,
      rateLimited: (fields) => {
        events.rateLimited(fields);
        metrics.countLimited(fields);
      },
    },
    onReport: (...of) => {
      metrics.count(...of);
      page?.onReport(...of);
    },
    open: async (app) => {
      const onError = (path: string, error: unknown): void => events.httpRequestFailed({ path, error });
      const onUnavailable = (reason: string): void => events.pageUnavailable({ reason, remedy: PAGE_REMEDY });
      const onLimited = (limit: number): void => events.httpConnectionsLimited({ limit });
      const door = isOptional
        ? await openOptionalDoor({ address, onError, onLimited, onUnavailable })
        : await openDoor({ address, onError, onLimited });
      if (door === null) return null;
      const remedy = openAddressRemedy(address, { hasPage: hasPageToken, hasApi: openApi !== null });
      return {
        serve: async (daemon) => {
          links = () => daemon.links();
          const subject = { app, daemon, clock };
          page = await openConsole?.({ app, daemon, address: door.address }).catch(withoutPage);
          const api = await openApi?.();
          const groups = [healthRoutes(() => health(subject)), metricsRoutes(metrics, () => readMetricsInput(subject))];
          // Before the page, which looks at every request that it is given.
          if (api !== undefined) groups.push(api);
          if (page !== undefined) groups.push(hasPageToken ? page.routes : localPage(page.routes));
          door.serve(groups);
          events.httpServerStarted({ address: door.address });
          if (remedy !== null) events.httpServerOpen({ address: door.address, remedy });
        },
        [Symbol.asyncDispose]: async () => {
          await page?.[Symbol.asyncDispose]();
          await door[Symbol.asyncDispose]();
        },
      };
    },
  };
};

/** `/healthz`: the process lives. `/readyz`: it does its work, as `contact-sync health` judges it, with the same line. */
export const healthRoutes = (check: () => Promise<Health>): Hono => {
  const judge = oneAtATime(() => check().catch(unhealthyBecause));
  return new Hono()
    .get('/healthz', (context) => context.text('alive\n'))
    .get('/readyz', async (context) => {
      const { ok, line } = await judge();
      return context.text(`${line}\n`, ok ? 200 : 503);
    });
};

/** `/metrics`, for Prometheus; `read` returns the current values. */
export const metricsRoutes = (metrics: Metrics, read: () => Promise<Seen>): Hono => {
  const render = oneAtATime(async () => metrics.render(await read()));
  return new Hono().get('/metrics', async (context) =>
    context.body(await render(), 200, { 'content-type': metrics.contentType }),
  );
};

/** The same work, done once for all who ask while it is under way. */
const oneAtATime = <T>(work: () => Promise<T>): (() => Promise<T>) => {
  let underWay: Promise<T> | null = null;
  return () =>
    (underWay ??= work().finally(() => {
      underWay = null;
    }));
};
