import { expect, test } from 'vitest';
import type { Person } from '../../../src/sandbox/people/person.ts';
import { googleId, named, serviceId } from '../../support/linked-people.ts';
import { useGround, type Ended } from './run-cli.ts';
import { PlansDocument } from '../../support/documents.ts';

// A household whose members all have different names. Each test continues where the previous test ended.
const ofHousehold = (givenName: string): Person =>
  named(givenName, { familyName: 'Smith', emails: [{ value: 'home@x.org', label: null }] });

const ground = useGround({
  google: [ofHousehold('Mia'), ofHousehold('Tim')],
  service: [ofHousehold('Amelia'), ofHousehold('Eve')],
});

const run = (...args: readonly string[]): Promise<Ended> => ground.run(...args);

const planned = async () => (await ground.read(PlansDocument, 'plan')).links[0];

test('[R13] a decision about an id that is empty, or that no contact of the side has, is refused and not stored', async () => {
  const mia = googleId(ground, 'Mia');
  for (const [args, message] of [
    [[mia, ''], 'An id is empty.'],
    [[mia, 'contact_99999999'], 'Service has no contact contact_99999999. Nothing was stored.'],
    [['a', 'b', '--apart'], 'Google has no contact a. Service has no contact b.'],
    [['--forget', mia, 'contact_99999999'], 'There is no decision about'],
  ] as const) {
    const { code, stdout, stderr } = await run('pair', ...args);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(message)]);
  }
});

test('[R13] a decision about contacts that no run has read yet applies to the plan, and can be removed', async () => {
  const ids = [googleId(ground, 'Mia'), serviceId(ground, 'Amelia')] as const;
  const decided = await run('pair', ...ids);
  expect([decided.code, decided.stderr]).toEqual([0, expect.not.stringContaining('unknown')]);
  expect(decided.stdout).toContain(`${ids[0]} and ${ids[1]} are the same person.`);
  const pairing = (await planned())?.actions.find(({ action }) => action === 'pair');
  expect(pairing).toMatchObject({ googleId: ids[0], serviceId: ids[1], why: 'paired by hand' });
  expect((await run('pair', '--forget', ...ids)).code).toBe(0);
  expect((await planned())?.actions.some(({ action }) => action === 'pair')).toBe(false);
});

test('[R13] contacts kept apart are no longer reported, and paired contacts cannot be kept apart', async () => {
  const [mia, tim] = [googleId(ground, 'Mia'), googleId(ground, 'Tim')];
  const [amelia, eve] = [serviceId(ground, 'Amelia'), serviceId(ground, 'Eve')];
  const apart = await run('pair', '--apart', tim, eve);
  expect([apart.code, apart.stdout]).toEqual([0, expect.stringContaining(`${tim} and ${eve} are different people.`)]);
  expect((await run('pair', mia, amelia, 'default')).code).toBe(0);
  expect(await planned()).not.toHaveProperty('ambiguous');
  expect((await run('sync')).code).toBe(0);
  expect(ground.sandbox.google.account.people()).toHaveLength(3);
  expect(ground.sandbox.service.account.contacts()).toHaveLength(3);
  const stderr = expect.stringMatching(/paired already.*undo RUN/u);
  expect(await run('pair', '--apart', mia, amelia)).toMatchObject({ code: 2, stdout: '', stderr });
  expect((await run('pair', '--apart', '--forget', tim, eve)).code).toBe(2);
});
