import { randomBytes } from 'node:crypto';
import type { App } from '../../app/app.ts';
import type { Clock } from '../../util/clock.ts';
import type { LinkConfig } from '../../app/config/link-config.ts';
import { Hono } from 'hono';
import { openAddressRemedy } from '../../app/config/unencrypted.ts';
import { ConfigError } from '../../util/config-error.ts';
import type { Secret } from '../../util/secret.ts';
import type { ListenAddress } from '../../util/values.ts';
import type { Console, openConsole } from '../console/console.ts';
import type { Events } from '../../engine/events.ts';
import { checkHealth, readLinkHealth, unhealthyBecause, type LinkHealth, type Health } from './health.ts';
import type { Daemon, OnReport } from '../daemon.ts';
import { localPage, openHttpServer } from './http-server.ts';
import { createMetrics, type MetricsInput, type Metrics } from './metrics.ts';
import { shareConcurrentCalls } from '../../util/share.ts';

type HttpServiceOptions = {
  readonly address: ListenAddress;
  /** Whether the daemon runs without the address if it cannot be bound. */
  readonly isOptional: boolean;
  /** The log. */
  readonly events: Events;
  readonly clock: Clock;
  /** The version of this program. */
  readonly version: string;
  readonly openConsole: typeof openConsole;
  /** The token that signs in to the page. Without one, only requests to a loopback name get the page. */
  readonly token: Secret | null;
};

/** The page, metrics and health at LISTEN. */
export type HttpService = {
  /** The log; some of its events are counted as metrics. */
  readonly events: Events;
  readonly onReport: OnReport;
  /**
   * Binds the address; `serve` starts to answer requests. Logs an optional address that cannot be bound and returns null.
   *
   * @throws {ConfigError} if an address that is not optional cannot be bound.
   */
  open(app: App): Promise<(AsyncDisposable & { serve(daemon: Daemon): Promise<void> }) | null>;
};

const PAGE_REMEDY = 'Set LISTEN to another address, such as 127.0.0.1:8378, or to off to run without the page.';

const newSecret = (): string => randomBytes(32).toString('base64url');

type Subject = { readonly app: App; readonly daemon: Daemon; readonly clock: Clock };

const readMetricsInput = async ({ app, daemon, clock }: Subject): Promise<MetricsInput> => {
  const states: LinkHealth[] = [];
  for (const link of daemon.links()) states.push(await readLinkHealth(app.store, link));
  const depth = await daemon.depth();
  return { nowMs: clock.now(), sinceMs: (link) => daemon.sinceMs(link), states, traffic: app.traffic(), depth };
};

const health = ({ app, daemon, clock }: Subject) =>
  checkHealth({ config: app.config, links: daemon.links(), store: app.store, nowMs: clock.now(), isDaemon: true });

/** Creates the service, which counts metrics from now on. `open` binds the address. */
export const createHttpService = (options: HttpServiceOptions): HttpService => {
  const { address, isOptional, events, clock, version, token } = options;
  let links = (): readonly LinkConfig[] => [];
  const metrics = createMetrics({ version, links: () => links() });
  let page: Console | undefined;
  /** If DATA_DIR is not writable, everything except the page is served. */
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
      const onLimited = (limit: number): void => events.httpConnectionsLimited({ limit });
      const server = await openHttpServer({ address, onError, onLimited }).catch((error: unknown) => {
        if (!isOptional || !(error instanceof ConfigError)) throw error;
        events.pageUnavailable({ reason: error.problems.map(({ what }) => what).join(' '), remedy: PAGE_REMEDY });
        return null;
      });
      if (server === null) return null;
      const remedy = openAddressRemedy(address, { hasPage: token !== null });
      return {
        serve: async (daemon) => {
          links = () => daemon.links();
          const subject = { app, daemon, clock };
          const place = { ...subject, address: server.address, token };
          page = await options.openConsole({ ...place, newSecret, onUndone: metrics.countRun }).catch(withoutPage);
          const groups = [healthRoutes(() => health(subject)), metricsRoutes(metrics, () => readMetricsInput(subject))];
          if (page !== undefined) groups.push(token === null ? localPage(page.routes) : page.routes);
          server.serve(groups);
          events.httpServerStarted({ address: server.address });
          if (remedy !== null) events.httpServerOpen({ address: server.address, remedy });
        },
        [Symbol.asyncDispose]: async () => {
          await page?.[Symbol.asyncDispose]();
          await server[Symbol.asyncDispose]();
        },
      };
    },
  };
};

/** `/healthz`: the process is alive. `/readyz`: the daemon is healthy, with the rules and the line of `contact-sync health`. */
export const healthRoutes = (check: () => Promise<Health>): Hono => {
  const judge = shareConcurrentCalls(() => check().catch(unhealthyBecause));
  return new Hono()
    .get('/healthz', (context) => context.text('alive\n'))
    .get('/readyz', async (context) => {
      const { ok, line } = await judge();
      return context.text(`${line}\n`, ok ? 200 : 503);
    });
};

/** `/metrics`, for Prometheus; `read` returns the current values. */
export const metricsRoutes = (metrics: Metrics, read: () => Promise<MetricsInput>): Hono => {
  const render = shareConcurrentCalls(async () => metrics.render(await read()));
  return new Hono().get('/metrics', async (context) =>
    context.body(await render(), 200, { 'content-type': metrics.contentType }),
  );
};
