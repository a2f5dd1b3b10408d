import type { Write } from './views.ts';

/** The outcome of a write, as a suffix; empty for a completed write. */
export const writeNote = ({ state, error }: Pick<Write, 'state' | 'error'>): string => {
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
