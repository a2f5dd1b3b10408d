import { z } from 'zod';
import { opaque, optionalNumber, optionalObject, optionalText, stamps } from './schemas-common.ts';

/** How many contacts of a bucket stand how; the meaning of the counts is not documented. */
const relationshipStatus = optionalObject({
  none: optionalNumber,
  strong: optionalNumber,
  fading: optionalNumber,
  weak: optionalNumber,
  rpa: optionalNumber,
  total: optionalNumber,
  grade: optionalText,
}).catch({ none: null, strong: null, fading: null, weak: null, rpa: null, total: null, grade: null });

/** Bucket (API.md, Resources and their fields). */
export const bucketSchema = z.object({
  ...stamps,
  name: z.string(),
  goal: optionalText.catch(null),
  /** The unit is not documented. */
  reminder_interval: optionalNumber.catch(null),
  extra_data: optionalObject({
    cloned_from_id: opaque,
    contact_count: optionalNumber.catch(null),
    relationship_status: relationshipStatus,
    permissions: opaque,
    lead_pool: opaque,
  }),
});

export type Bucket = z.output<typeof bucketSchema>;

/** The writable fields of a bucket; an update sends only what changes. */
export type BucketWrite = {
  readonly name?: string;
  readonly goal?: string;
  readonly reminder_interval?: number;
};
