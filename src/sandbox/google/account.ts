import { ContactBook, type ContactFields, type ContactRecord, mergedFields } from './contact-book.ts';
import { storedValues } from './field-values.ts';
import { GroupBook, type GroupRecord, myContactsGroup } from './group-book.ts';
import { type ContactField, type FieldItem, type Person, readFields } from './person-schema.ts';
import { personView, type ViewOptions } from './person-view.ts';
import type { GoogleVariants } from './variants.ts';

interface AccountOptions {
  readonly email: string;
  /** The address of the account's photos, without a trailing slash. */
  readonly origin: string;
  readonly clock: { now(): number };
  readonly variants: () => GoogleVariants;
}

/**
 * One Google account in memory. Its methods have the effect of the owner's actions in the web interface: no etags, no quotas,
 * no delay. A method throws an Error with the name of the person or group if it does not exist.
 */
export class GoogleAccount {
  readonly email: string;
  readonly origin: string;
  readonly contacts: ContactBook;
  readonly contactGroups: GroupBook;
  readonly #options: AccountOptions;
  #lastMicros = 0;

  constructor(options: AccountOptions) {
    this.email = options.email;
    this.origin = options.origin;
    this.contacts = new ContactBook(options.email);
    this.contactGroups = new GroupBook(options.email);
    this.#options = options;
  }

  now(): number {
    return this.#options.clock.now();
  }

  /** Returns a new time in microseconds for a change or a group sync token, later than every earlier one. */
  nextMicros(): number {
    this.#lastMicros = Math.max(this.now() * 1000, this.#lastMicros + 1);
    return this.#lastMicros;
  }

  /** Creates a label. Returns its resource name. */
  createGroup(name: string): string {
    if (this.contactGroups.named(name)) throw new Error(`The account already has a group named ${name}.`);
    return this.contactGroups.create(name, [], this.nextMicros()).resourceName;
  }

  renameGroup(resourceName: string, name: string): void {
    this.contactGroups.update(this.#group(resourceName), { name }, this.nextMicros());
  }

  /** Deletes a label; its contacts stay. */
  deleteGroup(resourceName: string): void {
    this.removeGroup(this.#group(resourceName), false);
  }

  /** Creates a contact in the given groups, else in those of `person.memberships`, else in My Contacts. Returns its name. */
  createPerson(person: Person, options: { readonly groups?: readonly string[] } = {}): string {
    const groups = options.groups ?? groupsOf(person) ?? [myContactsGroup];
    for (const group of groups) this.#group(group);
    const state = { fields: this.storedFields(person), groups, updatedMicros: this.nextMicros() };
    return this.contacts.create(state, this.now()).resourceName;
  }

  /** Replaces the fields that `person` contains. An empty list clears a field. */
  updatePerson(resourceName: string, person: Person): void {
    const record = this.#contact(resourceName);
    const groups = groupsOf(person) ?? record.state.groups;
    const fields = { ...record.state.fields, ...this.storedFields(person) };
    this.contacts.update(record, { fields, groups, updatedMicros: this.nextMicros() }, this.now());
  }

  deletePerson(resourceName: string): void {
    this.contacts.delete(this.#contact(resourceName), this.nextMicros(), this.now());
  }

  /** Puts the contact into exactly these groups. */
  setGroups(resourceName: string, groups: readonly string[]): void {
    for (const group of groups) this.#group(group);
    if (groups.length === 0) throw new Error(`${resourceName} must stay in one group at least.`);
    const record = this.#contact(resourceName);
    this.contacts.update(record, { ...record.state, groups, updatedMicros: this.nextMicros() }, this.now());
  }

  /** Merges contacts. The survivor keeps its single values and gets the others' list values and groups. */
  mergePeople(survivorName: string, loserNames: readonly string[]): void {
    const losers = loserNames.map((name) => this.#contact(name));
    let survivor = this.#contact(survivorName);
    const states = [survivor, ...losers].map(({ state }) => state);
    const merged = {
      fields: mergedFields(states.map(({ fields }) => fields)),
      groups: [...new Set(states.flatMap(({ groups }) => groups))],
      updatedMicros: this.nextMicros(),
    };
    survivor = this.contacts.update(survivor, merged, this.now());
    for (const loser of losers) survivor = this.#mergeAway(survivor, loser, merged.updatedMicros);
  }

  /** Returns every contact with all its fields, as the API returns them (contact source only). */
  people(): Person[] {
    return [...this.contacts.all()].map((record) => this.#view(record));
  }

  /** Returns one contact with all its fields; undefined if none has that name. */
  person(resourceName: string): Person | undefined {
    const record = this.contacts.living(resourceName);
    return record && this.#view(record);
  }

  groups(): { resourceName: string; name: string }[] {
    const own = this.contactGroups.all().filter(({ system }) => !system);
    return own.map(({ resourceName, name }) => ({ resourceName, name }));
  }

  storedFields(person: Person): ContactFields {
    const entries: [ContactField, FieldItem[]][] = [];
    for (const field of readFields) {
      if (field === 'metadata' || field === 'memberships') continue;
      const written = person[field];
      if (written) entries.push([field, storedValues(field, written)]);
    }
    return Object.fromEntries(entries);
  }

  /** Changes a contact's groups by a change of the group. A variant decides whether the contact's update time changes. */
  changeMembership(record: ContactRecord, groups: readonly string[], updatedMicros: number): void {
    if (this.#options.variants().membershipChanges === 'leaveContact') {
      this.contacts.updateQuietly(record, { ...record.state, groups });
    } else {
      this.contacts.update(record, { ...record.state, groups, updatedMicros }, this.now());
    }
  }

  /** Deletes a group with its contacts or only their membership. A contact that loses its last group joins My Contacts. */
  removeGroup(group: GroupRecord, deleteContacts: boolean): void {
    const updatedMicros = this.nextMicros();
    const members = [...this.contacts.all()].filter(({ state }) => state.groups.includes(group.resourceName));
    for (const member of members) {
      if (deleteContacts) {
        this.contacts.delete(member, updatedMicros, this.now());
        continue;
      }
      const left = member.state.groups.filter((name) => name !== group.resourceName);
      this.changeMembership(member, left.length > 0 ? left : [myContactsGroup], updatedMicros);
    }
    this.contactGroups.delete(group, updatedMicros);
  }

  #mergeAway(survivor: ContactRecord, loser: ContactRecord, updatedMicros: number): ContactRecord {
    const { mergeEvents } = this.#options.variants();
    if (mergeEvents === 'survivorRenamed') return this.contacts.absorb(survivor, loser, this.now());
    this.contacts.delete(loser, updatedMicros, this.now());
    return mergeEvents === 'both' ? this.contacts.addFormerName(survivor, loser.resourceName, this.now()) : survivor;
  }

  #view(record: ContactRecord): Person {
    const options: ViewOptions = {
      mask: new Set(readFields),
      contact: true,
      profile: false,
      variants: this.#options.variants(),
      listing: false,
      formerNames: false,
      flipped: false,
      origin: this.origin,
    };
    return personView(record, record.state, options);
  }

  #contact(resourceName: string): ContactRecord {
    const record = this.contacts.living(resourceName);
    if (!record) throw new Error(`The account has no contact ${resourceName}.`);
    return record;
  }

  #group(resourceName: string): GroupRecord {
    const group = this.contactGroups.living(resourceName);
    if (!group) throw new Error(`The account has no group ${resourceName}.`);
    return group;
  }
}

/** Returns the resource names of the groups in a person's memberships; undefined if there are none. */
export function groupsOf(person: Person): string[] | undefined {
  const names = (person.memberships ?? []).flatMap(({ contactGroupMembership }) => {
    return contactGroupMembership?.contactGroupResourceName ?? [];
  });
  return names.length > 0 ? [...new Set(names)] : undefined;
}
