import { z } from 'zod';
import type { ServiceAccount } from './account.ts';
import { invalid, ServiceError } from './errors.ts';
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
