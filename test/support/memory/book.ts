import type { Clock } from '../../../src/util/clock.ts';
import type { Contact } from '../../../src/core/contact/contact.ts';
import type { Side } from '../../../src/core/contact/side.ts';
import type { ContactRecord, GroupRecord, Json } from '../../../src/core/contact/record.ts';
import { createRowDigest } from '../../../src/providers/row-digest.ts';
import { readJobs, type Job } from './jobs.ts';
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
  /** The organizations in addition to the one of company and title. */
  jobs: readonly Job[];
  originId: string | null;
  originScope?: string;
  version: number;
  modifiedAtMs: number;
  readonly createdAtMs: number;
  /** The last states, oldest first, and since when listings and the change feed show each. */
  shown: Shown[];
  state: Shown['state'];
  mergedInto: Row | null;
  /** Who this is, whatever ids it has on either side: given by the simulation, unknown to the accounts. */
  entity: number;
  /** What the last answer of the port said: a version, and the membership, which is not part of it everywhere. */
  answered: { readonly version: number; readonly groupIds: string };
  /** Whether the link was told that the contact is deleted: not, in the run under way, or in an earlier one. */
  told: 'no' | 'now' | 'before';
};

/** One state of a contact, and since when listings and the change feed show it. */
type Shown = {
  readonly visibleAtMs: number;
  readonly fedAtMs: number;
  readonly record: ContactRecord;
  readonly state: 'live' | 'archived' | 'deleted' | 'merged';
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
  /** Asked for each change: how long until listings show it. */
  readonly visibilityDelayMs: () => number;
  /** Asked for each change: how long until the change feed shows it; as long as listings where it is not given. */
  readonly feedDelayMs?: () => number;
  /** Whether a read by its id shows a contact no sooner than listings do. */
  readonly readsLag?: boolean;
  readonly habits?: Habits;
};

/** What a side does with requests that another side would refuse, or take in another way. */
export type Habits = {
  /** What a create is answered with whose email address another contact holds. */
  readonly knownEmail: 'duplicate' | 'existing' | 'existing-updated' | 'refused';
  /** Whether a write to an archived contact brings it back into listings. */
  readonly writesUnarchive: boolean;
  /** What the side's own merge does with lists and texts of the survivor, and whether it archives the other contact. */
  readonly merge: { readonly replaces: boolean; readonly archives: boolean };
};

export const PLAIN_HABITS: Habits = {
  knownEmail: 'duplicate',
  writesUnarchive: false,
  merge: { replaces: false, archives: false },
};

/** What an address book held at some moment. */
export type Backup = ReadonlyMap<Row, Pick<Row, 'contact' | 'groupIds' | 'extra' | 'modifiedAtMs' | 'state'>>;

/** An address book in memory: contacts, groups and the order of their changes. Knows nothing of the port. */
export type Book = ReturnType<typeof createBook>;

export const createBook = (options: BookOptions) => {
  const { side, provider, clock, manners, visibilityDelayMs, readsLag = false, habits = PLAIN_HABITS } = options;
  const rows: Row[] = [];
  const groups: Group[] = [];
  let version = 0;
  let { skewMs } = options;
  const now = (): number => clock.now() + skewMs;
  const stampMs = (): number => Math.floor(now() / provider.stampsEachMs) * provider.stampsEachMs;
  const newId = (): string => {
    version += 1;
    return provider.contactId(version);
  };
  const find = (id: string): Row | undefined => rows.find((row) => row.id === id || row.formerIds.includes(id));

  const show = (row: Row): void => {
    const last = row.shown.at(-1);
    const visibleAtMs = Math.max(last?.visibleAtMs ?? 0, clock.now() + visibilityDelayMs());
    const fedAtMs =
      options.feedDelayMs === undefined
        ? visibleAtMs
        : Math.max(last?.fedAtMs ?? 0, clock.now() + options.feedDelayMs());
    row.shown.push({ visibleAtMs, fedAtMs, record: recordOf(row), state: row.state });
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
    jobs?: readonly Job[];
  }): Row => {
    const row: Row = {
      jobs: [],
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
      told: 'no',
      state: 'live',
      mergedInto: null,
    };
    rows.push(row);
    show(row);
    return row;
  };

  const isGroup = (id: string): boolean => groups.some((group) => group.live && group.id === id);

  /** A contact's new membership: a new version where the provider counts it as one. */
  const showMembership = (row: Row): void => {
    if (provider.membershipIsVersioned) touch(row);
    else show(row);
  };

  return {
    side,
    provider,
    manners,
    readsLag,
    habits,
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
    /** The account computes something of a contact, which it may count as a change of it. */
    compute: (row: Row, contact: Contact, isStamped: boolean): void => {
      row.contact = contact;
      if (isStamped) touch(row);
      else show(row);
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
    /** The contact gets a stamp that far ahead of the account's clock. */
    stampAhead: (row: Row, aheadMs: number): void => {
      version += 1;
      row.version = version;
      row.modifiedAtMs = stampMs() + aheadMs;
      show(row);
    },
    /** The account's clock steps back. */
    stepBack: (byMs: number): void => {
      skewMs -= byMs;
    },
    backUp: (): Backup =>
      new Map(
        rows.map((row) => {
          const { contact, groupIds, extra, modifiedAtMs, state } = row;
          return [row, { contact, groupIds: new Set(groupIds), extra, modifiedAtMs, state }];
        }),
      ),
    /** Everything is as it was when the backup was made, its stamps included; what came since is gone. */
    restore: (backup: Backup): void => {
      for (const row of rows) {
        const held = backup.get(row);
        version += 1;
        row.version = version;
        if (held === undefined) row.state = row.state === 'live' ? 'deleted' : row.state;
        else Object.assign(row, { ...held, groupIds: new Set([...held.groupIds].filter((id) => isGroup(id))) });
        show(row);
      }
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

/** The contact as listings, or the change feed, show it now; null where they show none yet. */
export const shownAt = (row: Row, nowMs: number, where: 'listing' | 'feed'): Shown | null => {
  const sinceMs = where === 'listing' ? 'visibleAtMs' : 'fedAtMs';
  return row.shown.findLast((each) => each[sinceMs] <= nowMs) ?? null;
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
    ...readJobs(row.contact, row.jobs),
    groupIds: [...row.groupIds].toSorted(),
    raw: JSON.stringify({ extra: row.extra, ...(row.jobs.length > 0 && { jobs: row.jobs }) }),
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
