import type { ListParameters } from './list-parameters.ts';
import { listPages, rowsOf, type ListRequest, type Page } from './paging.ts';
import { bucketSchema, type Bucket, type BucketWrite } from './schemas-buckets.ts';
import { call, callLeniently } from './resource.ts';
import type { Send } from './send.ts';

/** Parameters of GET /v2/buckets; without `order` the user's manual order. */
export type BucketListParameters = ListParameters<'id' | 'created_at' | 'updated_at' | 'sort_order'> & {
  /** A search term matched on the name. */
  readonly q?: string;
};

const BUCKETS = '/v2/buckets';
const BUCKET = '/v2/buckets/{id}';

const bucketList = (parameters: BucketListParameters): ListRequest<Bucket> => ({
  route: BUCKETS,
  parameters,
  parseRows: rowsOf(bucketSchema),
});

/** Bucket routes (API.md, Bucket routes). Every operation throws a RemoteError or the signal's reason. */
export const createBucketsApi = (send: Send) => ({
  /** GET /v2/buckets, page by page. Scopes: one of buckets:view, buckets:manage, all:view, all:manage. */
  list: (parameters: BucketListParameters, signal: AbortSignal): AsyncIterable<Page<Bucket>> =>
    listPages(send, bucketList(parameters), signal),

  /** POST /v2/buckets. Scopes: buckets:manage or all:manage. Throws NameTakenError where the name is refused as taken. */
  create: (bucket: BucketWrite & { readonly name: string }, signal: AbortSignal): Promise<Bucket> => {
    const body = { data: bucket };
    return call(send, bucketSchema, { method: 'POST', route: BUCKETS, body, uniqueName: true }, signal);
  },

  /** GET /v2/buckets/{id}. Scopes: one of buckets:view, buckets:manage, all:view, all:manage. */
  get: (id: string, signal: AbortSignal): Promise<Bucket> =>
    call(send, bucketSchema, { method: 'GET', route: BUCKET, id }, signal),

  /** PATCH /v2/buckets/{id}: only the fields sent are changed. Scopes and NameTakenError as for `create`. */
  update: (id: string, bucket: BucketWrite, signal: AbortSignal): Promise<Bucket> => {
    const body = { data: bucket };
    return call(send, bucketSchema, { method: 'PATCH', route: BUCKET, id, body, uniqueName: true }, signal);
  },

  /**
   * DELETE /v2/buckets/{id}: its contacts stay. The deleted bucket, null where the answer does not hold it.
   * Scopes: buckets:manage or all:manage.
   */
  delete: (id: string, signal: AbortSignal): Promise<Bucket | null> =>
    callLeniently(send, bucketSchema, { method: 'DELETE', route: BUCKET, id }, signal),
});
