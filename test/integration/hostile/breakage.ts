import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { passOn, startProxy } from '../../support/network.ts';

/** One way to spoil an answer; `at` chooses a place in it, from 0 up to 1. */
export type Breakage =
  | { readonly kind: 'swap'; readonly at: number; readonly aimed: boolean; readonly to: keyof typeof REPLACEMENTS }
  | { readonly kind: 'drop'; readonly at: number; readonly aimed: boolean }
  | { readonly kind: 'double' | 'rename-id' | 'cut'; readonly at: number }
  | { readonly kind: 'replace'; readonly body: string };

/** JSON has no such number: written into the text as it is. */
const NOT_A_NUMBER = '%%NaN%%';
const NEST = '%%nest%%';
const DEPTH = 50_000;

/** Values of a wrong type; each place takes one whose type differs from what stood there. */
const REPLACEMENTS = {
  number: 12_345,
  negative: -1e308,
  text: 'nonsense',
  nan: NOT_A_NUMBER,
  huge: 'x'.repeat(200_000),
  list: [{}, null, 7],
  object: { value: [1] },
  boolean: true,
  deep: NEST,
} as const;

type Container = unknown[] | Record<string, unknown>;
type Place = { readonly container: Container; readonly key: string | number };

const placesIn = (value: unknown): readonly Place[] => {
  if (typeof value !== 'object' || value === null) return [];
  const container = value as Container;
  const keys = Array.isArray(container) ? [...container.keys()] : Object.keys(container);
  return keys.flatMap((key) => [{ container, key }, ...placesIn(valueAt({ container, key }))]);
};

const valueAt = ({ container, key }: Place): unknown => (container as Record<string | number, unknown>)[key];

const put = ({ container, key }: Place, value: unknown): void => {
  (container as Record<string | number, unknown>)[key] = value;
};

const typeOf = (value: unknown): string => (Array.isArray(value) ? 'list' : value === null ? 'null' : typeof value);

const remove = ({ container, key }: Place): void => {
  if (Array.isArray(container)) container.splice(Number(key), 1);
  else delete container[key];
};

/** The parts of answers that the program reads. Most breakages are here, because other parts are ignored. */
const READ = new Set(
  [
    'resourceName etag metadata sources type updateTime deleted names givenName familyName organizations title',
    'emailAddresses phoneNumbers urls addresses value streetAddress city memberships contactGroupMembership',
    'contactGroupResourceName connections nextPageToken nextSyncToken responses person requestedResourceName status',
    'contactGroups groupType createdPeople updateResult id first_name last_name company email_addresses phone_numbers',
    'websites address number updated_at extra_data buckets name contacts data meta next errors',
  ].flatMap((line) => line.split(' ')),
);

const aimed = (places: readonly Place[], isAimed: boolean): readonly Place[] => {
  const read = places.filter(({ key }) => READ.has(String(key)));
  return isAimed && read.length > 0 ? read : places;
};

const pick = <T>(items: readonly T[], at: number): T | undefined => items[Math.floor(at * items.length)];

const spoil = (answer: unknown, breakage: Breakage): void => {
  const places = placesIn(answer);
  switch (breakage.kind) {
    case 'swap': {
      const wrong: unknown = REPLACEMENTS[breakage.to];
      const type = breakage.to === 'nan' || breakage.to === 'deep' ? breakage.to : typeOf(wrong);
      // Null may replace any missing value, so any value may replace null.
      const fitting = aimed(places, breakage.aimed).filter((place) => ![type, 'null'].includes(typeOf(valueAt(place))));
      const place = pick(fitting, breakage.at);
      if (place !== undefined) put(place, wrong);
      return;
    }
    case 'drop': {
      const place = pick(aimed(places, breakage.aimed), breakage.at);
      if (place !== undefined) remove(place);
      return;
    }
    case 'double': {
      const lists = places.map(valueAt).filter((value) => Array.isArray(value));
      const list = pick(lists, breakage.at);
      if (list !== undefined) list.push(...structuredClone(list));
      return;
    }
    case 'rename-id': {
      const isId = ({ key }: Place) => key === 'id' || key === 'resourceName';
      const place = pick(places.filter(isId), breakage.at);
      if (place !== undefined) put(place, '../../etc/passwd?x=1#');
      return;
    }
    case 'cut':
    case 'replace':
      throw new Error(`${breakage.kind} spoils the text, not a place in it.`);
  }
};

/** The answer's text, spoilt. */
const breakAnswer = (text: string, breakage: Breakage): string => {
  if (breakage.kind === 'replace') return breakage.body;
  if (breakage.kind === 'cut') return text.slice(0, Math.floor(text.length * breakage.at));
  const answer: unknown = text === '' ? {} : JSON.parse(text);
  spoil(answer, breakage);
  return JSON.stringify(answer)
    .replaceAll(`"${NOT_A_NUMBER}"`, 'NaN')
    .replaceAll(`"${NEST}"`, () => `${'[{"value":'.repeat(DEPTH)}"deep"${'}]'.repeat(DEPTH)}`);
};

// Without bias: fast-check prefers the ends, and would break the first value of every answer.
const at = fc.noBias(fc.nat({ max: 9_999 })).map((number) => number / 10_000);

const isAimed = fc.integer({ min: 0, max: 3 }).map((roll) => roll > 0);

const swap = fc.record({
  kind: fc.constant('swap' as const),
  at,
  aimed: isAimed,
  to: fc.constantFrom(...(Object.keys(REPLACEMENTS) as (keyof typeof REPLACEMENTS)[])),
});

const dropped = fc.record({ kind: fc.constant('drop' as const), at, aimed: isAimed });

const other = fc.record({ kind: fc.constantFrom('double' as const, 'rename-id' as const), at });

const cut = fc.record({ kind: fc.constant('cut' as const), at });

const replaced = fc.record({
  kind: fc.constant('replace' as const),
  body: fc.oneof(
    fc.json(),
    fc.string(),
    fc.constantFrom('', 'null', '[]', '{}', '"x"', 'NaN', '<html><body>502</body></html>', '{"data":', '\u0000'),
  ),
});

/** Anything that may befall an answer. */
export const anyBreakage: fc.Arbitrary<Breakage> = fc.oneof(
  { weight: 4, arbitrary: swap },
  { weight: 2, arbitrary: fc.oneof(dropped, other) },
  { weight: 1, arbitrary: cut },
  { weight: 1, arbitrary: replaced },
);

/** Answers that contradict the documents: a wrong type, or no JSON. A number in place of a text is allowed. */
export const nonsense: fc.Arbitrary<Breakage> = fc.oneof(
  { weight: 4, arbitrary: swap.filter(({ to }) => to !== 'number' && to !== 'negative') },
  { weight: 1, arbitrary: cut },
);

/** A server that passes requests on to an emulator and spoils its answers on the way back. */
export type SpoilingProxy = {
  readonly url: string;
  /** The URL that requests are sent to. */
  target: string;
  /** Spoils the `nth` answer from now on (0 is the next), and with `all` every later one. */
  spoil(plan: { readonly nth: number; readonly all: boolean; readonly breakage: Breakage } | null): void;
  /** Changes the text of every answer; null for no change. */
  rewrite: ((text: string) => string) | null;
  /** `METHOD path` of every request that would change something, since the start. */
  readonly writes: string[];
  [Symbol.asyncDispose](): Promise<void>;
};

export const startSpoilingProxy = async (): Promise<SpoilingProxy> => {
  let left = Number.POSITIVE_INFINITY;
  let plan: Parameters<SpoilingProxy['spoil']>[0] = null;
  const writes: string[] = [];
  const proxy: Pick<SpoilingProxy, 'target' | 'rewrite'> = { target: 'http://127.0.0.1:1', rewrite: null };

  const server = await startProxy(async (request, response) => {
    const method = request.method ?? 'GET';
    if (method !== 'GET') writes.push(`${method} ${request.url ?? ''}`);
    const answered = await passOn(proxy.target, request, await buffer(request));
    const text = proxy.rewrite === null ? answered.body : proxy.rewrite(answered.body);
    const isDue = plan !== null && (left === 0 || (plan.all && left < 0));
    left -= 1;
    const body = plan !== null && isDue ? breakAnswer(text, plan.breakage) : text;
    response.writeHead(answered.status, answered.headers).end(body);
  });
  return Object.assign(proxy, server, {
    writes,
    spoil: (next: typeof plan) => {
      plan = next;
      left = next?.nth ?? Number.POSITIVE_INFINITY;
    },
  });
};
