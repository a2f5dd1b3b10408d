import type { App } from '../app/app.ts';
import type { Clock } from '../clock.ts';
import type { LinkConfig } from '../config/config.ts';
import type { Hono } from 'hono';
import { openAddressRemedy } from '../config/open-address.ts';
import type { ListenAddress } from '../config/values.ts';
import type { OpenConsole, Console } from '../console/console.ts';
import type { Events } from '../events.ts';
import { checkHealth } from '../jobs/check-health.ts';
import type { Daemon, OnReport } from '../jobs/daemon.ts';
import { standingOf, type LinkStanding } from '../jobs/standing.ts';
import { openDoor } from './door.ts';
import { healthRoutes } from './health-routes.ts';
import { createMetrics, type Seen } from './metrics.ts';
import { metricsRoutes } from './metrics-routes.ts';

export type ListeningOptions = {
  readonly address: ListenAddress;
  /** The log. */
  readonly events: Events;
  readonly clock: Clock;
  /** Of this program. */
  readonly version: string;
  /** Opens the page; null where there is none. */
  readonly openConsole: OpenConsole | null;
  /** Makes the routes by which programs change links; null where there are none. */
  readonly openApi: (() => Promise<Hono>) | null;
};

/** What LISTEN adds to the daemon. */
export type Listening = {
  /** The log, from which some events are counted. */
  readonly events: Events;
  readonly onReport: OnReport;
  /**
   * Takes the address; `serve` begins to answer there.
   *
   * @throws {ConfigError} where the address cannot be had.
   */
  open(app: App): Promise<AsyncDisposable & { serve(daemon: Daemon): Promise<void> }>;
};

type Subject = { readonly app: App; readonly daemon: Daemon; readonly clock: Clock };

const NO_LINKS: readonly LinkConfig[] = [];

const look = async ({ app, daemon, clock }: Subject): Promise<Seen> => {
  const standings: LinkStanding[] = [];
  for (const link of daemon.links()) standings.push(await standingOf(app.store, link));
  const depth = await daemon.depth();
  return { nowMs: clock.now(), sinceMs: (link) => daemon.sinceMs(link), standings, traffic: app.traffic(), depth };
};

const health = ({ app, daemon, clock }: Subject) =>
  checkHealth({ config: app.config, links: daemon.links(), store: app.store, nowMs: clock.now() });

/** Counts what happens from now on; nothing is listened at yet. */
export const createListening = ({
  address,
  events,
  clock,
  version,
  openConsole,
  openApi,
}: ListeningOptions): Listening => {
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
      const door = await openDoor({ address, onError: (path, error) => events.answerFailed({ path, error }) });
      const remedy = openAddressRemedy(address, { hasPage: openConsole !== null, hasApi: openApi !== null });
      return {
        serve: async (daemon) => {
          links = () => daemon.links();
          const subject = { app, daemon, clock };
          page = await openConsole?.({ app, daemon, address: door.address }).catch(withoutPage);
          const api = await openApi?.();
          const groups = [healthRoutes(() => health(subject)), metricsRoutes(metrics, () => look(subject))];
          // Before the page, which looks at every request that it is given.
          if (api !== undefined) groups.push(api);
          if (page !== undefined) groups.push(page.routes);
          door.serve(groups);
          events.listening({ address: door.address });
          if (remedy !== null) events.listeningOpenly({ address: door.address, remedy });
        },
        [Symbol.asyncDispose]: async () => {
          await page?.[Symbol.asyncDispose]();
          await door[Symbol.asyncDispose]();
        },
      };
    },
  };
};
