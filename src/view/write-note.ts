import type { Write } from './views.ts';

/** What came of a write, behind it; nothing where it was done. */
export const writeNote = ({ state, error }: Pick<Write, 'state' | 'error'>): string => {
  switch (state) {
    case 'done':
      return '';
    case 'failed':
      return ` - refused: ${error ?? 'no reason given'}`;
    case 'abandoned':
      return ' - did not arrive; the next run decides again';
    case 'intended':
      return ' - no answer yet';
  }
};
