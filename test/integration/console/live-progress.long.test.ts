import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { startDaemonWorld } from '../../support/jobs/daemon-world.ts';
import { completed, says } from '../../support/jobs/log-lines.ts';
import { isBrowserMissing, openContext, useBrowser } from '../oauth/browser.ts';
import { startPage } from './page-client.ts';
import { lookAtAll } from './page-looks.ts';

// A large first sync that is reviewed, accepted and followed on the page in a headless Chromium.

const browser = useBrowser();

const PEOPLE = 2_000;
const SETTINGS = { syncInterval: '7d', sweepInterval: '7d', firstSync: 'review', rateLimit: '15000/minute' };
const PROGRESS = /^(?<done>[\d,]+) of (?<all>[\d,]+) contacts written(?:, about .+ left)?\.$/u;

const signIn = async (page: Page, link: string): Promise<void> => {
  await page.goto(link);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'work', exact: true }).waitFor();
};

/** Collects every progress text that the script of the page writes. */
const followProgress = async (page: Page): Promise<readonly string[]> => {
  const texts: string[] = [];
  await page.exposeFunction('tell', (text: string) => void texts.push(text));
  await page.addInitScript(`
    addEventListener('DOMContentLoaded', () => {
      const shown = document.querySelector('[data-live] p');
      if (shown !== null) new MutationObserver(() => tell(shown.textContent)).observe(shown, { childList: true });
    });
  `);
  return texts;
};

/**
 * Loads the page without script repeatedly until it shows the number of writes. Returns the progress text of each
 * load. Uses separate requests, because the page itself reloads from time to time.
 */
const reloadedProgress = async (page: Page): Promise<readonly string[]> => {
  const texts: string[] = [];
  while (texts.length < 5_000 && !PROGRESS.test(texts.at(-1) ?? '')) {
    const html = await (await page.request.get(page.url())).text();
    texts.push(/data-live=[^>]*>\s*<p role="status">(?<text>[^<]*)</u.exec(html)?.groups?.['text']?.trim() ?? '');
  }
  return texts;
};

/** Follows a link of a page with progress. The target page is held back until the returned function is called. */
const leaveSlowly = async (page: Page, at: string, name: string): Promise<() => Promise<void>> => {
  const closed = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  await page.exposeFunction('tellClosed', () => closed.resolve());
  await page.addInitScript("addEventListener('beforeunload', () => tellClosed());");
  await page.goto(at);
  await page.route('**/runs', async (route) => {
    await held.promise;
    await route.continue();
  });
  await page.getByRole('link', { name }).click({ noWaitAfter: true });
  return async () => {
    await closed.promise;
    held.resolve();
    await page.getByRole('heading', { name }).waitFor();
  };
};

const doneOf = (text: string): number => Number(PROGRESS.exec(text)?.groups?.['done']?.replaceAll(',', ''));

describe.skipIf(isBrowserMissing)('a large first sync', () => {
  test('waits for its review, is accepted, and shows its progress until it is done', async () => {
    await using world = await startDaemonWorld({ work: { people: PEOPLE, ...SETTINGS } }, { listen: '127.0.0.1:0' });
    const { service } = world.sandbox('work');
    const { daemon, address } = await startPage(world);
    await daemon.until(says('run halted', 'work'));
    const before = service.account.contacts().length;
    const at = `http://${address}/links/work`;
    const context = await openContext(browser());
    const page = await context.newPage();
    await signIn(page, (await world.run('console')).stdout.trim());
    const texts = await followProgress(page);
    const plain = await (await openContext(browser(), { javaScriptEnabled: false })).newPage();
    await signIn(plain, (await world.run('console')).stdout.trim());

    await page.goto(at);
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('The link is paused.').waitFor();
    expect(await lookAtAll(context, [at])).toEqual([]);
    await page.goto(at);
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    expect(await page.getByText('Paused by hand').count()).toBe(0);

    await page.goto(`${at}/plan`);
    await page.getByRole('heading', { name: /Creations: [\d,]+/u }).waitFor();
    // Both contacts of a pairing side by side, and contacts that only a user can distinguish.
    await page.getByRole('heading', { name: /Pairings: [\d,]+/u }).waitFor();
    expect(await page.locator('.changes > li').count()).toBeLessThan(700);
    expect(service.account.contacts().length).toBe(before);

    await page.getByRole('button', { name: 'Accept this plan' }).first().click();
    await plain.goto(at);
    const early = await reloadedProgress(plain);
    const arrive = await leaveSlowly(await context.newPage(), at, 'Runs');
    await daemon.until(completed('work', 'full'));
    await arrive();
    // The page reloads itself when the work has ended.
    await page.getByText('The plan is accepted').waitFor();
    const doneCounts = texts.filter((text) => PROGRESS.test(text)).map(doneOf);
    expect(doneCounts.length).toBeGreaterThanOrEqual(3);
    expect(doneCounts).toEqual(doneCounts.toSorted((one, other) => one - other));
    expect(new Set(doneCounts).size).toBeGreaterThanOrEqual(3);
    expect(texts.some((text) => text.includes(' left.'))).toBe(true);
    expect(early.at(-1)).toMatch(PROGRESS);
    expect(service.account.contacts().length).toBeGreaterThan(before);
    await plain.reload();
    await page.goto(at);
    expect(await plain.locator('[data-live]').count()).toBe(0);
    daemon.kill('SIGTERM');
    expect(await daemon.exited).toBe(0);
  });
});
