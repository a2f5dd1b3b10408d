import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { startDaemonWorld } from '../../support/jobs/daemon-world.ts';
import { inCompleteRun } from '../../support/extent.ts';
import { completed, errors, says } from '../../support/jobs/log-lines.ts';
import { isBrowserMissing, openContext, useBrowser } from '../oauth/browser.ts';
import { lookAtAll } from './page-looks.ts';
import { startPage } from './page-client.ts';

const browser = useBrowser();

const HALTED = says('run halted', 'work');

const startWorld = async () => {
  const work = { people: 60, syncInterval: '7d', sweepInterval: '7d' };
  const world = await startDaemonWorld({ work }, { listen: '127.0.0.1:0' });
  const { daemon, address } = await startPage(world);
  await daemon.until(completed('work', 'full'));
  const { google, service } = world.sandbox('work');
  const named = google.account.people().filter(({ names }) => names?.[0]?.familyName);
  const disturb = (): void => {
    for (const { resourceName } of named.slice(0, 14)) google.account.deletePerson(resourceName ?? '');
    const person = named.slice(14).find(({ emailAddresses = [] }) => emailAddresses.length > 0);
    const email = person?.emailAddresses?.[0]?.value ?? '';
    const contact = service.account.contacts().find((one) => JSON.stringify(one).includes(email));
    google.account.updatePerson(person?.resourceName ?? '', { organizations: [{ title: 'Baker' }] });
    service.account.updateContact(contact?.id ?? '', { title: 'Brewer' });
  };
  const contacts = (): number => service.account.contacts().length;
  return { world, daemon, address, disturb, contacts, name: named[0]?.names?.[0]?.familyName ?? '' };
};

type Started = Awaited<ReturnType<typeof startWorld>>;

const signIn = async ({ world }: Started, page: Page): Promise<void> => {
  await page.goto((await world.run('console')).stdout.trim());
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'work', exact: true }).waitFor();
};

const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first().click();

const goOn = async (page: Page, to: string): Promise<void> => {
  await page.locator('[data-live]').waitFor({ state: 'detached' });
  await page.goto(to);
};

const walk = async ({ daemon, address, disturb, contacts, name }: Started, page: Page): Promise<string> => {
  const at = `http://${address}/links/work`;
  const before = contacts();
  disturb();
  await page.goto(at);
  await press(page, 'Sync');
  await daemon.until(HALTED);
  await goOn(page, at);
  await page.getByText('Waiting for your review').waitFor();
  await page.locator('[data-live]').waitFor({ state: 'detached' });
  await goOn(page, `${at}/plan`);
  await page.getByRole('heading', { name: /Deletions: 14/u }).waitFor();
  expect(await page.locator('main').textContent()).toContain(name);
  await press(page, 'Delete 14 at the service');
  await page.getByText('The plan is accepted').waitFor();
  await daemon.until(completed('work', 'incremental'));
  expect(contacts()).toBe(before - 14);

  await goOn(page, `${at}/conflicts`);
  await page.getByRole('listitem').filter({ hasText: 'Brewer' }).getByRole('button', { name: 'Take' }).click();
  await page.getByText('1 conflict decided. The next run writes the chosen value.').waitFor();

  await page.goto(`${at}/runs`);
  await page.getByRole('link', { name: 'Sync', exact: true }).first().click();
  const run = page.url();
  await press(page, 'Preview undo');
  await press(page, 'Undo this run');
  await page.getByText('The run is undone.').waitFor();
  expect(contacts()).toBe(before);

  return run;
};

describe.skipIf(isBrowserMissing)('a user of the page', () => {
  test('reviews, accepts, undoes, decides and signs out, and sees local times', async () => {
    const started = await startWorld();
    await using _ = started.world;
    const context = await openContext(browser(), { timezoneId: 'Asia/Tokyo', locale: 'en-GB' });
    const page = await context.newPage();
    const refused: string[] = [];
    page.on('console', (message) => void (message.type() === 'error' && refused.push(message.text())));
    await signIn(started, page);
    const run = await walk(started, page);
    const at = `http://${started.address}`;
    expect(await lookAtAll(context, [`${at}/sign-in`])).toEqual([]);
    // The content security policy of the pages refuses nothing that they need.
    expect(refused).toEqual([]);
    await page.goto(run);
    const time = page.locator('time').first();
    const iso = (await time.getAttribute('datetime')) ?? '';
    const tokyo = new Intl.DateTimeFormat('en-GB', { timeZone: 'Asia/Tokyo', timeStyle: 'short' });
    expect(await time.textContent()).toContain(tokyo.format(new Date(iso)));
    await page.goto(`${at}/links/work`);
    await press(page, 'Sign out');
    await page.goto(run);
    expect(new URL(page.url()).pathname).toBe('/sign-in');
    await context.close();
    expect(errors(started.daemon).filter((line) => !HALTED(line))).toEqual([]);
  });

  inCompleteRun(() => {
    test('does the same without JavaScript', async () => {
      const started = await startWorld();
      await using _ = started.world;
      const context = await openContext(browser(), { javaScriptEnabled: false });
      const page = await context.newPage();
      await signIn(started, page);
      const run = await walk(started, page);
      await page.goto(run);
      expect(await page.locator('time').first().textContent()).toMatch(/ UTC$/u);
      await context.close();
    });
  });
});
