import { z } from 'zod';
import type { ServiceAccount } from './account.ts';
import { invalid, notFound, ServiceError } from './errors.ts';
import type { ListQuery } from './listing.ts';
import type { ServiceVariants } from './variants.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** One parsed and authorized request to a route. */
export type RouteRequest = ListQuery & {
  readonly account: ServiceAccount;
  readonly variants: ServiceVariants;
  readonly scopes: ReadonlySet<string>;
  readonly url: URL;
  /** The `{id}` of the path; empty without one. */
  readonly id: string;
  /** The JSON body; undefined without one. */
  readonly body: unknown;
};

/** A whole response body, and whether a resource was created or deleted. */
export type RouteAnswer = { readonly body: object; readonly effect?: 'created' | 'deleted' };

/** A row of the document's endpoint tables. */
export type Route = {
  readonly method: Method;
  readonly path: string;
  /** Alternatives; scopes joined by `+` are required together. */
  readonly scopes: readonly string[];
  /** Applies the request synchronously, so that concurrent requests are never interleaved. */
  readonly answer: (request: RouteRequest) => RouteAnswer;
};

/** Returns the envelope of one resource. */
export const single = (data: unknown): RouteAnswer => ({ body: { data, meta: {} } });

/** Returns the JSON of a request; undefined without a body. Throws a ServiceError if it is not JSON. */
export const readJson = async (request: Request): Promise<unknown> => {
  const text = await request.text();
  if (text === '') return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new ServiceError(400, 'The body is not JSON');
  }
};

/** Returns the `data` of a request body. Throws a ServiceError if it has another shape. */
export const parseData = <Data>(schema: z.ZodType<Data>, { body, variants }: RouteRequest): Data => {
  const parsed = z.object({ data: schema }).safeParse(body);
  if (parsed.success) return parsed.data.data;
  const [issue] = parsed.error.issues;
  throw invalid(variants, issue?.message ?? 'Invalid', issue?.path.slice(1).join('.') || 'data');
};

const idList = z.array(z.object({ id: z.string() }));

/** The ids of a bulk call: existing ones, and unknown ones. */
type BulkIds = { readonly known: readonly string[]; readonly unknown: readonly string[] };

/** Returns the ids in the body of a bulk call. Throws a ServiceError if the service refuses the whole call. */
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

/** Returns the answer of a bulk call, with the unapplied ids if the variants require it. */
export const withBulkErrors = (answer: RouteAnswer, { unknown }: BulkIds, { variants }: RouteRequest): RouteAnswer => {
  if (variants.bulkBadIds !== 'partial-with-errors' || unknown.length === 0) return answer;
  return { ...answer, body: { ...answer.body, errors: unknown.map((id) => `Unknown id ${id}`) } };
};
