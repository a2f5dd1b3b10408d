import { expect, test } from 'vitest';
import type { Side } from '../../../src/contact/side.ts';
import { EMPTY_PERSON } from '../../../src/sandbox/people/person.ts';
import { startLinkedSandbox, type LinkedSandbox } from '../../support/linked-sandbox.ts';

const PEOPLE = ['Ada', 'Ben', 'Cid'].map((givenName) => ({ ...EMPTY_PERSON, givenName, familyName: 'Tester' }));
const DAY_MS = 24 * 60 * 60_000;

/** The halves of a side that are known to be deleted. */
const deletedOn = async ({ app }: LinkedSandbox, side: Side) => {
  return app.store.halves('default', { by: 'state', side, states: ['gone', 'doubted'] });
};

test('R7: a deletion stays known on both sides for a day, and is forgotten then', async () => {
  await using linked = await startLinkedSandbox({ google: PEOPLE, service: [] });
  const { google, service } = linked.sandbox;
  expect((await linked.sync()).error).toBeNull();
  const [person] = google.account.people();
  const contact = service.account.contacts().find(({ first_name }) => first_name === person?.names?.[0]?.givenName);
  google.account.deletePerson(person?.resourceName ?? '');
  linked.clock.advance(60_000);
  expect((await linked.sync()).summary.right.deleted).toBe(1);
  const known = async () => {
    const [left, right] = [await deletedOn(linked, 'left'), await deletedOn(linked, 'right')];
    return [...left, ...right].map(({ id, pair }) => [id, pair]);
  };
  const both = [
    [person?.resourceName, null],
    [contact?.id, null],
  ];
  expect(await known()).toEqual(both);
  linked.clock.advance(DAY_MS - 5 * 60_000);
  expect((await linked.sync()).error).toBeNull();
  expect(await known()).toEqual(both);
  linked.clock.advance(10 * 60_000);
  expect((await linked.sync()).error).toBeNull();
  expect(await known()).toEqual([]);
  expect([google.account.people(), service.account.contacts()].map(({ length }) => length)).toEqual([2, 2]);
});
