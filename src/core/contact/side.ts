/** A role in a link; the configuration assigns a provider to it. */
export type Side = 'left' | 'right';

export const SIDES: readonly Side[] = ['left', 'right'];

/** One value for each side. */
export type Sides<T> = Readonly<Record<Side, T>>;

/** Returns the other side of the link. */
export const otherSide = (side: Side): Side => (side === 'left' ? 'right' : 'left');

/** Returns one value for each side, each made by `make`. */
export const bySide = <T>(make: (side: Side) => T): Sides<T> => ({ left: make('left'), right: make('right') });

/** The names of a side for people and scripts. */
export type SideWords = {
  /** The side's key in JSON, log fields and commands, such as `phone`. */
  readonly name: string;
  /** The name at the start of a line, such as `Phone`. */
  readonly title: string;
  /** The name within a sentence, such as `the phone`. */
  readonly place: string;
  /** The variable or key that contains the side's token; absent if `connect` stored the token. */
  readonly tokenKey?: string;
};

const SIDE_KEY = /^(?:left|right)(?=$|Ids?$)/u;
const SIDE_VALUES = new Set(['side', 'winner']);

export const isSide = (value: unknown): value is Side => value === 'left' || value === 'right';

/**
 * Replaces the side names in plain data by the names of the link, for JSON and logs. If the left side is named `phone`, the keys
 * `left`, `leftId` and `leftIds` become `phone`, `phoneId` and `phoneIds`, and `side: 'left'` becomes `side: 'phone'`.
 */
export const inWordsOf = (sides: Sides<SideWords>, value: unknown): unknown => {
  if (Array.isArray(value)) return value.map((element) => inWordsOf(sides, element));
  const isPlain = typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
  if (!isPlain) return value;
  const entries = Object.entries(value).map(([key, inner]: [string, unknown]) => {
    const word = key.replace(SIDE_KEY, (side) => (isSide(side) ? sides[side].name : side));
    return [word, SIDE_VALUES.has(key) && isSide(inner) ? sides[inner].name : inWordsOf(sides, inner)];
  });
  return Object.fromEntries(entries);
};
