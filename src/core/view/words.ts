/** `2,345`, from a whole number; without `Intl`, whose data take a command tens of milliseconds to load. */
export const grouped = (number: number): string => String(number).replaceAll(/\B(?=(?:\d{3})+$)/gu, ',');

/** `1 contact`, `2,345 contacts`. */
export const count = (number: number, one: string, many = `${one}s`): string =>
  `${grouped(number)} ${number === 1 ? one : many}`;

const UNITS: readonly (readonly [name: string, lengthMs: number])[] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['min', 60_000],
];

/** The age of a time: `just now`, `3 min ago`, `2 hours ago`; `never` for null. */
export const formatAge = (atMs: number | null, nowMs: number): string => {
  if (atMs === null) return 'never';
  const ageMs = Math.max(0, nowMs - atMs);
  const unit = UNITS.find(([, lengthMs]) => ageMs >= lengthMs);
  if (unit === undefined) return 'just now';
  const [name, lengthMs] = unit;
  return `${count(Math.floor(ageMs / lengthMs), name, name === 'min' ? 'min' : `${name}s`)} ago`;
};

/** `340 ms`, `4.2 s`, `3 min 5 s`. */
export const formatDuration = (durationMs: number): string => {
  if (durationMs < 1000) return `${Math.round(durationMs)} ms`;
  if (durationMs < 60_000) return `${(durationMs / 1000).toFixed(1)} s`;
  const seconds = Math.round(durationMs / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
};

/** An estimated duration: `40 s`, `10 min`, `2 h 5 min`. */
export const formatEstimate = (durationMs: number): string => {
  const seconds = Math.ceil(durationMs / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
};
