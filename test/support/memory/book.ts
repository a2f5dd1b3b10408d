import type { Clock } from '../../../src/clock.ts';
import type { Contact } from '../../../src/contact/contact.ts';
import type { Side } from '../../../src/contact/side.ts';
import type { ContactRecord, GroupRecord, Json } from '../../../src/contact/record.ts';
import { createRowDigest } from '../../../src/providers/row-digest.ts';
import { receive, type Manners } from './manners.ts';
import type { MemoryProvider } from './providers.ts';

/** A contact of an address book in memory. */
export type Row = {
  id: string;
  /** Ids that this contact had before. */
  formerIds: string[];
  contact: Contact;
  groupIds: Set<string>;
  /** What the canonical contact cannot express. */
  extra: Json;
  originId: string | null;
  originScope?: string;
  version: number;
  modifiedAtMs: number;
  readonly createdAtMs: number;
  /** The last states, oldest first, and since when the change feed and listings show each. */
  shown: { readonly visibleAtMs: number; readonly record: ContactRecord; readonly state: Row['state'] }[];
  state: 'live' | 'archived' | 'deleted' | 'merged';
  mergedInto: Row | null;
  /** Who this is, whatever ids it has on either side: given by the simulation, unknown to the accounts. */
  entity: number;
  /** What the last answer of the port said: a version, and the membership, which is not part of it everywhere. */
  answered: { readonly version: number; readonly groupIds: string };
};

export type Group = {
  readonly id: string;
  name: string;
  /** Every name that it ever had. */
  readonly names: string[];
  version: number;
  live: boolean;
  /** Which group this is, on whichever side. */
  readonly entity: number;
};

export type BookOptions = {
  /** The side of the link that the book plays; its owner does not know it. */
  readonly side: Side;
  readonly provider: MemoryProvider;
  readonly clock: Clock;
  readonly manners: Manners;
  /** How far the account's clock is ahead of ours. */
  readonly skewMs: number;
  /** Asked for each change: how long until the feed shows it. */
  readonly visibilityDelayMs: () => number;
};

/** An address book in memory: contacts, groups and the order of their changes. Knows nothing of the port. */
export type Book = ReturnType<typeof createBook>;

export const createBook = ({ side, provider, clock, manners, skewMs, visibilityDelayMs }: BookOptions) => {
  const rows: Row[] = [];
  const groups: Group[] = [];
  let version = 0;
  const now = (): number => clock.now() + skewMs;
  const stampMs = (): number => Math.floor(now() / provider.stampsEachMs) * provider.stampsEachMs;
  const newId = (): string => {
    version += 1;
    return provider.contactId(version);
  };
  const find = (id: string): Row | undefined => rows.find((row) => row.id === id || row.formerIds.includes(id));

  const show = (row: Row): void => {
    const last = row.shown.at(-1)?.visibleAtMs ?? 0;
    const visibleAtMs = Math.max(last, clock.now() + visibilityDelayMs());
    row.shown.push({ visibleAtMs, record: recordOf(row), state: row.state });
  };

  const touch = (row: Row): void => {
    version += 1;
    row.version = version;
    row.modifiedAtMs = stampMs();
    show(row);
  };

  const add = (given: {
    contact: Contact;
    extra: Json;
    originId: string | null;
    originScope?: string;
    entity: number;
  }): Row => {
    const row: Row = {
      ...given,
      id: newId(),
      formerIds: [],
      contact: receive(manners, given.contact),
      groupIds: new Set(),
      version,
      modifiedAtMs: stampMs(),
      createdAtMs: stampMs(),
      shown: [],
      answered: { version: 0, groupIds: '' },
      state: 'live',
      mergedInto: null,
    };
    rows.push(row);
    show(row);
    return row;
  };

  /** A contact's new membership: a new version where the provider counts it as one. */
  const showMembership = (row: Row): void => {
    if (provider.membershipIsVersioned) touch(row);
    else show(row);
  };

  return {
    side,
    provider,
    manners,
    rows,
    groups,
    now,
    find,
    touch,
    add,
    version: (): number => version,
    findGroup: (id: string): Group | undefined => groups.find((group) => group.live && group.id === id),
    write: (row: Row, contact: Contact): void => {
      row.contact = receive(manners, contact);
      touch(row);
    },
    setGroups: (row: Row, groupIds: Iterable<string>): void => {
      row.groupIds = new Set(groupIds);
      showMembership(row);
    },
    remove: (row: Row, state: 'deleted' | 'archived'): void => {
      row.state = state;
      touch(row);
    },
    rename: (row: Row): void => {
      row.formerIds.push(row.id);
      row.id = newId();
      touch(row);
    },
    addGroup: (name: string, entity: number): Group => {
      version += 1;
      const group: Group = { id: provider.groupId(version), name, names: [name], version, live: true, entity };
      groups.push(group);
      return group;
    },
    renameGroup: (group: Group, name: string): void => {
      version += 1;
      group.name = name;
      group.names.push(name);
      group.version = version;
    },
    removeGroup: (group: Group): void => {
      version += 1;
      group.live = false;
      for (const row of rows) {
        if (row.groupIds.delete(group.id)) showMembership(row);
      }
    },
  };
};

/** The contact as feeds and listings show it now; null where they show none yet. */
export const shownAt = (row: Row, nowMs: number): Row['shown'][number] | null => {
  return row.shown.findLast(({ visibleAtMs }) => visibleAtMs <= nowMs) ?? null;
};

/** Remembers that an answer said the contact to be as in the record. */
export const noteAnswer = (row: Row, record: ContactRecord): void => {
  const version = Number(record.version);
  if (version >= row.answered.version) row.answered = { version, groupIds: record.groupIds.join() };
};

/** Whether the contact stands as the last answer said. */
export const isAsAnswered = (row: Row): boolean => {
  return row.answered.version === row.version && row.answered.groupIds === [...row.groupIds].toSorted().join();
};

const digestOf = createRowDigest('memory');

export const recordOf = (row: Row): ContactRecord => {
  const record = {
    id: row.id,
    version: String(row.version),
    modifiedAtMs: row.modifiedAtMs,
    contact: row.contact,
    groupIds: [...row.groupIds].toSorted(),
    raw: JSON.stringify({ extra: row.extra }),
    originId: row.originId,
    ...(row.originScope === undefined ? {} : { originScope: row.originScope }),
  };
  // A row that names former ids says more than its record.
  const digest = row.formerIds.length === 0 ? digestOf(record) : null;
  return digest === null ? record : { ...record, digest };
};

export const groupRecordOf = (group: Group): GroupRecord => {
  return { id: group.id, name: group.name, version: String(group.version) };
};
