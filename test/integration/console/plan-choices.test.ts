import { expect, test } from 'vitest';
import { choicesIn } from '../../../src/daemon/console/plan-routes.ts';
import { FIRST_SYNC_WAITS } from '../../../src/engine/errors.ts';
import { seedGoogle, seedService } from '../../../src/sandbox/people/seed.ts';
import { decidePlanned } from '../../../src/engine/history/conflicts.ts';
import { person, serviceId } from '../../support/linked-people.ts';
import { startLinkedSandbox } from '../../support/linked-sandbox.ts';

const REVIEW = { FIRST_SYNC: 'review', CONFLICT_POLICY: 'google' } as const;
const ACCEPTED = { accepts: { kind: 'halt', message: FIRST_SYNC_WAITS, loses: true } } as const;

test.each([
  ['a contact was edited', true],
  ['both contacts were added', false],
])('R4: a choice on the plan of a review counts although, since the run that halted, %s', async (_, isEdit) => {
  const ada = (title: string) => [person('Ada', { title })];
  const before = (title: string) => (isEdit ? ada(title) : [person('Ben')]);
  const book = { google: before('Baker'), service: before('Brewer') };
  await using linked = await startLinkedSandbox(book, REVIEW);
  expect((await linked.sync()).summary.outcome).toBe('halted');
  linked.clock.advance(60_000);
  const { google, service } = linked.sandbox;
  if (isEdit) service.account.updateContact(serviceId(linked, 'Ada'), { title: 'Butcher' });
  else {
    seedGoogle(google.account, ada('Baker'));
    seedService(service.account, ada('Butcher'));
  }
  const { changes, contacts } = await linked.plan();
  const choices = choicesIn({ changes, contacts }, new URLSearchParams({ all: 'right' }));
  const [run] = await linked.app.store.runs('default', { latest: 'ended' });
  expect(await decidePlanned(linked.app.lease, linked.link, run?.id ?? '', choices)).toBe(1);
  await linked.synced(ACCEPTED);
  expect(service.account.contact(serviceId(linked, 'Ada'))?.title).toBe('Butcher');
});

test('R4: a choice for all conflicts of a filtered plan concerns those that the filter shows', async () => {
  const people = (title: string) => [person('Ada', { title }), person('Ben', { title })];
  await using linked = await startLinkedSandbox({ google: people('Baker'), service: people('Brewer') }, REVIEW);
  const plan = await linked.plan();
  const chosen = (form: Readonly<Record<string, string>>) =>
    choicesIn(plan, new URLSearchParams({ all: 'right', ...form })).length;
  expect([chosen({}), chosen({ find: 'ben' }), chosen({ only: 'conflicts' }), chosen({ only: 'deletes' })]).toEqual([
    2, 1, 2, 0,
  ]);
});
