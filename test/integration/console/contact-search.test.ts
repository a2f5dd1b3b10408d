import { describe, expect, test } from 'vitest';
import { startDaemonWorld } from '../../support/jobs/daemon-world.ts';
import { completed } from '../../support/jobs/log-lines.ts';
import { isBrowserMissing, openContext, useBrowser } from '../oauth/browser.ts';
import { startPage } from './page-client.ts';
import { lookAtAll } from './page-looks.ts';

// The pages for contacts and conflicts, in Chromium.

const browser = useBrowser();

describe.skipIf(isBrowserMissing)('the pages for contacts', () => {
  test('find a contact and mark the values that differ', async () => {
    const work = { people: 12, syncInterval: '7d', sweepInterval: '7d' };
    await using world = await startDaemonWorld(
      { work },
      { listen: '127.0.0.1:0', fields: { title: { winner: 'ask' } } },
    );
    const { daemon, address } = await startPage(world);
    await daemon.until(completed('work', 'full'));
    const { google, service } = world.sandbox('work');
    const person = google.account.people().find(({ emailAddresses = [] }) => emailAddresses.length > 0);
    const email = person?.emailAddresses?.[0]?.value ?? '';
    const contact = service.account.contacts().find((one) => JSON.stringify(one).includes(email));
    const id = person?.resourceName ?? '';
    google.account.updatePerson(id, { organizations: [{ title: 'Baker' }] });
    service.account.updateContact(contact?.id ?? '', { title: 'Brewer' });
    const context = await openContext(browser());
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

    await page.goto(`${at}/contacts`);
    await page.getByLabel('Name, email address, phone number or id').fill(email);
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByText('History, newest first').waitFor();
    expect(await page.locator('mark').allTextContents()).toEqual(['Baker', 'Brewer']);
    expect(await page.locator('time').first().textContent()).not.toMatch(/UTC$/u);

    const paths = ['', '/contacts', `/contact?id=${encodeURIComponent(id)}`, '/conflicts'];
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
