import { foldText } from '../contact/names.ts';
import { idAt } from '../contact/pair.ts';
import { bySide, type Sides } from '../contact/side.ts';
import { type Change, CHANGE_KINDS, type ChangeKind, changeKindOf, type WriteView } from './views.ts';

/** The filter of a plan, an undo or a run. */
export type ChangeFilter = {
  readonly only?: ChangeKind;
  /** Only changes with this text in a name, an id or a value; compared like names. */
  readonly grep?: string;
};

const textsOf = (change: Change): readonly (string | null)[] => [
  change.name,
  ...('leftId' in change ? [change.leftId, change.rightId] : []),
  ...change.changes.flatMap(({ from, to }) => [...from, ...to]),
];

/** Returns whether a text contains the search text; compared like names. */
export const containsText = (text: string | null, asked: string): boolean => {
  if (text === null) return false;
  return (
    text.toLowerCase().includes(asked.toLowerCase()) ||
    (foldText(asked) !== '' && foldText(text).includes(foldText(asked)))
  );
};

/** Returns the changes that match the filter, in their order. */
export const selectChanges = <Each extends Change>(
  changes: readonly Each[],
  { only, grep }: ChangeFilter,
): readonly Each[] =>
  changes.filter((change) => {
    if (only !== undefined && changeKindOf(change) !== only) return false;
    return grep === undefined || textsOf(change).some((text) => containsText(text, grep));
  });

const subjectKey = (change: Change): string => (change.name === null ? '' : foldText(change.name));

/** Returns the changes sorted by kind, groups first, then by name; contacts without a name follow. */
export const sortChanges = (changes: readonly Change[]): readonly Change[] =>
  changes
    .map((change) => ({
      change,
      kind: CHANGE_KINDS.indexOf(changeKindOf(change)),
      rank: 'leftId' in change ? (change.name === null ? 2 : 1) : 0,
      key: subjectKey(change),
    }))
    .toSorted((a, b) => a.kind - b.kind || a.rank - b.rank || (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ change }) => change);

const isWrite = (change: Change | WriteView): change is WriteView => 'write' in change;

/** Returns the contact of a change, on the side that is written; null if its id is not known yet. */
const contactOf = (change: Change | WriteView): string | null => {
  if (!('leftId' in change)) return null;
  const id = isWrite(change) ? change.id : idAt(change, change.side);
  return id === null || id === '' ? null : `${change.side} ${id}`;
};

/** Returns whether a change was applied by a side or is still planned. */
const counts = (change: Change | WriteView): boolean => !isWrite(change) || change.state === 'done';

/**
 * Returns the number of contacts and groups in changes of one kind, by side, counted like the summary of a run. Each contact
 * counts once. A contact that was created in the run counts only as created. Refused writes do not count. `all` are the
 * changes of all kinds. Pure.
 */
export const countBySide = (changes: readonly Change[], all: readonly Change[] = changes): Sides<number> => {
  const created = new Set(
    all.flatMap((change) => (change.action === 'create' && counts(change) ? (contactOf(change) ?? []) : [])),
  );
  const seen = new Set<string>();
  const counted = changes.filter((change) => {
    if (!counts(change)) return false;
    const contact = contactOf(change);
    if (contact === null) return true;
    if (seen.has(contact) || (change.action !== 'create' && change.action !== 'delete' && created.has(contact)))
      return false;
    seen.add(contact);
    return true;
  });
  return bySide((side) => counted.filter((change) => change.side === side).length);
};

/** Returns the sum of {@link countBySide} of both sides. Pure. */
const countChanges = (changes: readonly Change[], all: readonly Change[] = changes): number => {
  const { left, right } = countBySide(changes, all);
  return left + right;
};

/**
 * Returns the count of the changes of one kind. A contact that was created in the run counts only as created, unless `own` has no
 * other contacts. `all` are the changes of all kinds. Pure.
 */
export const countOfKind = (own: readonly Change[], all: readonly Change[]) => {
  const isOfCreated = countChanges(own, all) === 0 && countChanges(own) > 0;
  return { isOfCreated, countOf: (rows: readonly Change[]) => countChanges(rows, isOfCreated ? rows : all) };
};

/** Returns the number of contacts that a plan writes on both sides: each counts once a side, as in the summary of the run. Pure. */
export const contactsToWrite = (changes: readonly Change[]): number =>
  countChanges(
    changes.filter((change) => 'leftId' in change && ['create', 'update', 'delete'].includes(change.action)),
  );
