import { z } from 'zod';
import { choice, variantTable } from '../variants.ts';

/**
 * Every configurable variant of the emulator: behaviour that Google does not document. The first value of a row is the likeliest
 * one and the default. A client that works with each value of each row works with Google's actual behaviour.
 */
const choices = {
  expiredSyncTokenStatus: choice(
    'Status string of the 400 that reports an expired sync token; the reason is always EXPIRED_SYNC_TOKEN.',
    'INVALID_ARGUMENT',
    'FAILED_PRECONDITION',
  ),
  incrementalTokens: choice(
    'Whether a token got from an incremental request lives 7 days from the full sync or from that request.',
    'keepExpiry',
    'extendExpiry',
  ),
  pageTokens: choice(
    'How long a page token of a connections listing lives; a dead one is a plain 400.',
    'unlimited',
    'oneHour',
  ),
  duplicateGroup: choice('Status string of the 409 for a group name that is taken.', 'ALREADY_EXISTS', 'ABORTED'),
  contactLimitBody: choice('Body of the 429 for an account that is full.', 'message', 'errorInfo'),
  missingContact: choice(
    'Whether get, update and delete of a missing contact answer 404 or, as once seen, 500.',
    'notFound',
    'internalError',
  ),
  batchAtomicity: choice(
    'Whether one bad contact fails a whole create or update batch or only itself.',
    'allOrNothing',
    'perItem',
  ),
  batchDeleteMissing: choice('What a batch delete does about a name that does not exist.', 'notFound', 'ignored'),
  staleEtagDetails: choice('Whether the 400 for a stale contact etag has details.', 'absent', 'debugInfo'),
  membershipChanges: choice(
    'Whether members:modify and group deletion change the etag of the contact and show it in deltas.',
    'changeContact',
    'leaveContact',
  ),
  createInUserGroup: choice(
    'Whether a contact created with a user group only is put into My Contacts too.',
    'asGiven',
    'addMyContacts',
  ),
  mergeEvents: choice(
    'What a merge in the web interface shows in deltas: tombstones, previousResourceNames, or both.',
    'loserDeleted',
    'survivorRenamed',
    'both',
  ),
  noChangeUpdates: choice('Whether an update that changes no value is a change.', 'newEtag', 'sameEtag'),
  profileValues: choice(
    'Whether contacts that have an email address are linked to a profile and show its values too.',
    'absent',
    'linked',
  ),
  sourcePrimary: choice('Whether names with a given name carry metadata.sourcePrimary.', 'onNames', 'absent'),
  metadataKeyOrder: choice(
    'Whether the key order inside field metadata is the same in every answer.',
    'fixed',
    'alternating',
  ),
  readAfterWrite: choice(
    'Whether the first get or full listing within ten minutes after an API write still shows the contact as it was before.',
    'fresh',
    'firstReadStale',
  ),
  quotaBody: choice('Form of the 429 body for a spent quota.', 'errorInfo', 'quotaFailure'),
  retryAfter: choice('Whether a 429 carries a Retry-After header.', 'absent', 'present'),
};

const variantsSchema = z.strictObject(choices);

export type GoogleVariants = z.output<typeof variantsSchema>;

export const GOOGLE_VARIANT_TABLE = variantTable(choices);

/** Returns `current` with the values of `patch`, which may be untrusted. Throws a ZodError on an unknown name or value. */
export const withGoogleVariants = (current: Partial<GoogleVariants>, patch: unknown): GoogleVariants =>
  variantsSchema.parse({ ...current, ...z.looseObject({}).parse(patch) });
