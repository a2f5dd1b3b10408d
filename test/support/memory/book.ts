import type { Clock } from '../../../src/util/clock.ts';
import type { Contact } from '../../../src/core/contact/contact.ts';
import { streetLines } from '../../../src/core/contact/elements.ts';
import type { Side } from '../../../src/core/contact/side.ts';
import type { ContactRecord, GroupRecord, Json } from '../../../src/core/contact/record.ts';
import { createRowDigest } from '../../../src/providers/listing.ts';
import { readJobs, type Job } from './jobs.ts';
import { receive, type Manners } from './manners.ts';
import type { MemoryProvider } from './providers.ts';

/** A contact of an address book in memory. */
export type Row = {
  id: string;
  /** Ids that this contact had before. */
  formerIds: string[];
  contact: Contact;
  /** A part of the name that no link of the simulation syncs; otherwise empty. */
  nameSuffix: string;
  groupIds: Set<string>;
  /** Data that the canonical contact cannot express. */
  extra: Json;
  /** The organizations in addition to the one of company and title. */
  jobs: readonly Job[];
  originId: string | null;
  originScope?: string;
  version: number;
  modifiedAtMs: number;
  readonly createdAtMs: number;
  /** The last states, oldest first, each with the time since which listings and the change feed show it. */
  shown: Shown[];
  state: Shown['state'];
  mergedInto: Row | null;
  /** The person, independent of ids. The accounts do not have it. */
  entity: number;
  /** The version and the membership in the last answer. Not every provider includes the membership in the version. */
  answered: { readonly version: number; readonly groupIds: string };
  /** Whether the deletion was reported to the link: not yet, in the current run, or in an earlier run. */
  reported: 'no' | 'now' | 'before';
};

/** The time at which a feed shows a state that it leaves out. */
export const NEVER_MS = Number.POSITIVE_INFINITY;

/** One state of a contact, with the times since which listings and the change feed show it. */
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
  /** The group, independent of the side. */
  readonly entity: number;
};

export type BookOptions = {
  /** The side of the link. */
  readonly side: Side;
  readonly provider: MemoryProvider;
  readonly clock: Clock;
  readonly manners: Manners;
  /** How far the account's clock is ahead of the program's clock. */
  readonly skewMs: number;
  /** Called for each change; returns the delay until listings show it. */
  readonly visibilityDelayMs: () => number;
  /** Called for each change; returns the delay until the change feed shows it. The delay of listings where absent. */
  readonly feedDelayMs?: () => number;
  /** Whether reads by id lag like listings. */
  readonly readsLag?: boolean;
  /** The faults of a feed that reports deletions. */
  readonly oddFeed?: OddFeed | undefined;
  readonly habits?: Habits;
};

/** The behaviour of a side that differs between providers. */
export type Habits = {
  /** The answer to a create whose email address another contact has. */
  readonly knownEmail: 'duplicate' | 'existing' | 'existing-updated' | 'refused';
  /** Whether a write to an archived contact restores it. */
  readonly writesUnarchive: boolean;
  /** Whether the side stores a new contact under an id of its own, and not under the requested one. */
  readonly renamesNew: boolean;
  /** Whether a merge by the side replaces the survivor's lists, and whether it archives the other contact. */
  readonly merge: { readonly replaces: boolean; readonly archives: boolean };
};

/** The faults of a feed. Listings are whole. */
export type OddFeed = {
  /** The feed never shows the changes with a number that this divides; 0 leaves none out. */
  readonly leavesOutEach: number;
  /** The feed also names existing contacts as deleted: those with a version that this divides; 0 names none. */
  readonly replaysEach: number;
};

const WHOLE_FEED: OddFeed = { leavesOutEach: 0, replaysEach: 0 };

export const PLAIN_HABITS: Habits = {
  knownEmail: 'duplicate',
  writesUnarchive: false,
  renamesNew: false,
  merge: { replaces: false, archives: false },
};

/** A copy of an address book. */
export type Backup = ReadonlyMap<Row, Pick<Row, 'contact' | 'groupIds' | 'extra' | 'modifiedAtMs' | 'state'>>;

/** An address book in memory: contacts, groups and the order of their changes. It is independent of the port. */
export type Book = ReturnType<typeof createBook>;

export const createBook = (options: BookOptions) => {
  const { side, provider, clock, manners, visibilityDelayMs, readsLag = false, habits = PLAIN_HABITS } = options;
  const { oddFeed = WHOLE_FEED } = options;
  const rows: Row[] = [];
  const groups: Group[] = [];
  let version = 0;
  let changes = 0;
  let { skewMs } = options;
  const now = (): number => clock.now() + skewMs;
  const stampMs = (): number => Math.floor(now() / provider.stampsEachMs) * provider.stampsEachMs;
  /** The contact as the side stores it. A side without places for the flat and the post box has them as lines of the street. */
  const store = (contact: Contact): Contact => {
    const received = receive(manners, contact);
    if (provider.dividesAddresses) return received;
    const addresses = received.addresses.map(({ extended, poBox, ...address }) => ({
      ...address,
      street: streetLines({ ...address, ...(extended && { extended }), ...(poBox && { poBox }) }),
    }));
    return { ...received, addresses };
  };
  const newId = (): string => {
    version += 1;
    return provider.contactId(version);
  };
  const find = (id: string): Row | undefined => rows.find((row) => row.id === id || row.formerIds.includes(id));

  const show = (row: Row): void => {
    const last = row.shown.at(-1);
    const visibleAtMs = Math.max(last?.visibleAtMs ?? 0, clock.now() + visibilityDelayMs());
    const lastFed = row.shown.findLast((each) => each.fedAtMs !== NEVER_MS);
    const fedAtMs =
      options.feedDelayMs === undefined
        ? visibleAtMs
        : Math.max(lastFed?.fedAtMs ?? 0, clock.now() + options.feedDelayMs());
    changes += 1;
    const isLeftOut = oddFeed.leavesOutEach > 0 && changes % oddFeed.leavesOutEach === 0;
    row.shown.push({ visibleAtMs, fedAtMs: isLeftOut ? NEVER_MS : fedAtMs, record: recordOf(row), state: row.state });
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
    nameSuffix?: string;
  }): Row => {
    const row: Row = {
      jobs: [],
      nameSuffix: '',
      ...given,
      id: newId(),
      formerIds: [],
      contact: store(given.contact),
      groupIds: new Set(),
      version,
      modifiedAtMs: stampMs(),
      createdAtMs: stampMs(),
      shown: [],
      answered: { version: 0, groupIds: '' },
      reported: 'no',
      state: 'live',
      mergedInto: null,
    };
    rows.push(row);
    show(row);
    return row;
  };

  const isGroup = (id: string): boolean => groups.some((group) => group.live && group.id === id);

  /** Shows a changed membership, with a new version where the provider includes the membership in it. */
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
    oddFeed,
    rows,
    groups,
    now,
    find,
    touch,
    add,
    version: (): number => version,
    findGroup: (id: string): Group | undefined => groups.find((group) => group.live && group.id === id),
    write: (row: Row, contact: Contact): void => {
      row.contact = store(contact);
      touch(row);
    },
    /** The account computes a value of a contact; `isStamped` if that updates the modification time. */
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
    /** Gives the contact a stamp ahead of the account's clock. */
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
    /** Restores the backup, stamps included; later contacts are deleted. */
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
    /** Makes a group of that name with the same members. */
    copyGroup: (group: Group, name: string): Group => {
      version += 1;
      const { entity, names } = group;
      const known = groups.find((each) => each.live && each.name === name);
      const copy = known ?? {
        id: provider.groupId(version),
        name,
        names: [...names, name],
        version,
        live: true,
        entity,
      };
      if (known === undefined) groups.push(copy);
      for (const row of rows.filter(({ groupIds }) => groupIds.has(group.id) && !groupIds.has(copy.id))) {
        row.groupIds.add(copy.id);
        showMembership(row);
      }
      return copy;
    },
    /** The contacts that are in no other group of the same entity. */
    membersOnlyOf: ({ id, entity }: Group): readonly Row[] => {
      const others = groups.filter((each) => each.live && each.entity === entity && each.id !== id);
      return rows.filter(({ groupIds }) => groupIds.has(id) && !others.some((each) => groupIds.has(each.id)));
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

/** The state of a contact in listings or the change feed now; null where it is not visible yet. */
export const shownAt = (row: Row, nowMs: number, where: 'listing' | 'feed'): Shown | null => {
  const sinceMs = where === 'listing' ? 'visibleAtMs' : 'fedAtMs';
  return row.shown.findLast((each) => each[sinceMs] <= nowMs) ?? null;
};

/** Records the state in an answer. */
export const noteAnswer = (row: Row, record: ContactRecord): void => {
  const version = Number(record.version);
  if (version >= row.answered.version) row.answered = { version, groupIds: record.groupIds.join() };
};

/** Whether the contact is unchanged since the last answer. */
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
    ...(row.nameSuffix !== '' && { unsyncedName: { nameSuffix: row.nameSuffix } }),
    groupIds: [...row.groupIds].toSorted(),
    raw: JSON.stringify({ extra: row.extra, ...(row.jobs.length > 0 && { jobs: row.jobs }) }),
    originId: row.originId,
    ...(row.originScope === undefined ? {} : { originScope: row.originScope }),
  };
  // A row with former ids contains more than its record.
  const digest = row.formerIds.length === 0 ? digestOf(record) : null;
  return digest === null ? record : { ...record, digest };
};

export const groupRecordOf = (group: Group): GroupRecord => {
  return { id: group.id, name: group.name, version: String(group.version) };
};
