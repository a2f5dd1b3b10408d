import { expect, test } from 'vitest';
import { EMPTY_PERSON, type Person } from '../../../src/sandbox/people/person.ts';
import type { Fault } from '../../../src/sandbox/service/faults.ts';
import type { ServiceVariants } from '../../../src/sandbox/service/variants.ts';
import { readSides } from '../../support/compare-sides.ts';
import { startLinkedSandbox, type LinkedSandbox } from '../../support/linked-sandbox.ts';

const HOUR_MS = 60 * 60_000;

const ADA: Person = {
  ...EMPTY_PERSON,
  givenName: 'Ada',
  familyName: 'Lovelace',
  emails: [{ value: 'ada@example.org', label: 'home' }],
};
const AUGUSTA: Person = {
  ...EMPTY_PERSON,
  givenName: 'Augusta',
  familyName: 'King',
  title: 'Countess',
  emails: [{ value: 'augusta@example.org', label: 'work' }],
};
const CHARLES: Person = { ...EMPTY_PERSON, givenName: 'Charles', familyName: 'Babbage', groups: ['Choir'] };

/** An edit of Ada at Google after Ada was merged into Augusta at the service. */
type Edit = { readonly title?: string; readonly emails?: readonly string[]; readonly joins?: boolean };

const edit = ({ sandbox }: LinkedSandbox, { title, emails, joins = false }: Edit): void => {
  const { account } = sandbox.google;
  const ada = account.people().find((each) => each.names?.[0]?.givenName === 'Ada');
  if (!ada?.resourceName) throw new Error('Ada does not stand at Google.');
  account.updatePerson(ada.resourceName, {
    ...ada,
    ...(title !== undefined && { organizations: [{ title }] }),
    ...(emails !== undefined && { emailAddresses: emails.map((value) => ({ value })) }),
  });
  if (joins) account.setGroups(ada.resourceName, [account.groups()[0]?.resourceName ?? '']);
};

/** Both sides in step; then Ada is merged into Augusta at the service, which goes on answering for Ada with Augusta. */
const mergedAtService = async (service: Partial<ServiceVariants>): Promise<LinkedSandbox> => {
  const variants = { service: { mergeLosers: 'survivor' as const, mergeScalars: 'fill-empty' as const, ...service } };
  const linked = await startLinkedSandbox({ google: [ADA, AUGUSTA, CHARLES], service: [], variants });
  await linked.sync();
  const { account } = linked.sandbox.service;
  const idOf = (name: string) => account.contacts().find(({ first_name }) => first_name === name)?.id ?? '';
  linked.clock.advance(HOUR_MS);
  account.mergeContacts(idOf('Augusta'), [idOf('Ada')]);
  return linked;
};

const comeToRest = async (linked: LinkedSandbox): Promise<void> => {
  for (let count = 0; count < 4; count += 1) {
    const { error } = await linked.sync();
    expect(error).toBeNull();
    linked.clock.advance(HOUR_MS);
  }
  const { summary } = await linked.sync({ kind: 'full' });
  for (const side of [summary.left, summary.right]) expect(side).toMatchObject({ created: 0, updated: 0, deleted: 0 });
};

const personOn = (linked: LinkedSandbox, name: string) => {
  const { google, service } = readSides(linked.sandbox);
  expect(service).toEqual(google);
  return google.filter((row) => row.name.startsWith(name));
};

const PATCH_LOST: Fault = { method: 'PATCH', path: '/v2/contacts/', action: { kind: 'reset-after' } };

test.each<[string, Partial<ServiceVariants>, Fault | null]>([
  ['where the feed shows the merge survivor', { mergeBump: 'bumped' }, null],
  ['where nothing shows the merge', { mergeBump: 'unchanged' }, null],
  ['where the answer is lost', { mergeBump: 'bumped' }, PATCH_LOST],
  ['where the answer is lost and nothing shows the merge', { mergeBump: 'unchanged' }, PATCH_LOST],
])('R5, R12: a write that reached the survivor of a merge is no edit of the survivor, %s', async (...given) => {
  const [, variants, fault] = given;
  await using linked = await mergedAtService(variants);
  edit(linked, { title: 'Mathematician', emails: ['ada@example.org', 'ada2@example.org'], joins: true });
  if (fault !== null) linked.sandbox.service.addFault(fault);
  await comeToRest(linked);
  // Like after any merge, an edit in the meantime is kept (R6), and so are the values of the merge.
  expect(personOn(linked, 'Ada')).toMatchObject([
    { title: 'Mathematician', emails: ['ada2@example.org', 'ada@example.org'], groups: ['Choir'] },
  ]);
  expect(personOn(linked, 'Augusta')).toMatchObject([
    { name: 'Augusta King', title: 'Countess', emails: ['ada@example.org', 'augusta@example.org'], groups: [] },
  ]);
});

test('R11, R12: a membership write to a survivor whose answer was lost is no edit', async () => {
  await using linked = await mergedAtService({});
  edit(linked, { joins: true });
  linked.sandbox.service.addFault({ method: 'POST', path: '/buckets$', action: { kind: 'reset-after' } });
  await comeToRest(linked);
  expect(personOn(linked, 'Ada')).toMatchObject([{ groups: ['Choir'] }]);
  expect(personOn(linked, 'Augusta')).toMatchObject([{ groups: [] }]);
});
