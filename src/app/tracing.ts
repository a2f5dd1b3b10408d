import type { Clock } from '../clock.ts';
import type { Config } from '../config/config.ts';
import type { Events } from '../events.ts';
import { NO_TRACING, type Tracing } from '../trace/tracing.ts';

/** Who follows runs, as the configuration says; loaded when the first run asks. */
export const lazyTracing = (config: Config, { clock, events }: { readonly clock: Clock; readonly events: Events }) => {
  const { otelExporterOtlpEndpoint: endpoint, otelServiceName: serviceName } = config;
  let opened: Promise<Tracing> | null = null;
  const load = async (): Promise<Tracing> => {
    if (endpoint === null) return NO_TRACING;
    try {
      const { openOtlp } = await import('../trace/otlp.ts');
      return openOtlp({ endpoint, serviceName, clock, events });
    } catch (error) {
      // What only watches runs keeps none from beginning.
      const reason = error instanceof Error ? error.message : String(error);
      events.tracesLost({ host: URL.parse(endpoint)?.host ?? '', reason });
      return NO_TRACING;
    }
  };
  return {
    open: (): Promise<Tracing> => (opened ??= load()),
    close: async (): Promise<void> => (await opened)?.close(),
  };
};
