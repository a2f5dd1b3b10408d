import { expect, test } from 'vitest';
import { startDaemonWorld } from '../../support/jobs/daemon-world.ts';
import { completed } from '../../support/jobs/log-lines.ts';
import { googleId, person, serviceId } from '../../support/linked-people.ts';
import { seen, settled, signIn, startPage } from './page-client.ts';

const SETTINGS = { listen: '127.0.0.1:0', fields: { title: { winner: 'ask' } } };
const PAGE = '/links/work';

test('[R4] the plan of the page contains a decision about a conflict that was made after the plan', async () => {
  const people = { google: ['Ada', 'Ben', 'Cid'].map((name) => person(name)), service: [] };
  await using world = await startDaemonWorld({ work: { people, syncInterval: '7d', sweepInterval: '7d' } }, SETTINGS);
  const sandbox = world.sandbox('work');
  const { daemon, address } = await startPage(world);
  await daemon.until(completed('work', 'full'));
  const visitor = await signIn(world, address);
  sandbox.google.account.updatePerson(googleId({ sandbox }, 'Ada'), { organizations: [{ title: 'Butcher' }] });
  sandbox.service.account.updateContact(serviceId({ sandbox }, 'Ada'), { title: 'Brewer' });
  await visitor.press(PAGE, `${PAGE}/sync`);
  await daemon.until(completed('work', 'incremental'));
  await visitor.get(`${PAGE}/plan`);
  expect(seen(await settled(visitor, `${PAGE}/plan`))).toContain('Nothing to write.');
  const { text } = await visitor.get(`${PAGE}/conflicts`);
  const ids = /name="ids" value="(\d+)"/u.exec(text)?.[1] ?? '';
  await visitor.press(`${PAGE}/conflicts`, `${PAGE}/conflicts`, { ids, take: 'left' });
  expect(seen((await visitor.get(`${PAGE}/conflicts`)).text)).toContain('The next run writes the chosen value.');
  await visitor.get(`${PAGE}/plan`);
  expect(seen(await settled(visitor, `${PAGE}/plan`))).toMatch(/Updates: 1.*Brewer.*Butcher/u);
});
