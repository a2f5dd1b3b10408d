const two = (number: number): string => String(number).padStart(2, '0');

/** A time for people, in the local time zone: `2026-11-25 15:31`; an empty text for null. */
export const formatTime = (atMs: number | null): string => {
  if (atMs === null) return '';
  const at = new Date(atMs);
  const day = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join('-');
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}`;
};
