import type { LinkState } from '../../../src/core/state/rows.ts';
import type { Half } from '../../../src/core/contact/half.ts';
import type { Side } from '../../../src/core/contact/side.ts';
import { personSchema } from '../../../src/sandbox/google/person-schema.ts';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { contactFieldsSchema } from '../../../src/sandbox/service/contact-fields.ts';

// The emulators give ids in the order of creation. So the contacts of the database get their ids back: as many are created
// as its emulators had, and those that the database does not hold are deleted.

const CONTACTS = 400;
const GROUPS = 20;
const MY_CONTACTS = 'contactGroups/myContacts';

const placeholders = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `Placeholder ${index}`);

const heldOn = (side: Side, halves: readonly Half[]): ReadonlyMap<string, Half> =>
  new Map(halves.filter((half) => half.side === side && half.state !== 'gone').map((half) => [half.id, half]));

const groupNamesOn = (side: Side, { groupPairs }: LinkState): ReadonlyMap<string, string> =>
  new Map(groupPairs.flatMap(({ [side]: group }) => (group === null ? [] : [[group.id, group.name] as const])));

const fillGoogle = ({ google: { account } }: Sandbox, link: LinkState, halves: readonly Half[]): void => {
  const names = groupNamesOn('left', link);
  for (const placeholder of placeholders(GROUPS)) {
    const id = account.createGroup(placeholder);
    const name = names.get(id);
    if (name === undefined) account.deleteGroup(id);
    else account.renameGroup(id, name);
  }
  const held = heldOn('left', halves);
  for (const givenName of placeholders(CONTACTS)) {
    const id = account.createPerson({ names: [{ givenName }] });
    const half = held.get(id);
    if (half === undefined) {
      account.deletePerson(id);
      continue;
    }
    const { memberships: _, ...person } = personSchema.parse(JSON.parse(half.record.raw));
    account.updatePerson(id, person);
    account.setGroups(id, [MY_CONTACTS, ...half.record.groupIds.filter((group) => names.has(group))]);
  }
};

const fillService = ({ service: { account } }: Sandbox, link: LinkState, halves: readonly Half[]): void => {
  const names = groupNamesOn('right', link);
  for (const placeholder of placeholders(GROUPS)) {
    const { id } = account.createBucket({ name: placeholder });
    const name = names.get(id);
    if (name === undefined) account.deleteBucket(id);
    else account.renameBucket(id, name);
  }
  const held = heldOn('right', halves);
  for (const placeholder of placeholders(CONTACTS)) {
    const { id } = account.createContact({ first_name: placeholder });
    const half = held.get(id);
    if (half === undefined) {
      account.deleteContact(id);
      continue;
    }
    const { firstName, lastName, company, title } = half.record.contact;
    const texts = { first_name: firstName, last_name: lastName, company, title };
    account.updateContact(id, { ...texts, ...contactFieldsSchema.parse(JSON.parse(half.record.raw)) });
    account.setBuckets(
      id,
      half.record.groupIds.filter((bucket) => names.has(bucket)),
    );
  }
};

/** Fills both emulators with the contacts and groups of a link of the 0.1.0 database, under the same ids. */
export const fillFromFirstEdition = (sandbox: Sandbox, link: LinkState, halves: readonly Half[]): void => {
  fillGoogle(sandbox, link, halves);
  fillService(sandbox, link, halves);
};
