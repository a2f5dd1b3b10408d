import type { Extra } from '../../core/contact/fields.ts';
import type { ServiceContact } from './api/schemas-contacts.ts';

const DAY_LENGTH = '2026-01-31'.length;

/** The day of a time, in UTC. */
const dayOf = (epochMs: number): string => new Date(epochMs).toISOString().slice(0, DAY_LENGTH);

/** What people are called by, the best first. */
const NAME_KEYS = ['name', 'email'] as const;

const textAt = (value: object, key: string): string => {
  const text: unknown = Object.entries(value).find(([name]) => name === key)?.[1];
  return typeof text === 'string' ? text.trim() : '';
};

/** A user as the service describes one; the documented shape shows null alone (API.md, Contact). */
const userName = (user: unknown): string => {
  if (typeof user !== 'object' || user === null) return '';
  const parts = [textAt(user, 'first_name'), textAt(user, 'last_name')].filter((part) => part !== '');
  return parts.join(' ') || (NAME_KEYS.map((key) => textAt(user, key)).find((text) => text !== '') ?? '');
};

/** How what the service computes of a contact reads to people; empty where there is nothing to say. */
export const EXTRA_READERS: Readonly<Record<Extra, (contact: ServiceContact) => string>> = {
  lastContacted: ({ extra_data: { last_contacted: last } }) => (last === null ? '' : dayOf(last.epochMs)),
  relationshipStatus: ({ extra_data: { relationship_status: status } }) => (status === 'none' ? '' : (status ?? '')),
  reminderInterval: ({ extra_data: { buckets } }) => {
    const intervals = (buckets ?? []).flatMap(({ reminder_interval: interval }) => interval ?? []);
    return intervals.length === 0 ? '' : String(Math.min(...intervals));
  },
  assignedUser: ({ assigned_to_id: id, extra_data: { assigned_to: user } }) => userName(user) || (id ?? ''),
};
