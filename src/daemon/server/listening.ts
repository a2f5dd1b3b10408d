import type { App } from '../../app/app.ts';
import type { Clock } from '../../util/clock.ts';
import type { LinkConfig } from '../../app/config/config.ts';
import type { Hono } from 'hono';
import { openAddressRemedy } from '../../app/config/open-address.ts';
import type { ListenAddress } from '../../util/values.ts';
import type { OpenConsole, Console } from '../console/console.ts';
import type { Events } from '../../engine/events.ts';
import { checkHealth } from '../jobs/check-health.ts';
import type { Daemon, OnReport } from '../jobs/daemon.ts';
import { standingOf, type LinkStanding } from '../jobs/standing.ts';
import { localPage, openDoor, openOptionalDoor } from './door.ts';
import { healthRoutes } from './health-routes.ts';
import { createMetrics, type Seen } from './metrics.ts';
import { metricsRoutes } from './metrics-routes.ts';

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

const look = async ({ app, daemon, clock }: Subject): Promise<Seen> => {
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
          const groups = [healthRoutes(() => health(subject)), metricsRoutes(metrics, () => look(subject))];
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
