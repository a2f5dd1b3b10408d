import type { Sides, SideWords } from '../contact/side.ts';
import type { Why } from './views.ts';

const CHANGED = 'changed on both sides';
const DIFFERENT_AT_FIRST = 'different at the first match';

/** The text of a reason, for the terminal, the page and JSON. */
export const whyWords = (why: Why, sides: Sides<SideWords>): string => {
  switch (why.kind) {
    case 'undo':
      return why.of === null ? 'undo of an earlier run' : `undo of run ${why.of}`;
    case 'conflict':
      return `${why.isFirst ? DIFFERENT_AT_FIRST : CHANGED}; ${sides[why.winner].place} won`;
    case 'asked':
      return `${why.isFirst ? DIFFERENT_AT_FIRST : CHANGED}; needs a decision`;
    case 'taken':
      return `the value of ${sides[why.at].place} was chosen by hand`;
    case 'first-meeting':
      return `first match with ${sides[why.at].place}`;
    case 'edit-beats-delete':
      return `deleted here, edited at ${sides[why.at].place}: the edit wins`;
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
      return 'selected again by a side';
    case 'new':
    case 'changed':
    case 'deleted':
      return `${why.kind} at ${sides[why.at].place}`;
  }
};
