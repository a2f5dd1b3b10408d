import type { Sides, SideWords } from '../contact/side.ts';
import type { Why } from './views.ts';

/** A reason as people and scripts read it. */
export const whyWords = (why: Why, sides: Sides<SideWords>): string => {
  switch (why.kind) {
    case 'undo':
      return why.of === null ? 'undo of an earlier run' : `undo of run ${why.of}`;
    case 'conflict':
      return `both sides had changed it; ${sides[why.winner].place} won`;
    case 'asked':
      return 'both sides had changed it; it waits for a decision';
    case 'taken':
      return `the value of ${sides[why.at].place} was taken by hand`;
    case 'first-meeting':
      return `first meeting with ${sides[why.at].place}`;
    case 'edit-beats-delete':
      return `deleted here, edited at ${sides[why.at].place}: the edit wins`;
    case 'merged':
      return `merged into another contact at ${sides[why.at].place}`;
    case 'alike':
      return why.in === 'name' ? `both are called ${why.value}` : `both have ${why.value}`;
    case 'by-hand':
      return 'paired by hand';
    case 'kept':
      return `deleted at ${sides[why.at].place}; deletions are not propagated`;
    case 'dormant':
      return `deleted at ${sides[why.at].place}; it comes back there when it is changed here`;
    case 'gone':
      return 'deleted at both sides';
    case 'paired-again':
      return 'what remained of it is paired with another contact';
    case 'unselected':
      return 'no side selects it any longer';
    case 'selected':
      return 'a side selects it again';
    case 'new':
    case 'changed':
    case 'deleted':
      return `${why.kind} at ${sides[why.at].place}`;
  }
};
