import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Span,
  type Tracer,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider, type SpanExporter } from '@opentelemetry/sdk-trace';
import type { Clock } from '../clock.ts';
import type { Events } from '../events.ts';
import { SIDES } from '../contact/side.ts';
import type { RunSummary } from '../sync/run.ts';
import { templateOf } from './route.ts';
import type { RunTrace, TracedRequest, Tracing } from './tracing.ts';

export type OtlpOptions = {
  /** The collector's address, without a slash at its end. */
  readonly endpoint: string;
  readonly serviceName: string;
  readonly clock: Clock;
  readonly events: Pick<Events, 'tracesLost'>;
};

/** One export with all its attempts: so much longer may the end of the program take. */
const EXPORT_MS = 3_000;

/** The exporter, which says once for each reason in a row that nothing arrived; nothing else would. */
const createExporter = ({ endpoint, events }: OtlpOptions): SpanExporter => {
  const exporter = new OTLPTraceExporter({ url: `${endpoint}/v1/traces`, timeoutMillis: EXPORT_MS });
  const { host } = new URL(endpoint);
  let trouble: string | null = null;
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        const reason = result.error?.message ?? null;
        if (reason !== null && reason !== trouble) events.tracesLost({ host, reason });
        trouble = reason;
        done(result);
      }),
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
  };
};

/** What OTEL_RESOURCE_ATTRIBUTES says of this process comes with it. */
const createProvider = (options: OtlpOptions): TracerProvider =>
  new TracerProvider({
    resource: defaultResource()
      .merge(detectResources({ detectors: [envDetector] }))
      .merge(resourceFromAttributes({ 'service.name': options.serviceName })),
    spanProcessors: [new BatchSpanProcessor({ exporter: createExporter(options) })],
  });

const countsOf = ({ left, right, ...summary }: RunSummary): Attributes => {
  const both = { left, right };
  const sum = (count: 'pulled' | 'created' | 'updated' | 'deleted' | 'requests'): number =>
    SIDES.reduce((total, side) => total + both[side][count], 0);
  return {
    'contact_sync.outcome': summary.stopped === true ? 'stopped' : summary.outcome,
    'contact_sync.pulled': sum('pulled'),
    'contact_sync.created': sum('created'),
    'contact_sync.updated': sum('updated'),
    'contact_sync.deleted': sum('deleted'),
    'contact_sync.requests': sum('requests'),
    'contact_sync.paired': summary.paired,
    'contact_sync.conflicts': summary.conflicts,
    'contact_sync.skipped': summary.skipped,
  };
};

/** The kind of an error, not its words: these may name people. */
const markFailed = (span: Span, type: string): void => {
  span.setAttribute('error.type', type);
  span.setStatus({ code: SpanStatusCode.ERROR });
};

/** A run under way, and its phase under way. */
type Underway = { readonly span: Span; phase: Span | null };

type Parts = {
  readonly tracer: Tracer;
  readonly clock: Clock;
  /** By link: what requests belong to. */
  readonly runs: Map<string, Underway>;
};

const under = (parent: Span) => trace.setSpan(ROOT_CONTEXT, parent);

const beginRun = ({ tracer, clock, runs }: Parts, link: string, run: string, kind: string): Underway => {
  const attributes = { 'contact_sync.link': link, 'contact_sync.run': run, 'contact_sync.kind': kind };
  const own = { span: tracer.startSpan('run', { startTime: clock.now(), attributes }, ROOT_CONTEXT), phase: null };
  runs.set(link, own);
  return own;
};

const followRun = (parts: Parts, link: string): RunTrace => {
  const { tracer, clock, runs } = parts;
  let own: Underway | null = null;
  return {
    tell: (event, run) => {
      if (event.kind === 'started') own = beginRun(parts, link, run, event.runKind);
      if (event.kind !== 'phase' || own === null) return;
      own.phase?.end(clock.now());
      own.phase = tracer.startSpan(event.phase, { startTime: clock.now() }, under(own.span));
    },
    end: ({ summary, error }) => {
      if (own === null) return;
      if (runs.get(link) === own) runs.delete(link);
      if (summary !== null) own.span.setAttributes(countsOf(summary));
      const isStopped = summary?.stopped === true;
      if (error !== null && !isStopped) markFailed(own.span, error instanceof Error ? error.name : 'unknown');
      own.phase?.end(clock.now());
      own.span.end(clock.now());
    },
  };
};

const followRequest = ({ tracer, clock, runs }: Parts, { link, side, method, path }: TracedRequest) => {
  const run = runs.get(link);
  if (run === undefined) return () => undefined;
  const template = templateOf(path);
  const attributes = { 'http.request.method': method, 'url.template': template, 'contact_sync.side': side };
  const options = { kind: SpanKind.CLIENT, startTime: clock.now(), attributes };
  const span = tracer.startSpan(`${method} ${template}`, options, under(run.phase ?? run.span));
  return (status: number | null): void => {
    if (status !== null) span.setAttribute('http.response.status_code', status);
    if (status === null || status >= 400) markFailed(span, status === null ? 'no answer' : String(status));
    span.end(clock.now());
  };
};

/** Traces for a collector that takes OTLP over HTTP: a span for each run, below it its phases, below these their requests. */
export const openOtlp = (options: OtlpOptions): Tracing => {
  const provider = createProvider(options);
  const parts: Parts = { tracer: provider.getTracer('contact-sync'), clock: options.clock, runs: new Map() };
  return {
    follow: (link) => followRun(parts, link),
    request: (request) => followRequest(parts, request),
    // What the collector did not take has been told; the end of the program does not fail because of it.
    close: () => provider.shutdown().catch(() => undefined),
  };
};
