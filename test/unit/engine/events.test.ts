import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { createEvents } from '../../../src/engine/events.ts';
import { createLogger } from '../../../src/util/logger.ts';
import { InvalidError } from '../../../src/providers/errors.ts';
import { logResult } from '../../../src/engine/run-log.ts';
import type { RunSummary } from '../../../src/engine/run.ts';
import { SIDE_WORDS } from '../../support/side-words.ts';

const NAME = 'Sandy Sample';
const REFUSED = `the service refused POST /v2/contacts (422) saying "the address is that of "${NAME}", of Ex\nample Ltd"`;
const AT = { status: 422, route: 'POST /v2/contacts', applied: 'no' } as const;
const COUNTS = { pulled: 0, created: 0, updated: 0, deleted: 0, groupsDeleted: 0, requests: 1 };
const SUMMARY: RunSummary = {
  link: 'work',
  run: 'r1',
  kind: 'incremental',
  outcome: 'failed',
  reason: REFUSED,
  left: COUNTS,
  right: COUNTS,
  paired: 0,
  conflicts: 0,
  skipped: 0,
  durationMs: 1,
};

const refusal = (): InvalidError => {
  const error = new InvalidError(REFUSED, { ...AT, cause: new Error(`Invalid for ${NAME}`) });
  return Object.assign(error, { side: 'right' as const });
};

/** Returns the log of a refused contact, of a run that failed because of it, and of a link that waits. */
const logAll = async (personalData: boolean): Promise<string> => {
  const destination = Object.assign(new PassThrough(), { isTTY: false });
  const events = createEvents(createLogger({ level: 'debug', format: 'json', destination }), { personalData });
  const of = { link: 'work', run: 'r1', sides: SIDE_WORDS };
  events.contactSkipped({ ...of, side: 'right', leftId: 'people/c1', rightId: null, reason: REFUSED });
  events.groupRefused({ ...of, side: 'right', name: 'Friends', reason: REFUSED });
  logResult(events, SIDE_WORDS, { summary: SUMMARY, error: refusal() });
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
  const failed = lines
    .map((line) => JSON.parse(line) as object)
    .find((line) => 'msg' in line && line.msg === 'run failed');
  expect(failed).toMatchObject({
    level: 'error',
    link: 'work',
    side: 'service',
    error: { kind: 'invalid', status: 422 },
  });
});
