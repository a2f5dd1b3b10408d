import { peopleAt, type Emulator } from '../../sandbox/emulators.ts';
import type { GoogleEmulator } from '../../sandbox/google/server.ts';
import type { Person } from '../../sandbox/people/person.ts';
import { seedGoogle, seedService } from '../../sandbox/people/seed.ts';
import type { ServiceEmulator } from '../../sandbox/service/server.ts';

/** An account as its owner edits it, without the program. A contact is selected by its name. */
export type DemoAccount = {
  people(): readonly Person[];
  add(person: Person): void;
  setTitle(name: string, title: string): void;
  setEmail(name: string, email: string): void;
  remove(name: string): void;
  renameGroup(from: string, to: string): void;
};

/** Returns the found item. Throws if the sample data does not contain it. */
const found = <Item>(item: Item | undefined, name: string): Item => {
  if (item === undefined) throw new Error(`The sample data has no ${name}.`);
  return item;
};

const googleAccount = ({ account }: GoogleEmulator): Omit<DemoAccount, 'people'> => {
  const idOf = (name: string): string => {
    const isNamed = account.people().find(({ names }) => `${names?.[0]?.givenName} ${names?.[0]?.familyName}` === name);
    return found(isNamed?.resourceName ?? undefined, name);
  };
  return {
    add: (person) => seedGoogle(account, [person]),
    setTitle: (name, title) => {
      const [job, ...others] = account.person(idOf(name))?.organizations ?? [];
      account.updatePerson(idOf(name), { organizations: [{ ...job, title }, ...others] });
    },
    setEmail: (name, value) => account.updatePerson(idOf(name), { emailAddresses: [{ value }] }),
    remove: (name) => account.deletePerson(idOf(name)),
    renameGroup: (from, to) => {
      const group = account.groups().find(({ name }) => name === from);
      account.renameGroup(found(group, from).resourceName, to);
    },
  };
};

const serviceAccount = ({ account }: ServiceEmulator): Omit<DemoAccount, 'people'> => {
  const idOf = (name: string): string =>
    found(
      account.contacts().find(({ first_name, last_name }) => `${first_name} ${last_name}` === name),
      name,
    ).id;
  return {
    add: (person) => seedService(account, [person]),
    setTitle: (name, title) => void account.updateContact(idOf(name), { title }),
    setEmail: (name, address) => void account.updateContact(idOf(name), { email_addresses: [{ address }] }),
    remove: (name) => void account.deleteContact(idOf(name)),
    renameGroup: (from, to) => {
      const bucket = account.buckets().find(({ name }) => name === from);
      account.updateBucket(found(bucket, from).id, { name: to });
    },
  };
};

/** Opens the account of an emulator. */
export const openAccount = (emulator: Emulator): DemoAccount => ({
  ...(emulator.provider === 'google' ? googleAccount(emulator.server) : serviceAccount(emulator.server)),
  people: () => peopleAt(emulator),
});
