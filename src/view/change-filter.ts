import { foldText } from '../contact/names.ts';
import { happeningOf, type Change, type Happening } from './views.ts';

/** What a person asked to see of a plan, an undo or a run. */
export type Shown = {
  /** Everything, however much it is. */
  readonly all?: boolean;
  readonly only?: Happening;
  /** Only what holds this text in a name, an id or a value; spelling as in names. */
  readonly grep?: string;
};

const textsOf = (change: Change): readonly (string | null)[] => [
  change.name,
  ...('leftId' in change ? [change.leftId, change.rightId] : []),
  ...change.changes.flatMap(({ from, to }) => [...from, ...to]),
];

/** Whether a text has the one that was asked for in it; spelling as in names. */
export const holds = (text: string | null, asked: string): boolean => {
  if (text === null) return false;
  return (
    text.toLowerCase().includes(asked.toLowerCase()) ||
    (foldText(asked) !== '' && foldText(text).includes(foldText(asked)))
  );
};

/** The changes that were asked for, in their order. */
export const selectChanges = <Each extends Change>(changes: readonly Each[], { only, grep }: Shown): readonly Each[] =>
  changes.filter((change) => {
    if (only !== undefined && happeningOf(change) !== only) return false;
    return grep === undefined || textsOf(change).some((text) => holds(text, grep));
  });
