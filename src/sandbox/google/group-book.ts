import { createHash } from 'node:crypto';
import { NameIndex } from '../name-index.ts';

export interface GroupClientData {
  readonly key: string;
  readonly value: string;
}

/** One contact group, living or deleted. System groups have a change time only if Google set one. */
export interface GroupRecord {
  readonly resourceName: string;
  readonly name: string;
  readonly formattedName: string;
  readonly system: boolean;
  readonly clientData: readonly GroupClientData[];
  readonly updatedMicros: number | undefined;
  readonly deleted: boolean;
}

/** Resource name of the group of ordinary contacts. */
export const myContactsGroup = 'contactGroups/myContacts';

/** Resource name of the system group with every contact. It is not a membership of a person. */
export const allContactsGroup = 'contactGroups/all';

const addableSystemGroups: ReadonlySet<string> = new Set([myContactsGroup, 'contactGroups/starred']);

const systemGroupNames: Readonly<Record<string, string>> = {
  myContacts: 'My Contacts',
  starred: 'Starred',
  friends: 'Friends',
  family: 'Family',
  coworkers: 'Coworkers',
  blocked: 'Blocked',
  all: 'All Contacts',
  chatBuddies: 'Chat contacts',
};

/** Returns whether contacts may be added to the group. From the other system groups, members can only be removed. */
export function isAddable(group: GroupRecord): boolean {
  return !group.system || addableSystemGroups.has(group.resourceName);
}

/** The contact groups of an account: the system groups and the user's own. */
export class GroupBook {
  readonly #records = new Map<string, GroupRecord>();
  readonly #names = new NameIndex();
  readonly #seed: string;
  #created = 0;

  constructor(seed: string) {
    this.#seed = seed;
    for (const [name, formattedName] of Object.entries(systemGroupNames)) {
      this.#put({
        resourceName: `contactGroups/${name}`,
        name,
        formattedName,
        system: true,
        clientData: [],
        updatedMicros: undefined,
        deleted: false,
      });
    }
  }

  living(resourceName: string): GroupRecord | undefined {
    const record = this.#records.get(resourceName);
    return record?.deleted ? undefined : record;
  }

  /** Returns the living groups: system groups first, then the user's groups by age. */
  all(): GroupRecord[] {
    return [...this.#records.values()].filter((group) => !group.deleted);
  }

  named(name: string): GroupRecord | undefined {
    const ids = this.#names.idsOf(name);
    // Of several groups, the oldest.
    if (ids.size > 1) return this.all().find(({ resourceName }) => ids.has(resourceName));
    const [id] = ids;
    return id === undefined ? undefined : this.living(id);
  }

  create(name: string, clientData: readonly GroupClientData[], updatedMicros: number): GroupRecord {
    this.#created += 1;
    const id = createHash('sha256').update(`${this.#seed} group ${this.#created}`).digest().readBigUInt64BE() >> 3n;
    const resourceName = `contactGroups/${id.toString(16)}`;
    return this.#put({
      resourceName,
      name,
      formattedName: name,
      system: false,
      clientData,
      updatedMicros,
      deleted: false,
    });
  }

  update(
    group: GroupRecord,
    changes: { readonly name?: string; readonly clientData?: readonly GroupClientData[] },
    updatedMicros: number,
  ): GroupRecord {
    const changed = { ...group, ...changes, updatedMicros };
    return this.#put({ ...changed, formattedName: changed.name });
  }

  delete(group: GroupRecord, updatedMicros: number): void {
    this.#put({ ...group, clientData: [], updatedMicros, deleted: true });
  }

  #put(group: GroupRecord): GroupRecord {
    const nameOf = (each: GroupRecord | undefined): string | undefined =>
      each === undefined || each.system || each.deleted ? undefined : each.name;
    this.#names.move(group.resourceName, nameOf(this.#records.get(group.resourceName)), nameOf(group));
    this.#records.set(group.resourceName, group);
    return group;
  }
}
