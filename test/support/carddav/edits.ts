import { groupsOf } from '../../../src/sandbox/google/account.ts';
import type { CarddavLink } from './carddav-link.ts';

/** The edits of the owners of both address books; each value is typed once. */
export type Editor = {
  /** Edits at random. */
  edit(): void;
  /** The names of contacts that were not deleted. */
  readonly kept: Set<string>;
};

/**
 * Edits Google's account and the address book of a link, by these random numbers. The last contact of a side stays: a run
 * rightly halts where one side shows no contact any more (R8).
 */
export const createEditor = ({ sandbox, owner }: CarddavLink, random: () => number): Editor => {
  const { account } = sandbox.google;
  const kept = new Set<string>();
  let typed = 0;
  const text = (what: string): string => {
    typed += 1;
    return `${what}${typed}`;
  };
  const pick = <Item>(items: readonly Item[]): Item | undefined => items[Math.floor(random() * items.length)];
  const nameOf = (id: string): string => account.person(id)?.names?.[0]?.givenName ?? '';
  const people = (): string[] => account.people().flatMap(({ resourceName }) => resourceName ?? []);
  const labels = (): string[] => account.groups().map(({ resourceName }) => resourceName);

  const google: Readonly<Record<string, () => void>> = {
    create: () => {
      const name = text('G');
      kept.add(name);
      account.createPerson({
        names: [{ givenName: name, familyName: 'Left' }],
        emailAddresses: [{ value: `${name}@left.example` }],
      });
    },
    title: () => {
      const id = pick(people());
      if (id !== undefined) account.updatePerson(id, { organizations: [{ title: text('Title') }] });
    },
    email: () => {
      const id = pick(people());
      if (id === undefined) return;
      const held = account.person(id)?.emailAddresses ?? [];
      account.updatePerson(id, { emailAddresses: [...held, { value: `${text('more')}@left.example` }] });
    },
    remove: () => {
      const id = pick(people());
      if (id === undefined || people().length === 1) return;
      kept.delete(nameOf(id));
      account.deletePerson(id);
    },
    group: () => void account.createGroup(text('Label ')),
    join: () => {
      const [id, group] = [pick(people()), pick(labels())];
      if (id !== undefined && group !== undefined)
        account.setGroups(id, [...(groupsOf(account.person(id) ?? {}) ?? []), group]);
    },
    leave: () => {
      const id = pick(people());
      if (id !== undefined) account.setGroups(id, ['contactGroups/myContacts']);
    },
  };

  const book: Readonly<Record<string, () => void>> = {
    create: () => {
      const name = text('C');
      kept.add(name);
      owner.add({ firstName: name, lastName: 'Right', emails: [`${name}@right.example`] });
    },
    title: () => {
      const id = pick(owner.ids());
      if (id !== undefined) owner.edit(id, { title: text('Title') });
    },
    email: () => {
      const id = pick(owner.ids());
      if (id !== undefined)
        owner.edit(id, { emails: [...(owner.card(id)?.emails ?? []), `${text('more')}@right.example`] });
    },
    remove: () => {
      const id = pick(owner.ids());
      if (id === undefined || owner.ids().length === 1) return;
      kept.delete(owner.card(id)?.firstName ?? '');
      owner.remove(id);
    },
    join: () => {
      const id = pick(owner.ids());
      const groupId = pick(owner.groups()) ?? owner.addGroup(text('Group '));
      if (id !== undefined && !owner.groupIdsOf(id).includes(groupId)) owner.join(id, groupId);
    },
    leave: () => {
      const id = pick(owner.ids());
      const groupId = id === undefined ? undefined : pick(owner.groupIdsOf(id));
      if (id !== undefined && groupId !== undefined) owner.leave(id, groupId);
    },
  };

  return {
    kept,
    edit: () => {
      const side = random() < 0.5 ? google : book;
      pick(Object.values(side))?.();
    },
  };
};
