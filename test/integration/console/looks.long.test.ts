import type { BrowserContext } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { MINUTE_MS, sceneryPeople, startScene, type Scene } from '../../support/console-scene.ts';
import { newPair } from '../../support/store/rows.ts';
import { isBrowserMissing, openContext, useBrowser } from '../oauth/browser.ts';
import { lookAtAll } from './page-looks.ts';
import { picture } from './picture.ts';

// The look of the page in each state of a link. SCREENSHOTS=1 writes the screenshots that the README contains.

const browser = useBrowser();

const LINK = '/links/family';

const look = async (
  context: BrowserContext,
  scene: Scene,
  name: string,
  [path, text]: readonly [path: string, text: string],
): Promise<void> => {
  await scene.open();
  await context.clock.setFixedTime(scene.clock.now());
  expect([name, await lookAtAll(context, [`${scene.address}${path}`])]).toEqual([name, []]);
  const page = await context.newPage();
  await page.goto(`${scene.address}${path}`);
  expect((await page.locator('main').textContent())?.replaceAll(/\s+/gu, ' ')).toContain(text);
  await picture(page, name);
  await page.close();
};

const planned = async (scene: Scene): Promise<void> => {
  await scene.open();
  const read = async (): Promise<string> => (await fetch(`${scene.address}${LINK}/plan`)).text();
  while ((await read()).includes('data-live')) await new Promise(setImmediate);
};

const titleOf = (title: string) => ({ organizations: [{ title }] });

const playDays = async ({ clock, run, sandbox: { google, service } }: Scene): Promise<void> => {
  const [one, two, three] = google.account.people();
  const [first, second] = service.account.contacts();
  const days = [
    () => google.account.updatePerson(one?.resourceName ?? '', titleOf('Head of Engineering')),
    () => {
      service.account.updateContact(first?.id ?? '', { title: 'Managing Editor' });
      service.account.createContact({ first_name: 'Zoë', last_name: 'Castro', title: 'Translator' });
    },
    () => {
      google.account.updatePerson(two?.resourceName ?? '', titleOf('Principal'));
      google.account.updatePerson(three?.resourceName ?? '', titleOf('Notary'));
      service.account.updateContact(second?.id ?? '', { title: 'Chief Physician' });
    },
  ];
  for (const change of days) {
    clock.advance(20 * 60 * MINUTE_MS);
    change();
    await run();
    clock.advance(3 * 60 * MINUTE_MS);
    await run();
  }
};

const LINKS = 50;

const storeLink = async ({ app, clock }: Scene, name: string, at: number): Promise<void> => {
  const { store } = app;
  const startedAtMs = clock.now() - (at % 5) * MINUTE_MS - MINUTE_MS;
  const token = (await store.acquireLease(name, 'test', clock.now(), clock.now() + MINUTE_MS)) ?? 0;
  const reason = `Google no longer accepts the refresh token. Sign in again with: contact-sync connect google ${name}`;
  const patch =
    at === 40 ? ({ state: 'paused', reason } as const) : ({ state: at === 20 ? 'halted' : 'active' } as const);
  const id = `run-${name}`;
  const set = { outcome: 'completed', reason: null, summary: {}, endedAtMs: startedAtMs + 900 } as const;
  await store.commit(name, token, [
    { kind: 'run-started', run: { id, kind: 'incremental', undoes: null, startedAtMs } },
    { kind: 'patch-run', id, set },
    ...Array.from({ length: 1 + (at % 7) }, (_, index) => newPair(`l${index + 1}`, `r${index + 1}`)).flat(),
    { kind: 'link', patch },
  ]);
  await store.releaseLease(name, 'test');
};

describe.skipIf(isBrowserMissing)('the page', () => {
  test('is accessible and fits its width in each state of a link', async () => {
    const common = sceneryPeople(0, 40);
    const edited = common.map((person, index) => (index % 9 === 0 ? { ...person, title: 'Consultant' } : person));
    const google = [...common, ...sceneryPeople(40, 46)];
    const service = [...edited, ...sceneryPeople(50, 54)];
    await using scene = await startScene(google, service, { fields: { company: { winner: 'ask' } } });
    const { clock, run, sandbox } = scene;
    const context = await openContext(browser());

    await run('full');
    await planned(scene);
    await look(context, scene, 'first-sync', [`${LINK}/plan`, 'Review the first sync']);

    await scene.accept();
    await playDays(scene);
    clock.advance(2 * MINUTE_MS);
    await look(context, scene, 'in-sync', [LINK, 'next check in 3 minutes']);
    const last = (await scene.app.store.runs('family', { newest: 4 })).find(({ wrote }) => wrote?.left.updated === 1);
    await look(context, scene, 'run', [`${LINK}/runs/${last?.id ?? ''}`, 'Updates: 1']);

    const people = sandbox.google.account.people();
    const organizations = [{ name: 'Bianchi Press', title: 'Editor in Chief' }];
    for (const { resourceName, emailAddresses: [email] = [] } of [...people.slice(0, 1), ...people.slice(4, 6)]) {
      const contacts = sandbox.service.account.contacts();
      const contact = contacts.find((each) => JSON.stringify(each).includes(`"${email?.value ?? ''}"`));
      sandbox.google.account.updatePerson(resourceName ?? '', { organizations });
      sandbox.service.account.updateContact(contact?.id ?? '', { company: 'Castro Media' });
    }
    sandbox.service.setVariants({ longText: '422' });
    sandbox.google.account.updatePerson(people[8]?.resourceName ?? '', titleOf('long '.repeat(60).trim()));
    clock.advance(3 * MINUTE_MS);
    await run();
    await look(context, scene, 'not-in-sync', [LINK, 'Needs your attention']);
    await look(context, scene, 'conflicts', [`${LINK}/conflicts`, 'Take all from']);
    const contact = `${LINK}/contact?id=${encodeURIComponent(people[4]?.resourceName ?? '')}`;
    await look(context, scene, 'contact', [contact, '1 field differs']);
    expect(await lookAtAll(context, [`${scene.address}${LINK}/contacts`, `${scene.address}${LINK}/runs`])).toEqual([]);

    for (const { resourceName } of people.slice(20, 34)) sandbox.google.account.deletePerson(resourceName ?? '');
    clock.advance(3 * MINUTE_MS);
    await run();
    await planned(scene);
    await look(context, scene, 'halted', [`${LINK}/plan`, 'Delete 14']);

    const names = Array.from({ length: LINKS }, (_, index) => `team-${String(index + 1).padStart(2, '0')}`);
    for (const [index, name] of names.entries()) await storeLink(scene, name, index);
    scene.showLinks(names);
    await look(context, scene, 'links', ['/', '50 links']);
    await context.close();
  });
});
