import { z } from 'zod';
import { invalid, notFound, ServiceError } from './errors.ts';
import { parseData, type RouteAnswer, type RouteRequest } from './route.ts';

const idList = z.array(z.object({ id: z.string() }));

/** The ids of a bulk call: those that exist, and those that do not. */
export type BulkIds = { readonly known: readonly string[]; readonly unknown: readonly string[] };

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

/** The answer of a bulk call, with the ids that were not applied beside it where the variants say so. */
export const withBulkErrors = (answer: RouteAnswer, { unknown }: BulkIds, { variants }: RouteRequest): RouteAnswer => {
  if (variants.bulkBadIds !== 'partial-with-errors' || unknown.length === 0) return answer;
  return { ...answer, body: { ...answer.body, errors: unknown.map((id) => `Unknown id ${id}`) } };
};
