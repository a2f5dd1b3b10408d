import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { startDaemonWorld } from '../../support/jobs/daemon-world.ts';
import { completed, says } from '../../support/jobs/log-lines.ts';
import { isBrowserMissing, openContext, useBrowser } from '../oauth/browser.ts';
import { startPage } from './page-client.ts';

const browser = useBrowser();

const PEOPLE = 2_000;
const SETTINGS = { syncInterval: '7d', sweepInterval: '7d', firstSync: 'review', rateLimit: '15000/minute' };
const PROGRESS = /^(?<done>[\d,]+) of (?<all>[\d,]+) contacts written(?:, about .+ left)?\.$/u;

const signIn = async (page: Page, link: string): Promise<void> => {
  await page.goto(link);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'work', exact: true }).waitFor();
};

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
    await page.goto(`${at}/plan`);
    await page.getByRole('heading', { name: /Creations: [\d,]+/u }).waitFor();
    // Both contacts of a pairing side by side, and contacts that only a user can distinguish.
    await page.getByRole('heading', { name: /Pairings: [\d,]+/u }).waitFor();
    expect(await page.locator('.changes > li').count()).toBeLessThan(700);
    expect(service.account.contacts().length).toBe(before);

    await page.getByRole('button', { name: 'Accept this plan' }).first().click();
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
    expect(service.account.contacts().length).toBeGreaterThan(before);
    daemon.kill('SIGTERM');
    expect(await daemon.exited).toBe(0);
  });
});
