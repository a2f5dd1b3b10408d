import type { Browser } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { startDaemonWorld } from '../../support/jobs/daemon-world.ts';
import { completed } from '../../support/jobs/log-lines.ts';
import { findBrowser, launchBrowser, openContext } from '../oauth/browser.ts';
import { startPage } from './page-client.ts';
import { lookAtAll } from './page-looks.ts';

// The pages for contacts, conflicts and settings, in Chromium.

const isSkipped = findBrowser() === null && process.env['CI'] !== 'true';
let browser: Browser;
beforeAll(async () => {
  if (isSkipped) return;
  const running = await launchBrowser();
  ({ browser } = running);
  return () => running[Symbol.asyncDispose]();
});

describe.skipIf(isSkipped)('the pages for contacts', () => {
  test('find contacts during typing, and the address contains the search', async () => {
    const work = { people: 12, syncInterval: '7d', sweepInterval: '7d' };
    await using world = await startDaemonWorld({ work }, { listen: '127.0.0.1:0', conflictPolicy: { title: 'ask' } });
    const { daemon, address } = await startPage(world);
    await daemon.until(completed('work', 'full'));
    const { google, service } = world.sandbox('work');
    const person = google.account.people().find(({ emailAddresses = [] }) => emailAddresses.length > 0);
    const email = person?.emailAddresses?.[0]?.value ?? '';
    const contact = service.account.contacts().find((one) => JSON.stringify(one).includes(email));
    const id = person?.resourceName ?? '';
    google.account.updatePerson(id, { organizations: [{ title: 'Baker' }] });
    service.account.updateContact(contact?.id ?? '', { title: 'Brewer' });
    const context = await openContext(browser);
    const page = await context.newPage();
    const refused: string[] = [];
    page.on('console', (message) => void (message.type() === 'error' && refused.push(message.text())));
    await page.goto((await world.run('console')).stdout.trim());
    await page.getByRole('button', { name: 'Sign in' }).click();
    const at = `http://${address}/links/work`;
    const from = daemon.lines.length;
    await page.goto(at);
    await page.getByRole('button', { name: 'Sync' }).first().click();
    await daemon.until(completed('work', 'incremental'), from);

    await page.goto(`${at}/people`);
    await page.getByText('Changed last').waitFor();
    await page.getByLabel('Name, email address, phone number or id').pressSequentially(email);
    await page.getByText('History, newest first').waitFor();
    expect(new URL(page.url()).searchParams.get('who')).toBe(email);
    expect(await page.locator('#results mark').allTextContents()).toEqual(['Baker', 'Brewer']);
    expect(await page.locator('#results time').first().textContent()).not.toMatch(/UTC$/u);

    const paths = ['/people', `/people?who=${encodeURIComponent(id)}`, '/conflicts', '/settings'];
    expect(
      await lookAtAll(
        context,
        paths.map((path) => `${at}${path}`),
      ),
    ).toEqual([]);
    // The content security policy of the pages refuses nothing that they need.
    expect(refused).toEqual([]);
    await context.close();
  });
});
