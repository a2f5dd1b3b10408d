import stringWidth from 'string-width';
import { inLine } from './wrap.ts';

/** The longest name of a contact or group that is printed, in columns. */
export const NAME_COLUMNS = 40;
/** The longest value of a field that is printed, in columns. */
export const VALUE_COLUMNS = 200;

/** The text in one line, cut to so many columns; an ellipsis marks the cut. */
export const shorten = (text: string, columns: number): string => {
  const line = inLine(text);
  if (stringWidth(line) <= columns) return line;
  let cut = '';
  let width = 0;
  for (const { segment } of new Intl.Segmenter().segment(line)) {
    width += stringWidth(segment);
    if (width >= columns) break;
    cut += segment;
  }
  return `${cut}…`;
};

const SHORT_ID = 8;

/** The first characters of a run's id, which commands accept as the id. */
export const shortRun = (id: string): string => id.slice(0, SHORT_ID);
