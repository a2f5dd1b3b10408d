import { foldText } from '../contact/names.ts';
import { happeningOf, type Change, type Happening } from './views.ts';

/** The filter of a plan, an undo or a run. */
export type Shown = {
  /** Without a limit on the number of changes. */
  readonly all?: boolean;
  readonly only?: Happening;
  /** Only changes with this text in a name, an id or a value; compared like names. */
  readonly grep?: string;
};

const textsOf = (change: Change): readonly (string | null)[] => [
  change.name,
  ...('leftId' in change ? [change.leftId, change.rightId] : []),
  ...change.changes.flatMap(({ from, to }) => [...from, ...to]),
];

/** Whether a text contains the search text; compared like names. */
export const holds = (text: string | null, asked: string): boolean => {
  if (text === null) return false;
  return (
    text.toLowerCase().includes(asked.toLowerCase()) ||
    (foldText(asked) !== '' && foldText(text).includes(foldText(asked)))
  );
};

/** The changes that match the filter, in their order. */
export const selectChanges = <Each extends Change>(changes: readonly Each[], { only, grep }: Shown): readonly Each[] =>
  changes.filter((change) => {
    if (only !== undefined && happeningOf(change) !== only) return false;
    return grep === undefined || textsOf(change).some((text) => holds(text, grep));
  });
