import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { Secret } from '../../../src/util/secret.ts';
import { createEvents } from '../../../src/app/events.ts';
import { createLogger, type LoggerOptions } from '../../../src/util/logger.ts';
import { InvalidError } from '../../../src/providers/errors.ts';
import { SIDE_WORDS } from '../../support/side-words.ts';

const CANARY = 'canary-71b2';

/** Returns a logger with readable output. */
const recorded = (options: Partial<LoggerOptions> = {}) => {
  const chunks: string[] = [];
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk.toString());
      done();
    },
  });
  const logger = createLogger({ level: 'info', format: 'json', destination, ...options });
  const lines = (): Record<string, unknown>[] =>
    chunks
      .join('')
      .split('\n')
      .filter((line) => line !== '')
      .map((line): Record<string, unknown> => JSON.parse(line));
  return { logger, lines, output: () => chunks.join('') };
};

test('the logger writes one JSON object a line, with a time, a level and the fields', () => {
  const { logger, lines } = recorded();
  logger.info({ link: 'home', count: 3 }, 'run started');
  logger.warn('second');
  expect(lines()).toEqual([
    { time: expect.stringMatching(/^\d{4}-.*Z$/u), level: 'info', msg: 'run started', link: 'home', count: 3 },
    { time: expect.any(String), level: 'warn', msg: 'second' },
  ]);
});

test('the logger omits events below its level', () => {
  const { logger, lines } = recorded({ level: 'warn' });
  logger.info({}, 'quiet');
  logger.error({}, 'loud');
  expect(lines().map(({ msg }) => msg)).toEqual(['loud']);
});

test('the logger does not redact a sentence about a bearer token', () => {
  const { logger, lines } = recorded();
  const sentences = [
    'Must supply a valid Bearer token.',
    'saying "a valid Bearer token.": sign in',
    'bearer tokens differ',
  ];
  for (const reason of sentences) logger.info({ reason }, 'refused');
  expect(lines().map(({ reason }) => reason)).toEqual(sentences);
  logger.info({ reason: `Bearer token.${CANARY}` }, 'refused');
  logger.info({ reason: `Bearer token_${CANARY}` }, 'refused');
  expect(JSON.stringify(lines())).not.toContain(CANARY);
});

test('the logger writes one readable line an event in the pretty format', () => {
  const { logger, output } = recorded({ format: 'pretty' });
  const google = { pulled: 12, created: 0 };
  logger.info({ link: 'home', run: null, accessToken: CANARY, google, reason: 'It waits.' }, 'run halted');
  expect(output()).toMatch(
    /^\[.*\] INFO: run halted link=home accessToken=\[secret\] google\.pulled=12 reason="It waits\."\n$/u,
  );
  expect(output()).not.toContain(CANARY);
});

test('the logger writes the stack of an error after its line in the pretty format', () => {
  const { logger, output } = recorded({ format: 'pretty' });
  logger.error({ error: new TypeError('no value') }, 'job failed');
  expect(output()).toMatch(
    /ERROR: job failed error\.name=TypeError error\.message="no value"\n +TypeError: no value\n +at /u,
  );
});

test.each<[string, object]>([
  ['a key that names a secret', { accessToken: CANARY, refresh_token: CANARY, clientSecret: CANARY, password: CANARY }],
  ['headers', { request: { headers: { Authorization: `Bearer ${CANARY}`, 'set-cookie': [CANARY] } } }],
  ['a list', { links: [{ service: { api_key: CANARY } }] }],
  ['a secret', { value: new Secret(CANARY) }],
  ['a bearer token in a text', { reason: `refused "Bearer ${CANARY}"` }],
  ['a query in a text', { reason: `POST /token?code=${CANARY}&a=b failed` }],
  ['a password in a URL', { reason: `redis://user:${CANARY}@host is away` }],
  ["an error's text", { error: new Error(`no: Bearer ${CANARY}`) }],
  ["an error's own fields", { error: Object.assign(new Error('no'), { config: { headers: CANARY } }) }],
  ["an error's cause", { error: new Error('no', { cause: new Error(`access_token=${CANARY}`) }) }],
])('the logger prints no credential from %s', (_what, fields) => {
  const { logger, output } = recorded();
  logger.error(fields, 'failed');
  expect(output()).toContain('"msg":"failed"');
  expect(output()).not.toContain(CANARY);
});

test.each([
  'listening at http://127.0.0.1:8377',
  'http://localhost:4000/v2/contacts (404)',
  'http://[::1]:8080, and nothing else',
])('the logger leaves the port of an address as it is: %s', (reason) => {
  const { logger, lines } = recorded();
  logger.info({ reason }, 'noted');
  expect(lines()[0]).toMatchObject({ reason });
});

const PORTLIKE = ['12345', `2024.${CANARY}`, `1,${CANARY}`, `77;${CANARY}`, `7)${CANARY}`];

test.each(PORTLIKE)('the logger redacts the password %s if a host follows', (password) => {
  const { logger, output } = recorded();
  logger.info({ reason: `redis://:${password}@host is away` }, 'noted');
  expect(output()).not.toContain(password);
  expect(output()).not.toContain(CANARY);
});

test('the logger logs the fields of an error that help to find its cause', () => {
  const { logger, lines } = recorded();
  const cause = new Error('reset');
  const options = { status: 422, route: 'POST /v2/contacts', applied: 'no', cause } as const;
  logger.error({ error: new InvalidError('The service refused the contact.', options) }, 'run failed');
  expect(lines()[0]?.['error']).toMatchObject({
    name: 'InvalidError',
    message: 'The service refused the contact.',
    kind: 'invalid',
    status: 422,
    route: 'POST /v2/contacts',
    stack: expect.stringContaining('logger.test.ts'),
    cause: { name: 'Error', message: 'reset' },
  });
});

test('events omit contact data, unless logging of personal data is enabled', () => {
  const report = (personalData: boolean) => {
    const { logger, lines } = recorded();
    const events = createEvents(logger, { personalData });
    const run = { link: 'home', run: 'r1', sides: SIDE_WORDS };
    const ids = { leftId: 'people/c1', rightId: 'contact_1' };
    const values = { left: `${CANARY} one`, right: `${CANARY} two` };
    events.conflictSettled({ ...run, ...ids, ...values, field: 'title', winner: 'left' });
    events.groupCreated({ ...run, side: 'right', name: `${CANARY} three` });
    events.groupRefused({ ...run, side: 'right', name: `${CANARY} four`, reason: 'too long' });
    return lines();
  };
  expect(JSON.stringify(report(false))).not.toContain(CANARY);
  const names = ['three', 'four'].map((word) => ({ name: `${CANARY} ${word}` }));
  expect(report(true)).toMatchObject([{ google: `${CANARY} one`, service: `${CANARY} two` }, ...names]);
});
