import { z } from 'zod';
import type { ServiceAccount } from './account.ts';
import { invalid, notFound, ServiceError } from './errors.ts';
import type { ListQuery } from './listing.ts';
import type { ServiceVariants } from './variants.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** PUT and PATCH are equivalent (providers/service/API.md, General conventions). */
export const UPDATE: readonly Method[] = ['PATCH', 'PUT'];

/** One request to a route, read and permitted. */
export type RouteRequest = ListQuery & {
  readonly account: ServiceAccount;
  readonly variants: ServiceVariants;
  readonly scopes: ReadonlySet<string>;
  readonly url: URL;
  /** The `{id}` of the path; empty where it has none. */
  readonly id: string;
  /** The JSON body; undefined where none was sent. */
  readonly body: unknown;
};

/** A whole response body, and whether something was created or deleted. */
export type RouteAnswer = { readonly body: object; readonly effect?: 'created' | 'deleted' };

/** A row of the document's endpoint tables. */
export type Route = {
  readonly methods: readonly Method[];
  readonly path: string;
  /** Alternatives; scopes joined by `+` are required together. */
  readonly scopes: (variants: ServiceVariants) => readonly string[];
  /** Applies the request at once, without waiting: what two requests do never mixes. */
  readonly answer: (request: RouteRequest) => RouteAnswer;
};

/** The scopes of a row that no variant changes. */
export const anyOf =
  (...scopes: readonly string[]) =>
  (): readonly string[] =>
    scopes;

/** The envelope of one resource. */
export const single = (data: unknown): RouteAnswer => ({ body: { data, meta: {} } });

/** The JSON of a request; undefined where it has no body. Throws a ServiceError where it is not JSON. */
export const readJson = async (request: Request, variants: ServiceVariants): Promise<unknown> => {
  const text = await request.text();
  if (text === '') return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new ServiceError(Number(variants.malformedStatus), 'The body is not JSON');
  }
};

/** The `data` of a request body. Throws a ServiceError where it is not of that shape. */
export const parseData = <Data>(schema: z.ZodType<Data>, { body, variants }: RouteRequest): Data => {
  const parsed = z.object({ data: schema }).safeParse(body);
  if (parsed.success) return parsed.data.data;
  const [issue] = parsed.error.issues;
  throw invalid(variants, issue?.message ?? 'Invalid', issue?.path.slice(1).join('.') || 'data');
};

const idList = z.array(z.object({ id: z.string() }));

/** The ids of a bulk call: those that exist, and those that do not. */
type BulkIds = { readonly known: readonly string[]; readonly unknown: readonly string[] };

/** The ids in the body of a bulk call. Throws a ServiceError where the service refuses the call as a whole. */
export const readBulkIds = (request: RouteRequest, isKnown: (id: string) => boolean): BulkIds => {
  const { variants } = request;
  const ids = [...new Set(parseData(idList, request).map(({ id }) => id))];
  if (variants.bulkLimit !== 'unlimited' && ids.length > Number(variants.bulkLimit)) {
    throw invalid(variants, `At most ${variants.bulkLimit} ids in one call`);
  }
  const unknown = ids.filter((id) => !isKnown(id));
  const [first] = unknown;
  if (first !== undefined && variants.bulkBadIds === '404') throw notFound(variants, first);
  if (first !== undefined && variants.bulkBadIds === '422') throw new ServiceError(422, `Unknown id ${first}`);
  return { known: ids.filter(isKnown), unknown };
};

/** The answer of a bulk call, with the ids that were not applied if the variants require it. */
export const withBulkErrors = (answer: RouteAnswer, { unknown }: BulkIds, { variants }: RouteRequest): RouteAnswer => {
  if (variants.bulkBadIds !== 'partial-with-errors' || unknown.length === 0) return answer;
  return { ...answer, body: { ...answer.body, errors: unknown.map((id) => `Unknown id ${id}`) } };
};
