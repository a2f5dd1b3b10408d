import { z } from 'zod';
import type { ListParameters } from './list-parameters.ts';
import { listPages, type Page, rowsOf } from './paging.ts';
import { call } from './resource.ts';
import { id as idSchema, optionalNumber, optionalText } from './schemas-common.ts';
import type { Send } from './send.ts';

/** Bucket (API.md, Resources and their fields). */
export const bucketSchema = z.object({
  id: idSchema,
  name: z.string(),
  goal: optionalText.catch(null),
  /** The unit is not documented. */
  reminder_interval: optionalNumber.catch(null),
});

export type Bucket = z.output<typeof bucketSchema>;

/** A bucket in a list. The documentation does not say that a name is required. */
const listedBucketSchema = bucketSchema.extend({ name: z.string().nullable() });

type ListedBucket = z.output<typeof listedBucketSchema>;

/** The writable fields of a bucket. An update sends only the changed ones. */
type BucketWrite = {
  readonly name?: string;
  readonly goal?: string;
  readonly reminder_interval?: number;
};

const BUCKETS = '/v2/buckets';
const BUCKET = '/v2/buckets/{id}';

/** Bucket routes (API.md, Bucket routes). Every operation throws a RemoteError or the signal's reason. */
export const createBucketsApi = (send: Send) => ({
  /** GET /v2/buckets, page by page, without `order` in the user's manual order. Scopes: one of buckets:view, buckets:manage, all:view, all:manage. */
  list: (parameters: ListParameters): AsyncIterable<Page<ListedBucket>> =>
    listPages(send, { route: BUCKETS, parameters, parseRows: rowsOf(listedBucketSchema) }),

  /** POST /v2/buckets. Scopes: buckets:manage or all:manage. Throws NameTakenError if the name is taken. */
  create: (bucket: BucketWrite & { readonly name: string }): Promise<Bucket> => {
    const body = { data: bucket };
    return call(send, bucketSchema, { method: 'POST', route: BUCKETS, body, uniqueName: true });
  },

  /** GET /v2/buckets/{id}. Scopes: one of buckets:view, buckets:manage, all:view, all:manage. */
  get: (id: string): Promise<Bucket> => call(send, bucketSchema, { method: 'GET', route: BUCKET, id }),

  /** PATCH /v2/buckets/{id}: only the fields sent are changed. Scopes and NameTakenError as for `create`. */
  update: (id: string, bucket: BucketWrite): Promise<Bucket> => {
    const body = { data: bucket };
    return call(send, bucketSchema, { method: 'PATCH', route: BUCKET, id, body, uniqueName: true });
  },

  /** DELETE /v2/buckets/{id}: its contacts stay. Scopes: buckets:manage or all:manage. */
  delete: async (id: string): Promise<void> => {
    await send({ method: 'DELETE', route: BUCKET, id });
  },
});
