import { specOf, type SyncedField } from '../contact/contact.ts';
import { FIELDS } from '../contact/fields.ts';
import { SIDES, type Sides, type SideWords } from '../contact/side.ts';
import { timeOrder } from '../reconcile/conflict-policy.ts';
import type { UnsyncedField } from './unsynced.ts';
import type { ConflictView, ChangeKind, Run, Unpaired, Why, WriteView } from './views.ts';

/** Formats a whole number like `2,345`. `Intl` is not used, because loading its data takes tens of milliseconds. */
export const grouped = (number: number): string => String(number).replaceAll(/\B(?=(?:\d{3})+$)/gu, ',');

/** Formats a count with its noun: `1 contact`, `2,345 contacts`. */
export const count = (number: number, one: string, many = `${one}s`): string =>
  `${grouped(number)} ${number === 1 ? one : many}`;

const UNITS: readonly (readonly [name: string, lengthMs: number])[] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['min', 60_000],
];

/** Formats the age of a time: `just now`, `3 min ago`, `2 hours ago`; `never` for null. */
export const formatAge = (atMs: number | null, nowMs: number): string => {
  if (atMs === null) return 'never';
  const ageMs = Math.max(0, nowMs - atMs);
  const unit = UNITS.find(([, lengthMs]) => ageMs >= lengthMs);
  if (unit === undefined) return 'just now';
  const [name, lengthMs] = unit;
  return `${count(Math.floor(ageMs / lengthMs), name, name === 'min' ? 'min' : `${name}s`)} ago`;
};

/** Formats a duration: `340 ms`, `4.2 s`, `3 min 5 s`. */
export const formatDuration = (durationMs: number): string => {
  if (durationMs < 1000) return `${Math.round(durationMs)} ms`;
  if (durationMs < 60_000) return `${(durationMs / 1000).toFixed(1)} s`;
  const seconds = Math.round(durationMs / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
};

/** Formats an estimated duration: `40 s`, `10 min`, `2 h 5 min`. */
export const formatEstimate = (durationMs: number): string => {
  const seconds = Math.ceil(durationMs / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
};

/** Returns the text with a capital letter. */
export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Returns the first characters of a run's id, which commands accept as the id. */
export const shortRun = (id: string): string => id.slice(0, 8);

type Progress = Readonly<Record<'listed' | 'written', number> & Record<'planned' | 'remainingMs', number | null>>;

/** Returns the progress of a run: how much it has read, and once there is a plan, how much it has written. */
export const progressWords = ({ listed, planned, written, remainingMs }: Progress): string => {
  if (planned === null) return `reading, ${count(listed, 'contact')} so far`;
  const rest = remainingMs === null ? '' : `, about ${formatEstimate(remainingMs)} left`;
  return `${grouped(written)} of ${count(planned, 'contact')} written${rest}`;
};

/** Returns the estimated requests and time of a sync; null if it sends none. */
export const estimateWords = (
  { requests, durationMs }: { readonly requests: Sides<number>; readonly durationMs: number },
  sides: Sides<SideWords>,
): string | null => {
  const asked = SIDES.filter((side) => requests[side] > 0);
  const parts = asked.map((side) => `${count(requests[side], 'request')} to ${sides[side].title}`);
  return parts.length === 0 ? null : `${parts.join(' and ')}, ${formatEstimate(durationMs)}`;
};

/** Returns the name of a synced field. */
export const fieldWords = (field: SyncedField): string =>
  field === 'buckets' ? FIELDS.buckets.words : specOf(field).words;

/** Returns the names of the fields that are not synced: those with a number of contacts, and those that are not read. */
export const unsyncedNames = (fields: readonly UnsyncedField[]) => ({
  counted: fields.flatMap(({ field, contacts }) =>
    contacts === null ? [] : [`${fieldWords(field)} (${count(contacts, 'contact')})`],
  ),
  unread: [...fields.flatMap(({ field, contacts }) => (contacts === null ? [fieldWords(field)] : [])), 'custom fields'],
});

/** Returns which fields of the contacts are not synced; null if all are. */
export const unsyncedWords = (fields: readonly UnsyncedField[]): string | null => {
  if (fields.length === 0) return null;
  const { counted, unread } = unsyncedNames(fields);
  const sentences = [
    ...(counted.length === 0 ? [] : [`Not synced: ${counted.join(', ')}.`]),
    `Not read and not synced: ${unread.join(', ')}.`,
  ];
  return `${sentences.join(' ')} FIELDS adds fields.`;
};

/** The heading of the changes of each kind. */
export const CHANGE_KIND_TITLES: Readonly<Record<ChangeKind, string>> = {
  deletes: 'Deletions',
  conflicts: 'Conflicts',
  creates: 'Creations',
  updates: 'Updates',
  pairings: 'Pairings',
  unlinks: 'Unlinked',
};

/** The action of a write, in the past tense. */
export const ACTION_WORDS: Readonly<Record<WriteView['action'], string>> = {
  create: 'created',
  update: 'updated',
  membership: 'groups changed',
  delete: 'deleted',
  pair: 'paired',
  unlink: 'unlinked',
  ask: 'decision requested',
  'create-group': 'created',
  'rename-group': 'renamed',
  'delete-group': 'deleted',
};

/** Returns whether a run wrote something to a side. */
export const hasWritten = ({ wrote }: Pick<Run, 'wrote'>): boolean =>
  wrote !== null && SIDES.some((side) => Object.values(wrote[side]).some((number) => number > 0));

/** Returns what a run wrote, a text for each side: `Google: 2 created, 1 deleted`. Omits a side without writes. */
export const wroteWords = ({ wrote }: Pick<Run, 'wrote'>, sides: Sides<SideWords>): readonly string[] =>
  SIDES.flatMap((side) => {
    const { created = 0, updated = 0, deleted = 0, groupsChanged = 0, groupsDeleted = 0 } = wrote?.[side] ?? {};
    const counts = Object.entries({ created, updated, deleted }).filter(([, number]) => number > 0);
    const parts = counts.map(([word, number]) => `${grouped(number)} ${word}`);
    const groupsWords = (number: number): string => count(number, 'label or bucket', 'labels or buckets');
    if (groupsChanged > 0) parts.push(`${groupsWords(groupsChanged)} created or renamed`);
    if (groupsDeleted > 0) parts.push(`${groupsWords(groupsDeleted)} deleted`);
    return parts.length === 0 ? [] : [`${sides[side].title}: ${parts.join(', ')}`];
  });

/** The duration of a run. Null while it runs, and if its end and what it wrote were not stored: the next run closed it. */
export const durationOf = ({ startedAtMs, endedAtMs, wrote }: Pick<Run, 'startedAtMs' | 'endedAtMs' | 'wrote'>) =>
  endedAtMs === null || wrote === null ? null : endedAtMs - startedAtMs;

/** Actions that affect both contacts of a pair. */
export const IS_OF_BOTH: ReadonlySet<WriteView['action']> = new Set(['pair', 'ask']);

/** The reason why the times of two edits do not show which one is newer. */
const UNORDERED = { 'same second': 'edited in the same second', 'time missing': 'one side reports no time' } as const;

const DECIDED_BY: Readonly<Record<Exclude<ConflictView['by'], keyof typeof UNORDERED>, string>> = {
  user: 'chosen by hand',
  'one-way': 'the source side of the link wins',
  'preferred side': 'the policy prefers it',
  'newer edit': 'the newer edit wins',
  'times unknown': 'the times of the edits are unknown',
  'earlier policy': 'an earlier policy decided',
  'later change': 'a later change ended it',
  undecided: 'needs a decision',
};

/** Returns the reason why a value of a conflict won; part of text and JSON. */
export const decidedWords = ({ by, winner }: Pick<ConflictView, 'by' | 'winner'>, sides: Sides<SideWords>): string => {
  if (by !== 'same second' && by !== 'time missing') return DECIDED_BY[by];
  return `${UNORDERED[by]}${winner === null ? '' : `; ${sides[winner].place} won by default`}`;
};

const CHANGED = 'changed on both sides';
const DIFFERENT_AT_FIRST = 'different at the first match';

/** Returns which side of a conflict won, and whether it won by default. */
const conflictWords = (
  { winner, changedAtMs }: Extract<Why, { kind: 'conflict' }>,
  sides: Sides<SideWords>,
): string => {
  const order = changedAtMs === undefined ? 'newer edit' : timeOrder(changedAtMs);
  const isDefault = order === 'same second' || order === 'time missing';
  return isDefault ? `, ${decidedWords({ by: order, winner }, sides)}` : `; ${sides[winner].place} won`;
};

/** Returns the text of a reason, for the terminal, the page and JSON. */
export const whyWords = (why: Why, sides: Sides<SideWords>): string => {
  switch (why.kind) {
    case 'undo':
      return why.of === null ? 'undo of an earlier run' : `undo of run ${why.of}`;
    case 'conflict':
      return `${why.isFirst ? DIFFERENT_AT_FIRST : CHANGED}${conflictWords(why, sides)}`;
    case 'asked':
      return `${why.isFirst ? DIFFERENT_AT_FIRST : CHANGED}; needs a decision`;
    case 'taken':
      return `the value of ${sides[why.at].place} was chosen by hand`;
    case 'first-meeting':
      return `first match with ${sides[why.at].place}`;
    case 'edit-beats-delete':
      return `deleted here, but edited or kept at ${sides[why.at].place}`;
    case 'merged':
      return `merged into another contact at ${sides[why.at].place}`;
    case 'alike':
      return why.in === 'name' ? `same name: ${why.value}` : `both have ${why.value}`;
    case 'by-hand':
      return 'paired by hand';
    case 'kept':
      return `deleted at ${sides[why.at].place}; deletions are not propagated`;
    case 'dormant':
      return `deleted at ${sides[why.at].place}; created there again when it changes here`;
    case 'gone':
      return 'deleted on both sides';
    case 'paired-again':
      return 'the remaining contact is paired with another one';
    case 'unselected':
      return 'no longer selected by any side';
    case 'selected':
      return 'linked before, and selected again';
    case 'new':
    case 'changed':
    case 'deleted':
      return `${why.kind} at ${sides[why.at].place}`;
  }
};

const COMMANDS = / Review: `contact-sync [^`]+`\.(?: To [^`]+, run `contact-sync [^`]+`\.)+$/u;

/** Returns the message of a halt (R8) without its commands; the page has buttons instead. */
export const haltWords = (message: string): string => message.replace(COMMANDS, '');

/** Returns the outcome of a write as a suffix; empty for a completed write. */
export const writeNote = ({ state, error }: Pick<WriteView, 'state' | 'error'>): string => {
  switch (state) {
    case 'done':
      return '';
    case 'failed':
      return ` - refused: ${error ?? 'no reason given'}`;
    case 'abandoned':
      return ' - not received; the next run plans it again';
    case 'intended':
      return ' - no answer yet';
  }
};

/** The reason why contacts that may be one person are left unpaired. */
export const AMBIGUITIES: Readonly<Record<Unpaired['why'], string>> = {
  'names differ': 'They have one email address, but not the name of one person.',
  'several candidates': 'Several contacts fit equally well.',
  'same phone number': 'They have one phone number and similar names.',
  'same name': 'They have one name or forms of one name, and nothing else in common.',
};

const REMEDIES_BEFORE: Readonly<Record<Unpaired['why'], string>> = {
  'names differ': 'give both the same name',
  'several candidates': 'give both the same name and email address',
  'same phone number': 'give both the same name',
  'same name': 'give both the same email address',
};

const mergeRemedy = ({ left, right }: Sides<SideWords>): string =>
  `merge them at ${left.place} or at ${right.place}; the other side follows.`;

/** Explains how to join contacts that a run left unpaired (R13). Each exists on both sides after the run. */
export const completedRemedy = (why: Unpaired['why'], sides: Sides<SideWords>): string =>
  `${AMBIGUITIES[why]} Each stays a separate contact. If two of them are one person, ${mergeRemedy(sides)}`;

/** Explains how to join contacts that a plan leaves unpaired, or how to keep them apart (R13). */
export const plannedRemedy = (why: Unpaired['why'], sides: Sides<SideWords>): string =>
  `${AMBIGUITIES[why]} If two of them are one person, run their command above before the sync, or ${REMEDIES_BEFORE[why]}. ` +
  `After the sync, ${mergeRemedy(sides)} If they are different people, add --apart to the command.`;
