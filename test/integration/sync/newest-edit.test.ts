import { expect, test } from 'vitest';
import { USUAL_FIELDS } from '../../../src/core/contact/contact.ts';
import { googleId, named, serviceId } from '../../support/linked-people.ts';
import { startLinkedSandbox } from '../../support/linked-sandbox.ts';

const TEN_MINUTES_MS = 600_000;

test.each([
  ['Google', 'Chef', 'Cook', 'Chef'],
  ['the service', 'Cook', 'Chef', 'Chef'],
])('R4: a title that a user edited at %s wins once titles are synced', async (_, atGoogle, atService, winner) => {
  const ada = named('Ada', { title: 'Cook', emails: [{ value: 'ada@example.org', label: null }] });
  const link = { fields: USUAL_FIELDS.filter((field) => field !== 'title') };
  await using linked = await startLinkedSandbox({ google: [ada], service: [ada] });
  await linked.synced({ link });
  const { google, service } = linked.sandbox;
  const [leftId, rightId] = [googleId(linked, 'Ada'), serviceId(linked, 'Ada')];
  linked.clock.advance(TEN_MINUTES_MS);
  if (atGoogle === 'Chef') google.account.updatePerson(leftId, { organizations: [{ title: atGoogle }] });
  else service.account.updateContact(rightId, { title: atService });
  await linked.synced({ link });
  // The link writes the number to the other side, whose contact is the one that was changed last then.
  linked.clock.advance(TEN_MINUTES_MS);
  if (atGoogle === 'Chef') google.account.updatePerson(leftId, { phoneNumbers: [{ value: '+493012345678' }] });
  else service.account.updateContact(rightId, { phone_numbers: [{ number: '+493012345678', label: null }] });
  await linked.synced({ link });
  await linked.synced({ afterMs: TEN_MINUTES_MS });
  expect(google.account.people()[0]?.organizations?.[0]?.title).toBe(winner);
  expect(service.account.contacts()[0]?.title).toBe(winner);
});
