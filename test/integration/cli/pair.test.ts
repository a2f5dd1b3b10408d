import { expect, test } from 'vitest';
import { PlansDocument } from '../../../src/cli/sync/plan.ts';
import { VerdictDocument } from '../../../src/cli/contacts/pair.ts';
import { EMPTY_PERSON, type Person } from '../../../src/sandbox/people/person.ts';
import { googleId, serviceId } from '../../support/linked-people.ts';
import { useGround, type Ended } from './run-cli.ts';

// A household whose members all have different names. Each test continues where the previous test ended.
const ofHousehold = (givenName: string): Person => {
  return { ...EMPTY_PERSON, givenName, familyName: 'Smith', emails: [{ value: 'home@x.org', label: null }] };
};

const ground = useGround({
  google: [ofHousehold('Mia'), ofHousehold('Tim')],
  service: [ofHousehold('Amelia'), ofHousehold('Eve')],
});

const run = (...args: readonly string[]): Promise<Ended> => ground.run(...args);

const planned = async () => PlansDocument.parse(JSON.parse((await run('plan', '--json')).stdout)).links[0];

test('[R13] an empty id, which an unset variable of a script leaves, is refused', async () => {
  const { code, stderr } = await run('pair', googleId(ground, 'Mia'), '');
  expect([code, stderr]).toEqual([2, expect.stringContaining('An id is empty.')]);
});

test('[R13] a decision about an id that no contact of the side has is refused, and not stored', async () => {
  const mia = googleId(ground, 'Mia');
  const { code, stdout, stderr } = await run('pair', mia, 'contact_99999999');
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain('Service has no contact contact_99999999. Nothing was stored.');
  expect((await run('pair', 'a', 'b', '--apart')).stderr).toMatch(
    /Google has no contact a\. Service has no contact b\./u,
  );
  expect((await run('pair', '--forget', mia, 'contact_99999999')).stderr).toContain('There is no decision about');
});

test('[R13] a decision about contacts that no run has read yet applies to the plan, and can be removed', async () => {
  const ids = [googleId(ground, 'Mia'), serviceId(ground, 'Amelia')] as const;
  const decided = await run('pair', ...ids, '--json');
  expect([decided.code, decided.stderr]).toEqual([0, expect.not.stringContaining('unknown')]);
  const verdict = { link: 'default', googleId: ids[0], serviceId: ids[1], says: 'together' };
  expect(VerdictDocument.parse(JSON.parse(decided.stdout))).toEqual({ verdict });
  const pairing = (await planned())?.actions.find(({ action }) => action === 'pair');
  expect(pairing).toMatchObject({ googleId: ids[0], serviceId: ids[1], why: 'paired by hand' });
  const back = await run('pair', '--forget', ...ids, '--json');
  expect(VerdictDocument.parse(JSON.parse(back.stdout)).verdict?.says).toBeNull();
  expect((await planned())?.actions.some(({ action }) => action === 'pair')).toBe(false);
  const again = await run('pair', '--forget', ...ids);
  expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('There is no decision about')]);
});

test('[R13] contacts kept apart are no longer reported, and paired contacts cannot be kept apart', async () => {
  const [mia, tim, amelia, eve] = [
    googleId(ground, 'Mia'),
    googleId(ground, 'Tim'),
    serviceId(ground, 'Amelia'),
    serviceId(ground, 'Eve'),
  ];
  const apart = await run('pair', '--apart', tim, eve);
  expect([apart.code, apart.stdout]).toEqual([
    0,
    `${tim} and ${eve} are different people. They are not linked to each other.\n`,
  ]);
  expect((await run('pair', mia, amelia, 'default')).code).toBe(0);
  expect(await planned()).not.toHaveProperty('ambiguous');
  expect((await run('sync')).code).toBe(0);
  expect(ground.sandbox.google.account.people()).toHaveLength(3);
  expect(ground.sandbox.service.account.contacts()).toHaveLength(3);
  const refused = await run('pair', '--apart', mia, amelia, '--json');
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('undo RUN');
  expect(JSON.parse(refused.stdout)).toMatchObject({ verdict: null, error: expect.stringContaining('paired already') });
  expect((await run('pair', '--apart', '--forget', tim, eve)).code).toBe(2);
});
