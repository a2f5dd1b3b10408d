import { scalarsOf } from '../../core/contact/contact.ts';
import { SIDES, type Side, type Sides, type SideWords } from '../../core/contact/side.ts';
import { idsText } from '../../core/view/values.ts';
import { countBySide, countOfKind } from '../../core/view/changes.ts';
import { fieldWords, grouped, CHANGE_KIND_TITLES, IS_OF_BOTH, whyWords } from '../../core/view/words.ts';
import { CHANGE_KINDS, changeKindOf, type Change, type FieldChange, type WriteView } from '../../core/view/views.ts';
import { isoOf } from '../../util/clock.ts';
import type { ListOptions } from '../command/options.ts';
import { formatExactTime, NAME_COLUMNS, shorten, VALUE_COLUMNS, inLine, wrap, type Layout } from './layout.ts';

/** Rows of a list that are shown without `--all`. */
export const ROWS_SHOWN = 20;

const wordsOfField = (field: FieldChange['field']): string => (field === 'name' ? 'name' : fieldWords(field));

const quote = (values: readonly string[]): string =>
  values.length === 0 ? '(empty)' : values.map((value) => `"${shorten(value, VALUE_COLUMNS)}"`).join(', ');

/** The elements of a list, each behind a mark. */
const marked = (mark: '-' | '+', values: readonly string[]): readonly string[] =>
  values.map((value) => `${mark} ${shorten(value, VALUE_COLUMNS)}`);

/** The values of a field before and after; for a list only the removed and the added ones. */
const formatValues = ({ field, from, to }: FieldChange): string => {
  const isList = field !== 'name' && scalarsOf([field]).length === 0;
  if (!isList) return `${quote(from)} -> ${quote(to)}`;
  const gone = from.filter((value) => !to.includes(value));
  const come = to.filter((value) => !from.includes(value));
  if (gone.length + come.length > 0) return [...marked('-', gone), ...marked('+', come)].join('  ');
  return from.length === to.length ? 'only the order differs' : 'only repeated values differ';
};

/** The times of both edits, if they decided a conflict. */
const formatTimes = (why: FieldChange['why'], sides: Sides<SideWords>): string => {
  if (why.kind !== 'conflict' || why.changedAtMs === undefined) return '';
  const { changedAtMs } = why;
  const times = SIDES.map((side) => `${sides[side].title} ${formatExactTime(changedAtMs[side]) || 'unknown'}`);
  return `; contact changed: ${times.join(', ')}`;
};

/** The reason for a field, with the times that decided it. */
const fieldReason = (why: FieldChange['why'], whole: Change['why'], sides: Sides<SideWords>): string =>
  why.kind === whole.kind ? '' : ` (${inLine(whyWords(why, sides))}${formatTimes(why, sides)})`;

/** The change of a field, with its reason if that differs from the reason of the whole change. */
export const formatFieldChange = (change: FieldChange, whole: Change['why'], sides: Sides<SideWords>): string => {
  const reason = fieldReason(change.why, whole, sides);
  if (change.why.kind === 'asked') {
    const values = `${sides.left.place} ${quote(change.from)}, ${sides.right.place} ${quote(change.to)}`;
    return `${wordsOfField(change.field)}: ${values}${reason}`;
  }
  return `${wordsOfField(change.field)}: ${formatValues(change)}${reason}`;
};

/** The contact or group of a change. */
export const formatSubject = (change: Change): string => {
  if (!('leftId' in change)) return `label or bucket ${shorten(change.name, NAME_COLUMNS)}`;
  return change.name === null ? idsText(change) : shorten(change.name, NAME_COLUMNS);
};

const NAMES: readonly FieldChange['field'][] = ['firstName', 'lastName', 'name'];

/** The fields of a contact that is created or deleted, except its name. */
const formatContent = ({ changes }: Change): readonly string[] =>
  changes
    .filter(({ field }) => !NAMES.includes(field))
    .map(({ field, from, to }) => {
      const values = [...from, ...to].map((value) => shorten(value, VALUE_COLUMNS));
      const [only, ...others] = values;
      const text = others.length === 0 ? only : marked(to.length > 0 ? '+' : '-', values).join('  ');
      return `${wordsOfField(field)}: ${text}`;
    });

/** The side that caused a change; null for a change that no side caused, such as an undo. */
const sourceOf = ({ side, why }: Change): Side | null => {
  switch (why.kind) {
    case 'new':
    case 'changed':
    case 'deleted':
    case 'first-meeting':
    case 'taken':
      return why.at === side ? null : why.at;
    case 'conflict':
      return why.winner === side ? null : why.winner;
    default:
      return null;
  }
};

/** The source and the target side, or only the written side; empty for an action on both. */
const directionOf = (change: Change, sides: Sides<SideWords>): string => {
  if (IS_OF_BOTH.has(change.action)) return '';
  const source = sourceOf(change);
  return source === null
    ? ` at ${sides[change.side].place}`
    : ` (${sides[source].title} -> ${sides[change.side].title})`;
};

/** The reason of a change. An undo names its run once, in the title above the changes. */
const reasonOf = ({ why }: Change, sides: Sides<SideWords>): string =>
  why.kind === 'undo' ? '' : `: ${inLine(whyWords(why, sides))}`;

/** The lines of a change. */
const formatChange = (change: Change, note: string, sides: Sides<SideWords>, { width, style }: Layout): string => {
  const { action, changes, why } = change;
  const title = `${style('bold', formatSubject(change))}${directionOf(change, sides)}${reasonOf(change, sides)}`;
  const isWhole = action === 'create' || action === 'delete';
  const shown = action === 'create-group' || action === 'delete-group' ? [] : changes;
  const lines = isWhole ? formatContent(change) : shown.map((each) => formatFieldChange(each, why, sides));
  return [wrap(title + note, '  ', width), ...lines.map((line) => wrap(line, '    ', width))].join('\n');
};

const countsOf = (changes: readonly Change[], all: readonly Change[], sides: Sides<SideWords>): string => {
  const { isOfCreated, countOf } = countOfKind(changes, all);
  const total = grouped(countOf(changes));
  if (isOfCreated) return `${total} to contacts that the run created`;
  const bySides = countBySide(changes, all);
  const counts = SIDES.flatMap((side) =>
    bySides[side] === 0 ? [] : [`${grouped(bySides[side])} at ${sides[side].place}`],
  );
  const isOfBoth = changes.some(({ action }) => IS_OF_BOTH.has(action));
  return isOfBoth || counts.length === 0 ? total : `${total} (${counts.join(', ')})`;
};

/** The number of hidden entries, and the options that show them. */
export const formatHidden = (hidden: number, hint = ' (show them with --all)'): readonly string[] =>
  hidden > 0 ? [`  ... and ${grouped(hidden)} more${hint}`] : [];

type Shown = ListOptions & {
  /** The number of rows of each kind in a sample. A sample has no options that show the others. */
  readonly sample?: number;
};

/** Changes for people, grouped by action with deletions first. `noteOf` returns a suffix for each. */
export const formatChanges = <Each extends Change>(
  changes: readonly Each[],
  sides: Sides<SideWords>,
  { all = false, sample }: Shown,
  layout: Layout,
  noteOf: (change: Each) => string = () => '',
): readonly string[] => {
  const groups = Map.groupBy(changes, changeKindOf);
  return CHANGE_KINDS.flatMap((changeKind) => {
    const own = groups.get(changeKind) ?? [];
    if (own.length === 0) return [];
    const shown = all ? own : own.slice(0, sample ?? ROWS_SHOWN);
    const { countOf } = countOfKind(own, changes);
    // Refused writes have rows, and are not counted.
    const hidden = countOf(own) - countOf(shown) || own.length - shown.length;
    const hint = sample === undefined ? undefined : '';
    return [
      `${CHANGE_KIND_TITLES[changeKind]}: ${countsOf(own, changes, sides)}`,
      ...shown.map((change) => formatChange(change, inLine(noteOf(change)), sides, layout)),
      ...formatHidden(hidden, hint),
    ];
  });
};

/** The change of a field, for scripts: several values are one text, and the reason is in words. */
const fieldChangeToJson = ({ field, from, to, why }: FieldChange, sides: Sides<SideWords>) => ({
  field,
  from: from.join('; '),
  to: to.join('; '),
  why: whyWords(why, sides),
});

/** A change for scripts. The caller replaces `left` and `right` by the names of the sides (`inWordsOf`). */
export const changeToJson = (change: Change, sides: Sides<SideWords>) => {
  const { side, action, name } = change;
  const ids = 'leftId' in change ? { leftId: change.leftId, rightId: change.rightId, fields: change.fields } : {};
  const changes = change.changes.map((each) => fieldChangeToJson(each, sides));
  return { side, action, ...ids, name, changes, why: whyWords(change.why, sides) };
};

/** A write of the journal for scripts. The caller replaces `left` and `right` by the names of the sides (`inWordsOf`). */
export const writeToJson = (write: WriteView, sides: Sides<SideWords>) => {
  const { atMs, run, kind, id, state, error } = write;
  return { at: isoOf(atMs), run, write: write.write, kind, id, state, error, ...changeToJson(write, sides) };
};
