import { scalarsOf } from '../contact/contact.ts';
import { SIDES, type Sides, type SideWords } from '../contact/side.ts';
import { HAPPENINGS, happeningOf, type Change, type FieldChange } from '../view/views.ts';
import type { Shown } from '../view/change-filter.ts';
import { describeIds } from './command-events.ts';
import { HAPPENING_TITLES, IS_OF_BOTH } from '../view/change-words.ts';
import { fieldWords } from '../view/field-words.ts';
import { whyWords } from '../view/why-words.ts';
import { grouped } from '../view/words.ts';
import { inLine, wrap, type Layout } from './wrap.ts';

/** Longer sections are cut in the text, unless `--all` asks for them. */
const ROWS_SHOWN = 20;

const wordsOfField = (field: FieldChange['field']): string => (field === 'name' ? 'name' : fieldWords(field));

const quote = (values: readonly string[]): string =>
  values.length === 0 ? 'nothing' : values.map((value) => `"${inLine(value)}"`).join(', ');

/** The values of a field before and after; of a list only what goes and what comes. */
export const formatValues = ({ field, from, to }: FieldChange): string => {
  const gone = from.filter((value) => !to.includes(value));
  const come = to.filter((value) => !from.includes(value));
  const isList = field !== 'name' && scalarsOf([field]).length === 0;
  if (!isList || gone.length + come.length === 0) return `${quote(from)} -> ${quote(to)}`;
  return [...gone.map((value) => `- ${inLine(value)}`), ...come.map((value) => `+ ${inLine(value)}`)].join('  ');
};

/** A field with what becomes of it, and why where that is not the reason of the whole change. */
export const formatFieldChange = (change: FieldChange, whole: Change['why'], sides: Sides<SideWords>): string => {
  const reason = change.why.kind === whole.kind ? '' : ` (${inLine(whyWords(change.why, sides))})`;
  if (change.why.kind === 'asked') {
    const values = `${sides.left.place} ${quote(change.from)}, ${sides.right.place} ${quote(change.to)}`;
    return `${wordsOfField(change.field)}: ${values}${reason}`;
  }
  return `${wordsOfField(change.field)}: ${formatValues(change)}${reason}`;
};

/** The contact or group that a change is about. */
export const subjectOf = (change: Change): string => {
  if (!('leftId' in change)) return `group ${inLine(change.name)}`;
  return inLine(change.name ?? describeIds(change));
};

const NAMES: readonly FieldChange['field'][] = ['firstName', 'lastName', 'name'];

/** All that comes or goes with a contact, but for its name. */
const contentOf = ({ changes }: Change): string => {
  const parts = changes
    .filter(({ field }) => !NAMES.includes(field))
    .map(({ field, from, to }) => `${wordsOfField(field)} ${[...from, ...to].map(inLine).join(', ')}`);
  return parts.length === 0 ? '' : `: ${parts.join('; ')}`;
};

/** A change in its lines. */
const formatChange = (change: Change, note: string, sides: Sides<SideWords>, { width, style }: Layout): string => {
  const { action, side, changes, why } = change;
  const place = IS_OF_BOTH.has(action) ? '' : ` at ${sides[side].place}`;
  const title = `${style('bold', subjectOf(change))}${place}, ${inLine(whyWords(why, sides))}`;
  const isWhole = action === 'create' || action === 'delete';
  if (isWhole) return wrap(title + contentOf(change) + note, '  ', width);
  const shown = action === 'create-group' || action === 'delete-group' ? [] : changes;
  const lines = shown.map((each) => wrap(formatFieldChange(each, why, sides), '    ', width));
  return [wrap(title + note, '  ', width), ...lines].join('\n');
};

const countsOf = (changes: readonly Change[], sides: Sides<SideWords>): string => {
  const counts = SIDES.flatMap((side) => {
    const own = changes.filter((change) => change.side === side).length;
    return own === 0 ? [] : [`${grouped(own)} at ${sides[side].place}`];
  });
  const total = grouped(changes.length);
  return changes.some(({ action }) => IS_OF_BOTH.has(action)) ? total : `${total} (${counts.join(', ')})`;
};

/** The line for a filter (`--only`, `--grep`) without a match. */
export const NO_MATCH = '  No matching changes.';

/** Lines that were left out, and how to see them. */
export const formatHidden = (hidden: number): readonly string[] =>
  hidden > 0 ? [`  ... and ${grouped(hidden)} more (--all shows them, --grep and --only narrow them down)`] : [];

/** Changes for people, by what happens: what destroys comes first. `noteOf` may say more of each. */
export const formatChanges = <Each extends Change>(
  changes: readonly Each[],
  sides: Sides<SideWords>,
  { all = false }: Pick<Shown, 'all'>,
  layout: Layout,
  noteOf: (change: Each) => string = () => '',
): readonly string[] => {
  const groups = Map.groupBy(changes, happeningOf);
  return HAPPENINGS.flatMap((happening) => {
    const own = groups.get(happening) ?? [];
    if (own.length === 0) return [];
    const shown = all ? own : own.slice(0, ROWS_SHOWN);
    const title = `${HAPPENING_TITLES[happening]}: ${countsOf(own, sides)}`;
    return [
      title,
      ...shown.map((change) => formatChange(change, inLine(noteOf(change)), sides, layout)),
      ...formatHidden(own.length - shown.length),
    ];
  });
};
