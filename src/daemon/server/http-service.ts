import { randomBytes } from 'node:crypto';
import type { App } from '../../app/app.ts';
import type { Clock } from '../../util/clock.ts';
import type { Config } from '../../app/config/config.ts';
import type { LinkConfig } from '../../app/config/link-config.ts';
import { Hono } from 'hono';
import { openAddressRemedy } from '../../app/config/unencrypted.ts';
import { ConfigError } from '../../util/config-error.ts';
import type { ListenAddress } from '../../util/values.ts';
import type { Console, openConsole } from '../console/console.ts';
import type { Events } from '../../app/events.ts';
import { checkHealth, readLinkHealth, unhealthyBecause, type LinkHealth, type Health } from './health.ts';
import type { Daemon, OnReport } from '../daemon.ts';
import { localPage, openHttpServer } from './http-server.ts';
import { createMetrics, type MetricsInput, type Metrics } from './metrics.ts';
import { shareConcurrentCalls } from '../../util/share.ts';

type HttpServiceOptions = {
  readonly config: Config;
  /** The log. */
  readonly events: Events;
  readonly clock: Clock;
  /** The version of this program. */
  readonly version: string;
  readonly openConsole: typeof openConsole;
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

const health = ({ app: { config, store }, daemon, clock }: Subject) =>
  checkHealth({ dataDir: config.dataDir, links: daemon.links(), store, nowMs: clock.now(), isDaemon: true });

/** Binds the address. An address that no setting asks for and that cannot be bound is logged; then the result is null. */
const bindServer = (address: ListenAddress, { config, events }: HttpServiceOptions) => {
  const onError = (path: string, error: unknown): void => events.httpRequestFailed({ path, error });
  const onLimited = (limit: number): void => events.httpConnectionsLimited({ limit });
  return openHttpServer({ address, onError, onLimited }).catch((error: unknown) => {
    if (!config.isListenOptional || !(error instanceof ConfigError)) throw error;
    events.pageUnavailable({ reason: error.problems.map(({ what }) => what).join(' '), remedy: PAGE_REMEDY });
    return null;
  });
};

/**
 * Binds the address of LISTEN for the page, metrics and health, and counts metrics from now on. Null without an address.
 *
 * @throws {ConfigError} if the address cannot be bound and a setting asks for it.
 */
export const openHttpService = async (options: HttpServiceOptions) => {
  const { config, events, clock, version } = options;
  const { listen: address, consoleToken: token } = config;
  const server = address === null ? null : await bindServer(address, options);
  if (address === null || server === null) return null;
  let links = (): readonly LinkConfig[] => [];
  const metrics = createMetrics({ version, links: () => links() });
  let page: Console | undefined;
  return {
    /** The log; some of its events are counted as metrics. */
    events: {
      ...events,
      rateLimited: (fields: Parameters<Events['rateLimited']>[0]): void => {
        events.rateLimited(fields);
        metrics.countLimited(fields);
      },
    },
    onReport: (...of: Parameters<OnReport>): void => {
      metrics.count(...of);
      page?.onReport(...of);
    },
    /** Starts to answer requests, until the result is disposed; called once. */
    serve: async (app: App, daemon: Daemon): Promise<AsyncDisposable> => {
      links = () => daemon.links();
      const subject = { app, daemon, clock };
      const place = { ...subject, address: server.address, token };
      page = await options.openConsole({ ...place, newSecret, onUndone: metrics.countRun }).catch((error: unknown) => {
        // If DATA_DIR is not writable, everything except the page is served.
        events.heartbeatFailed({ error });
        return undefined;
      });
      const groups = [healthRoutes(() => health(subject)), metricsRoutes(metrics, () => readMetricsInput(subject))];
      if (page !== undefined) groups.push(token === null ? localPage(page.routes) : page.routes);
      server.serve(groups);
      events.httpServerStarted({ address: server.address });
      const remedy = openAddressRemedy(address, { hasPage: token !== null });
      if (remedy !== null) events.httpServerOpen({ address: server.address, remedy });
      return {
        [Symbol.asyncDispose]: async () => {
          await page?.[Symbol.asyncDispose]();
          await server[Symbol.asyncDispose]();
        },
      };
    },
    [Symbol.asyncDispose]: (): Promise<void> => server[Symbol.asyncDispose](),
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
