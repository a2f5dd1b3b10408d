import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { CLIENT_SCRIPT } from '../../../../src/daemon/console/client-script.ts';

type Answer = { readonly status?: number; readonly redirected?: boolean; readonly text: string };

/** Runs the script on a page with progress, until the answers end or it reloads the page. Returns the shown texts. */
const follow = async (answers: readonly (Answer | null)[]) => {
  const shown: string[] = [];
  const left = [...answers];
  const text = {
    set textContent(value: string) {
      shown.push(value);
    },
  };
  const live = { dataset: { live: '/live' }, querySelector: (name: string) => (name === 'p' ? text : {}) };
  const ended = Promise.withResolvers<string>();
  const answer = (): Promise<unknown> => {
    const next = left.shift();
    if (next === undefined) ended.resolve('waits');
    if (next === undefined) return new Promise(() => undefined);
    if (next === null) return Promise.reject(new Error('no network'));
    const { status = 200, redirected = false } = next;
    return Promise.resolve({
      status,
      redirected,
      ok: status === 200,
      json: async () => JSON.parse(next.text) as unknown,
    });
  };
  runInNewContext(CLIENT_SCRIPT, {
    document: { querySelectorAll: () => [], querySelector: (name: string) => (name === '[data-live]' ? live : null) },
    location: { reload: () => ended.resolve('reloaded') },
    setInterval: () => 0,
    setTimeout: (step: () => void) => setImmediate(step),
    addEventListener: () => undefined,
    fetch: answer,
  });
  return { ending: await Promise.race([ended.promise, new Promise((stop) => setTimeout(stop, 500, 'stuck'))]), shown };
};

const WORK = { text: JSON.stringify({ text: '1 of 5 contacts written.', done: 1, total: 5 }) };
const PAGE = '<!doctype html>';

test.each<[rule: string, answers: readonly (Answer | null)[], ending: string]>([
  ['the work has ended', [WORK, { text: 'null' }], 'reloaded'],
  ['the session has ended', [WORK, { text: PAGE, redirected: true }], 'reloaded'],
  ['the daemon was restarted without the session', [WORK, null, null, { text: PAGE, redirected: true }], 'reloaded'],
  ['the link was removed', [WORK, { text: PAGE, status: 404 }], 'reloaded'],
  ['a proxy refused a request', [WORK, { text: 'Too many requests.', status: 429 }, WORK, WORK], 'waits'],
])('a page with progress does not keep an old progress after %s', async (_rule, answers, ending) => {
  expect((await follow(answers)).ending).toBe(ending);
});

const NOW_MS = Date.UTC(2026, 10, 26, 9, 44);

class DateAtNow extends Date {
  static override now(): number {
    return NOW_MS;
  }
}

test.each([
  [0, 'just now'],
  [-59_999, 'just now'],
  [-60_000, '1 minute ago'],
  [-3_599_999, '59 minutes ago'],
  [-7_200_000, '2 hours ago'],
  [-86_400_000 * 40, '40 days ago'],
  [1, 'in less than a minute'],
  [180_000, 'in 3 minutes'],
  [179_000, 'in 3 minutes'],
  [140_000, 'in 2 minutes'],
  [86_400_000, 'in 1 day'],
])('a time %i ms from now is shown as "%s", with the exact time as its title', (awayMs, text) => {
  const time = { dateTime: new Date(NOW_MS + awayMs).toISOString(), dataset: { ago: '' }, title: '', textContent: '' };
  runInNewContext(CLIENT_SCRIPT, {
    document: { querySelectorAll: (name: string) => (name === 'time' ? [time] : []), querySelector: () => null },
    Date: DateAtNow,
    setInterval: () => 0,
    addEventListener: () => undefined,
  });
  expect(time).toMatchObject({ textContent: text, title: expect.stringContaining('2026') });
});

test('a double click sends a form once, and a form is sent again after the browser has left its page', () => {
  type Form = { readonly dataset: { sent?: string } };
  type Submit = { readonly target: Form; preventDefault(): void };
  const form: Form = { dataset: {} };
  const listeners = new Map<string, (event: Submit) => void>();
  runInNewContext(CLIENT_SCRIPT, {
    document: { querySelectorAll: (name: string) => (name === '[data-sent]' ? [form] : []), querySelector: () => null },
    setInterval: () => 0,
    addEventListener: (name: string, listener: (event: Submit) => void) => void listeners.set(name, listener),
  });
  let prevented = 0;
  const event: Submit = { target: form, preventDefault: () => void (prevented += 1) };
  const preventedAfter = (...names: readonly string[]): number => {
    for (const name of names) listeners.get(name)?.(event);
    return prevented;
  };
  expect(preventedAfter('pageshow', 'submit')).toBe(0);
  expect(preventedAfter('submit')).toBe(1);
  expect(preventedAfter('pageshow', 'submit')).toBe(1);
});
