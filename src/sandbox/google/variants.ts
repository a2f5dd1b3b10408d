import { z } from 'zod';

function oneOf<const Value extends string>(values: readonly [Value, ...Value[]], description: string) {
  return z
    .enum(values)
    .default(() => values[0])
    .describe(description);
}

/**
 * Every configurable variant of the emulator: behaviour that Google does not document. The first value of a row is the likeliest
 * one and the default. A client that works with each value of each row works with Google's actual behaviour.
 */
export const googleVariantsSchema = z.strictObject({
  expiredSyncTokenStatus: oneOf(
    ['INVALID_ARGUMENT', 'FAILED_PRECONDITION'],
    'Status string of the 400 that reports an expired sync token; the reason is always EXPIRED_SYNC_TOKEN.',
  ),
  incrementalTokens: oneOf(
    ['keepExpiry', 'extendExpiry'],
    'Whether a token got from an incremental request lives 7 days from the full sync or from that request.',
  ),
  pageTokens: oneOf(
    ['unlimited', 'oneHour'],
    'How long a page token of a connections listing lives; a dead one is a plain 400.',
  ),
  duplicateGroup: oneOf(['ALREADY_EXISTS', 'ABORTED'], 'Status string of the 409 for a group name that is taken.'),
  contactLimitBody: oneOf(['message', 'errorInfo'], 'Body of the 429 for an account that is full.'),
  missingContact: oneOf(
    ['notFound', 'internalError'],
    'Whether get, update and delete of a missing contact answer 404 or, as once seen, 500.',
  ),
  batchAtomicity: oneOf(
    ['allOrNothing', 'perItem'],
    'Whether one bad contact fails a whole create or update batch or only itself.',
  ),
  batchDeleteMissing: oneOf(['notFound', 'ignored'], 'What a batch delete does about a name that does not exist.'),
  staleEtagDetails: oneOf(['absent', 'debugInfo'], 'Whether the 400 for a stale contact etag has details.'),
  membershipChanges: oneOf(
    ['changeContact', 'leaveContact'],
    'Whether members:modify and group deletion change the etag of the contact and show it in deltas.',
  ),
  createInUserGroup: oneOf(
    ['asGiven', 'addMyContacts'],
    'Whether a contact created with a user group only is put into My Contacts too.',
  ),
  mergeEvents: oneOf(
    ['loserDeleted', 'survivorRenamed', 'both'],
    'What a merge in the web interface shows in deltas: tombstones, previousResourceNames, or both.',
  ),
  renameEvents: oneOf(
    ['newName', 'newNameAndTombstone'],
    'Whether a contact whose resource name changed leaves a tombstone under the old name.',
  ),
  noChangeUpdates: oneOf(['newEtag', 'sameEtag'], 'Whether an update that changes no value is a change.'),
  profileValues: oneOf(
    ['absent', 'linked'],
    'Whether contacts that have an email address are linked to a profile and show its values too.',
  ),
  sourcePrimary: oneOf(['onNames', 'absent'], 'Whether names with a given name carry metadata.sourcePrimary.'),
  metadataKeyOrder: oneOf(
    ['fixed', 'alternating'],
    'Whether the key order inside field metadata is the same in every answer.',
  ),
  readAfterWrite: oneOf(
    ['fresh', 'firstReadStale'],
    'Whether the first get or full listing within ten minutes after an API write still shows the contact as it was before.',
  ),
  quotaBody: oneOf(['errorInfo', 'quotaFailure'], 'Form of the 429 body for a spent quota.'),
  retryAfter: oneOf(['absent', 'present'], 'Whether a 429 carries a Retry-After header.'),
});

/** A chosen value for each variant. */
export type GoogleVariants = z.output<typeof googleVariantsSchema>;
