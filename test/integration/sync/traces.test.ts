import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { createApp } from '../../../src/app/app.ts';
import { loadConfig } from '../../../src/config/config.ts';
import { createEventLog } from '../../support/jobs/event-log.ts';
import { startLinkedSandbox } from '../../support/linked-sandbox.ts';
import { startReceiver, type Receiver } from '../../support/receiver.ts';

// Runs over both emulators, whose traces a collector takes: a real HTTP server that is sent OTLP as JSON.

const attribute = z.object({ key: z.string(), value: z.record(z.string(), z.unknown()) });
const span = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  name: z.string(),
  startTimeUnixNano: z.string(),
  endTimeUnixNano: z.string(),
  attributes: z.array(attribute),
  status: z.object({ code: z.number().default(0) }),
});
const exported = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: z.array(attribute) }),
      scopeSpans: z.array(z.object({ spans: z.array(span) })),
    }),
  ),
});
type Span = z.infer<typeof span>;

let collector: Receiver;
beforeEach(async () => {
  collector = await startReceiver();
  collector.answer((response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'));
});
afterEach(() => collector[Symbol.asyncDispose]());

const received = () => {
  const all = collector.received.flatMap(({ body }) => exported.parse(JSON.parse(body)).resourceSpans);
  const spans = all.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
  const [run, ...otherRuns] = spans.filter(({ name }) => name === 'run');
  if (run === undefined) throw new Error('No span of a run was received.');
  const below = (parent: Span): readonly Span[] => spans.filter(({ parentSpanId }) => parentSpanId === parent.spanId);
  return { resource: valuesOf(all[0]?.resource.attributes ?? []), spans, run, otherRuns, below };
};

/** Attributes as a plain object. */
const valuesOf = (attributes: readonly z.infer<typeof attribute>[]): Record<string, unknown> =>
  Object.fromEntries(
    attributes.map(({ key, value }) => {
      const [held] = Object.values(value);
      return [key, 'intValue' in value ? Number(held) : held];
    }),
  );

const timesOf = ({ startTimeUnixNano, endTimeUnixNano }: Span): [bigint, bigint] => [
  BigInt(startTimeUnixNano),
  BigInt(endTimeUnixNano),
];

/** A link whose traces go to the collector; they are all there once it is closed. */
const start = (variables: Readonly<Record<string, string>> = {}) =>
  startLinkedSandbox({ count: 12 }, { OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`, ...variables });

test('a run is a span, its phases are below it, and their requests below them', async () => {
  const linked = await start();
  const { summary } = await linked.sync();
  await linked[Symbol.asyncDispose]();
  const { resource, spans, run, otherRuns, below } = received();
  expect(collector.received[0]).toMatchObject({ path: '/v1/traces', headers: { 'content-type': 'application/json' } });
  expect(resource['service.name']).toBe('contact-sync');
  expect(otherRuns).toEqual([]);
  expect(run.parentSpanId).toBeUndefined();
  expect(valuesOf(run.attributes)).toMatchObject({
    'contact_sync.link': 'default',
    'contact_sync.run': summary.run,
    'contact_sync.kind': 'full',
    'contact_sync.outcome': 'completed',
    'contact_sync.pulled': summary.left.pulled + summary.right.pulled,
    'contact_sync.created': summary.left.created + summary.right.created,
    'contact_sync.requests': summary.left.requests + summary.right.requests,
  });

  const isRequest = ({ name }: Span): boolean => name.includes(' ');
  const phases = below(run).filter((each) => !isRequest(each));
  expect(phases.map(({ name }) => name)).toEqual(['pull', 'confirm', 'plan', 'execute']);
  for (const [index, phase] of phases.entries()) {
    const [from, to] = timesOf(phase);
    expect(from >= timesOf(run)[0] && to <= timesOf(run)[1] && from <= to).toBe(true);
    expect(from >= (timesOf(phases[index - 1] ?? run)[index === 0 ? 0 : 1] ?? 0n)).toBe(true);
  }
  const requestsOf = (name: string): readonly string[] =>
    phases.flatMap((phase) => (phase.name === name ? below(phase).map((each) => each.name) : []));
  expect(requestsOf('pull')).toEqual(expect.arrayContaining(['GET /v1/people/me/connections', 'GET /v2/contacts']));
  expect(requestsOf('execute')).toEqual(expect.arrayContaining(['POST /v2/contacts', 'PATCH /v2/contacts/{id}']));
  const requests = spans.filter(isRequest);
  expect(requests).toHaveLength(summary.left.requests + summary.right.requests);
  const post = requests.find(({ name }) => name === 'POST /v2/contacts');
  expect(valuesOf(post?.attributes ?? [])).toMatchObject({
    'http.request.method': 'POST',
    'url.template': '/v2/contacts',
    'http.response.status_code': expect.any(Number),
    'contact_sync.side': 'service',
  });
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
});

test('nothing that was sent names a contact, or an id of one', async () => {
  const linked = await start();
  await linked.sync();
  const { google, service } = linked.sandbox;
  const [person] = google.account.people();
  google.account.deletePerson(person?.resourceName ?? '');
  linked.clock.advance(60_000);
  await linked.sync();
  const people = google.account.people();
  const contacts = service.account.contacts();
  await linked[Symbol.asyncDispose]();
  const sent = collector.received.map(({ body }) => body).join('\n');
  const personal = [
    ...people.flatMap(({ resourceName, names, emailAddresses }) => [
      resourceName?.replace('people/', ''),
      names?.[0]?.familyName,
      emailAddresses?.[0]?.value,
    ]),
    ...contacts.flatMap(({ id, last_name: lastName }) => [id, lastName]),
    ...Object.entries(linked.sandbox.environment()).flatMap(([name, value]) =>
      /TOKEN$|SECRET$/u.test(name) ? value : [],
    ),
  ].filter((text) => text !== undefined && text !== null && text.length > 3);
  expect(personal.length).toBeGreaterThan(40);
  expect(personal.filter((text) => sent.includes(String(text)))).toEqual([]);
  expect(received().otherRuns).toHaveLength(1);
});

test('a run that fails is marked, and so is the request that failed', async () => {
  const linked = await start({ OTEL_SERVICE_NAME: 'sync-of-ada' });
  await linked.sync();
  linked.sandbox.service.addFault({
    method: 'GET',
    path: '/v2/contacts',
    times: 1,
    action: { kind: 'status', status: 422 },
  });
  const { error } = await linked.sync();
  expect(error).not.toBeNull();
  await linked[Symbol.asyncDispose]();
  const { resource, otherRuns, spans } = received();
  expect(resource['service.name']).toBe('sync-of-ada');
  const [failed] = otherRuns;
  expect(failed?.status.code).toBe(2);
  expect(valuesOf(failed?.attributes ?? [])).toMatchObject({
    'contact_sync.outcome': 'failed',
    'error.type': 'InvalidError',
  });
  const request = spans.find(({ status, name }) => status.code === 2 && name === 'GET /v2/contacts');
  expect(valuesOf(request?.attributes ?? [])).toMatchObject({ 'http.response.status_code': 422, 'error.type': '422' });
});

test('a collector that takes nothing is told of once, and no run minds', async () => {
  collector.answer((response) => response.writeHead(404).end());
  const linked = await start();
  const log = createEventLog();
  const config = loadConfig({
    env: {
      ...linked.sandbox.environment(),
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      DATA_DIR: `${linked.dataDir}/own`,
    },
    cwd: linked.dataDir,
  });
  const app = createApp(config, log.events);
  const [link] = config.links;
  if (link === undefined) throw new Error('There is one link.');
  const { signal } = new AbortController();
  const { error } = await app.run(link, { kind: 'incremental', acceptDeletes: false, signal });
  expect(error).toBeNull();
  await app[Symbol.asyncDispose]();
  const { host } = new URL(collector.url);
  expect(log.lines.filter(({ name }) => name === 'tracesLost')).toEqual([
    { name: 'tracesLost', fields: { host, reason: expect.stringContaining('Not Found') } },
  ]);
  await linked[Symbol.asyncDispose]();
});
