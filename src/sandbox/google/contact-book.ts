import { createHash } from 'node:crypto';
import { type ContactField, type FieldItem, readFields, singletonFields } from './person-schema.ts';

/** The values of a contact in stored form, by field. */
export type ContactFields = { readonly [Field in ContactField]?: readonly FieldItem[] };

/** The immutable state of a contact. A change replaces it. */
export interface ContactState {
  readonly fields: ContactFields;
  /** Resource names of the groups, in the order of joining. */
  readonly groups: readonly string[];
  /** Time of the last change in microseconds since the epoch. */
  readonly updatedMicros: number;
}

export interface ContactRecord {
  /** Id of the source: lower-case hex. */
  readonly sourceId: string;
  readonly resourceName: string;
  readonly state: ContactState;
  /** The state before the last change; undefined without a change. */
  readonly previous: ContactState | undefined;
  readonly deleted: boolean;
  readonly formerNames: readonly string[];
}

interface LogEntry {
  readonly record: ContactRecord;
  readonly atMs: number;
}

interface LogSlice {
  readonly records: readonly ContactRecord[];
  /** Sequence number of the last record if more records follow. */
  readonly next: number | undefined;
}

/**
 * The contacts of an account and the log of their changes. Every change replaces the record and appends it to
 * the log. A log entry is valid only while its record is the contact's newest one. The valid entries are therefore all contacts
 * and tombstones, each once, by time of last change. A delta is the end of the log.
 */
export class ContactBook {
  readonly #records = new Map<string, ContactRecord>();
  readonly #newNames = new Map<string, string>();
  readonly #log: LogEntry[] = [];
  readonly #currentSequences = new Map<string, number>();
  readonly #seed: string;
  #created = 0;
  #living = 0;

  constructor(seed: string) {
    this.#seed = seed;
  }

  get size(): number {
    return this.#living;
  }

  /** Sequence number of the newest change; 0 without a change. */
  get lastSequence(): number {
    return this.#log.length;
  }

  /** Returns the sequence number of a contact's last change, by its current name; 0 if it does not exist. */
  sequenceOf(resourceName: string): number {
    return this.#currentSequences.get(resourceName) ?? 0;
  }

  /** Returns the living or deleted contact with that current or former name. */
  find(resourceName: string): ContactRecord | undefined {
    const name = this.#newNames.get(resourceName);
    return name === undefined ? this.#records.get(resourceName) : this.find(name);
  }

  living(resourceName: string): ContactRecord | undefined {
    const record = this.find(resourceName);
    return record?.deleted ? undefined : record;
  }

  /** Yields every living contact, in no particular order. */
  *all(): Generator<ContactRecord> {
    for (const record of this.#records.values()) if (!record.deleted) yield record;
  }

  create(state: ContactState, atMs: number): ContactRecord {
    this.#living += 1;
    const sourceId = this.#nextId();
    const resourceName = `people/c${BigInt(`0x${sourceId}`)}`;
    const unchanging = { sourceId, previous: undefined, deleted: false, formerNames: [] };
    return this.#append({ ...unchanging, resourceName, state }, atMs);
  }

  update(record: ContactRecord, state: ContactState, atMs: number): ContactRecord {
    return this.#append({ ...record, state, previous: record.state }, atMs);
  }

  /** Replaces the state without a log entry. */
  updateQuietly(record: ContactRecord, state: ContactState): ContactRecord {
    const replaced = { ...record, state, previous: record.state };
    const sequence = this.#currentSequences.get(record.resourceName);
    const entry = sequence === undefined ? undefined : this.#log[sequence - 1];
    if (sequence !== undefined && entry) this.#log[sequence - 1] = { ...entry, record: replaced };
    this.#records.set(record.resourceName, replaced);
    return replaced;
  }

  delete(record: ContactRecord, updatedMicros: number, atMs: number): void {
    this.#living -= 1;
    const state = { fields: {}, groups: [], updatedMicros };
    this.#append({ ...record, state, previous: record.state, deleted: true }, atMs);
  }

  /** Adds the name of `loser` to the former names of `survivor`, which is then found by it. Creates no tombstone. */
  absorb(survivor: ContactRecord, loser: ContactRecord, atMs: number): ContactRecord {
    this.#living -= 1;
    this.#records.delete(loser.resourceName);
    this.#currentSequences.delete(loser.resourceName);
    this.#newNames.set(loser.resourceName, survivor.resourceName);
    return this.addFormerName(survivor, loser.resourceName, atMs);
  }

  addFormerName(record: ContactRecord, name: string, atMs: number): ContactRecord {
    return this.#append({ ...record, formerNames: [...record.formerNames, name] }, atMs);
  }

  /**
   * Returns up to `limit` records that changed after one sequence number, up to and including another, each as it was at the
   * latter: a contact with a later change is returned in its earlier state.
   */
  slice(after: number, until: number, limit: number, accept: (record: ContactRecord) => boolean): LogSlice {
    const records: ContactRecord[] = [];
    const newest = this.#newestUpTo(after, until);
    let last = after;
    for (let sequence = after + 1; sequence <= until; sequence += 1) {
      const record = newest.get(sequence);
      if (!record || !accept(record)) continue;
      if (records.length === limit) return { records, next: last };
      records.push(record);
      last = sequence;
    }
    return { records, next: undefined };
  }

  /** Returns up to `limit` living contacts that changed before a sequence number, newest first. */
  newest(before: number, limit: number): LogSlice {
    const records: ContactRecord[] = [];
    let last = before;
    for (let sequence = before - 1; sequence > 0; sequence -= 1) {
      const record = this.#currentAt(sequence);
      if (!record || record.deleted) continue;
      if (records.length === limit) return { records, next: last };
      records.push(record);
      last = sequence;
    }
    return { records, next: undefined };
  }

  /** Returns the number of contacts and tombstones changed after one sequence number, up to and including another. */
  countChanged(after: number, until: number): number {
    return this.#newestUpTo(after, until).size;
  }

  /** Returns the sequence number of the newest change at or before that time. */
  sequenceAt(timeMs: number): number {
    let sequence = this.#log.length;
    while (sequence > 0 && (this.#log[sequence - 1]?.atMs ?? 0) > timeMs) sequence -= 1;
    return sequence;
  }

  /** Returns each contact's newest change between two sequence numbers, by its sequence number, without former names. */
  #newestUpTo(after: number, until: number): ReadonlyMap<number, ContactRecord> {
    const sequences = new Map<string, number>();
    for (let sequence = after + 1; sequence <= until; sequence += 1) {
      const name = this.#log[sequence - 1]?.record.resourceName;
      if (name !== undefined && this.#currentSequences.has(name)) sequences.set(name, sequence);
    }
    const newest = [...sequences.values()].toSorted((one, other) => one - other);
    return new Map(
      newest.flatMap((sequence) => {
        const record = this.#log[sequence - 1]?.record;
        return record === undefined ? [] : [[sequence, record] as const];
      }),
    );
  }

  #currentAt(sequence: number): ContactRecord | undefined {
    const record = this.#log[sequence - 1]?.record;
    return record && this.#currentSequences.get(record.resourceName) === sequence ? record : undefined;
  }

  #append(record: ContactRecord, atMs: number): ContactRecord {
    this.#log.push({ record, atMs });
    this.#records.set(record.resourceName, record);
    this.#currentSequences.set(record.resourceName, this.#log.length);
    return record;
  }

  /** Returns a new source id: 63 bits as lower-case hex. */
  #nextId(): string {
    this.#created += 1;
    const text = `${this.#seed} contact ${this.#created}`;
    return (createHash('sha256').update(text).digest().readBigUInt64BE() >> 1n).toString(16);
  }
}

/** Returns the fields of a merged contact: the first contact's single values, and the list values of all, each once. */
export function mergedFields(contacts: readonly ContactFields[]): ContactFields {
  const merged: [ContactField, FieldItem[]][] = [];
  for (const field of readFields) {
    if (field === 'metadata' || field === 'memberships') continue;
    const values = contacts.flatMap((contact) => contact[field] ?? []);
    if (values.length === 0) continue;
    merged.push([field, singletonFields.has(field) ? values.slice(0, 1) : withoutRepeats(values)]);
  }
  return Object.fromEntries(merged);
}

function withoutRepeats(values: readonly FieldItem[]): FieldItem[] {
  const byContent = new Map(values.map((value) => [JSON.stringify(value), value]));
  return [...byContent.values()];
}
