/** How a moment is written in an answer. */
export type TimestampFormat = 'utc-text' | 'iso' | 'iso-ms';

/** Writes epoch milliseconds; the document's own form is `YYYY-MM-DD HH:MM:SS UTC`, at one second. */
export const formatTimestamp = (epochMs: number, format: TimestampFormat): string => {
  const iso = new Date(epochMs).toISOString();
  switch (format) {
    case 'utc-text':
      return `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`;
    case 'iso':
      return `${iso.slice(0, 19)}Z`;
    case 'iso-ms':
      return iso;
  }
};

const ISO_WITH_OFFSET = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})$/;

/** Epoch milliseconds of an ISO 8601 text that carries an offset; null for anything else. */
export const parseTimestamp = (text: string): number | null => {
  if (!ISO_WITH_OFFSET.test(text)) return null;
  const epochMs = Date.parse(text);
  return Number.isNaN(epochMs) ? null : epochMs;
};
