import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { HaltError, LeaseError, StoppedError } from '../../../src/engine/errors.ts';
import { createEvents } from '../../../src/app/events.ts';
import { logResult, logRunEvent } from '../../../src/app/run-log.ts';
import type { RunSummary } from '../../../src/engine/run.ts';
import * as errors from '../../../src/providers/errors.ts';
import { createLogger } from '../../../src/util/logger.ts';
import { SIDE_WORDS } from '../../support/side-words.ts';

const NO_COUNTS = { pulled: 0, created: 0, updated: 0, deleted: 0, groupsChanged: 0, groupsDeleted: 0, requests: 0 };

const NOTHING = { left: NO_COUNTS, right: NO_COUNTS, paired: 0, conflicts: 0, skipped: 0, durationMs: 5 };
const SUMMARY: RunSummary = { link: 'a', run: 'r1', kind: 'incremental', outcome: 'failed', reason: null, ...NOTHING };

const AT = { side: 'right', status: null, route: 'GET /v2/contacts', applied: 'no' } as const;

const startLog = () => {
  const lines: { level: string; msg: string; fields: object }[] = [];
  const write = (level: string) => (first: object | string, msg?: string) => {
    lines.push(
      typeof first === 'string' ? { level, msg: first, fields: {} } : { level, msg: msg ?? '', fields: first },
    );
  };
  const logger = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
  return { lines, events: createEvents(logger, { personalData: false }) };
};

test.each<[string, Error | null, Partial<RunSummary>, string, string]>([
  ['no problem and no change', null, {}, 'debug', 'run completed'],
  ['a write', null, { right: { ...NO_COUNTS, updated: 1 } }, 'info', 'run completed'],
  ['a renamed group', null, { right: { ...NO_COUNTS, groupsChanged: 1 } }, 'info', 'run completed'],
  ['a deleted group', null, { left: { ...NO_COUNTS, groupsDeleted: 1 } }, 'info', 'run completed'],
  ['paired contacts', null, { paired: 1 }, 'info', 'run completed'],
  ['a settled conflict', null, { conflicts: 1 }, 'info', 'run completed'],
  ['no change, requested by hand', null, { kind: 'full' }, 'info', 'run completed'],
  ['no change, as an undo', null, { kind: 'undo' }, 'info', 'run completed'],
  ['a remote that stays down', new errors.UnavailableError('x', AT), {}, 'warn', 'run cut short'],
  ['a limit that stays reached', new errors.LimitedError('x', AT), {}, 'warn', 'run cut short'],
  ['unreadable responses', new errors.UnreadableError('x', AT), {}, 'warn', 'run cut short'],
  ['a revoked permission', new errors.RevokedError('x', AT), {}, 'error', 'link paused'],
  ['a token refused', new errors.UnauthenticatedError('x', AT), {}, 'error', 'link paused'],
  ['a halt', new HaltError({ reason: 'too-many-deletes', message: 'x' } as never), {}, 'error', 'run halted'],
  ['a first sync that waits', new HaltError({ reason: 'first-sync', message: 'x' } as never), {}, 'warn', 'run halted'],
  ['the program stopped', new StoppedError(), {}, 'info', 'run stopped'],
  ['a lease lost', new LeaseError('a', 'lost'), {}, 'warn', 'lease lost'],
  ['a response that no run repairs', new errors.NotFoundError('x', AT), {}, 'error', 'run failed'],
  ['a fault of the program', new TypeError('x'), {}, 'error', 'run failed'],
])('a run that ended with %s is one line of its level', (_name, error, change, level, msg) => {
  const { lines, events } = startLog();
  logResult(events, SIDE_WORDS, { summary: { ...SUMMARY, ...change }, error });
  expect(lines).toMatchObject([{ level, msg, fields: { link: 'a', run: 'r1' } }]);
});

const OF = { link: 'a', run: 'r1', sides: SIDE_WORDS };

test('a run logs that it has started, under its id', () => {
  const { lines, events } = startLog();
  logRunEvent(events, OF, { kind: 'started', runKind: 'undo' });
  expect(lines).toEqual([{ level: 'debug', msg: 'run started', fields: { link: 'a', run: 'r1', kind: 'undo' } }]);
});

test.each([
  ['names differ', /one email address.*merge them at Google or at the service/u],
  ['same phone number', /one phone number and similar names.*merge them at Google or at the service/u],
  ['same name', /one name.*merge them at Google or at the service/u],
] as const)('R13: contacts left unpaired are logged with the reason and how to join them: %s', (why, remedy) => {
  const { lines, events } = startLog();
  logRunEvent(events, OF, { kind: 'ambiguous', left: ['g'], right: ['s'], why });
  const fields = { googleIds: ['g'], serviceIds: ['s'], why, remedy: expect.stringMatching(remedy) };
  expect(lines).toMatchObject([{ level: 'warn', msg: 'ambiguous match', fields }]);
});

const NAME = 'Sandy Sample';

const REFUSED = `the service refused POST /v2/contacts (422) saying "the address is that of "${NAME}", of Ex\nample Ltd"`;

const CAUSE = { status: 422, route: 'POST /v2/contacts', applied: 'no' } as const;

const refusal = () => {
  const error = new errors.InvalidError(REFUSED, { ...CAUSE, cause: new Error(`Invalid for ${NAME}`) });
  return Object.assign(error, { side: 'right' as const });
};

/** Returns the log of a refused contact, of a run that failed because of it, and of a link that waits. */
const logAll = async (personalData: boolean): Promise<string> => {
  const destination = Object.assign(new PassThrough(), { isTTY: false });
  const events = createEvents(createLogger({ level: 'debug', format: 'json', destination }), { personalData });
  events.contactSkipped({ ...OF, side: 'right', leftId: 'people/c1', rightId: null, reason: REFUSED });
  events.groupRefused({ ...OF, side: 'right', name: 'Friends', reason: REFUSED });
  logResult(events, SIDE_WORDS, { summary: { ...SUMMARY, reason: REFUSED }, error: refusal() });
  events.jobFailed({ link: 'work', kind: 'full', error: new Error('It failed.', { cause: refusal() }) });
  destination.end();
  return text(destination);
};

test("a remote's own text, which may contain names of people, is logged only if LOG_PERSONAL_DATA is true", async () => {
  const lines = await logAll(false);
  expect(lines).not.toMatch(/Sandy|Ltd|saying/u);
  expect(lines.match(/the service refused POST \/v2\/contacts \(422\)/gu)?.length).toBeGreaterThanOrEqual(4);
  expect(lines).toContain('people/c1');
  expect(await logAll(true)).toContain(NAME);
});

test('a run that failed because of a side names that side', async () => {
  const lines = (await logAll(false)).trim().split('\n');
  const failed: unknown = JSON.parse(lines.find((line) => line.includes('"run failed"')) ?? '');
  expect(failed).toMatchObject({ level: 'error', link: 'a', side: 'service', error: { kind: 'invalid', status: 422 } });
});
