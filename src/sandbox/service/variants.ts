import { z } from 'zod';
import { choice, variantTable } from '../variants.ts';

/**
 * The behaviour that the documentation leaves open, as named variants. A client must work with every value of each variant.
 */
const choices = {
  // Lists
  bounds: choice('`.before` and `.after` bounds', 'inclusive', 'exclusive', 'after-exclusive', 'sub-second'),
  nextPageForm: choice(
    'form of next_page and previous_page',
    'absolute-url',
    'relative-path',
    'number',
    'filters-dropped',
    'search-path',
  ),
  noPage: choice('next_page or previous_page where there is none', 'null', 'absent', 'empty-string'),
  pastEnd: choice('a page after the last', 'empty', '404', '422', 'last-page'),
  deepPage: choice('how deep pages may go', 'unlimited', '10000-rows'),
  metaTotal: choice('meta.total', 'filtered', 'unfiltered', 'capped-at-1000', 'absent'),
  sortTies: choice('order among equal values', 'id', 'id-descending', 'unstable'),
  subListPaging: choice('lists below one resource', 'paged', 'all', 'no-meta', 'first-page-only'),
  listLag: choice('how far the contacts list is behind a GET by id', 'none', '2s', '10s'),

  // Writing contacts
  arrayPatch: choice('an array in an update', 'replace', 'merge-by-value', 'merge-by-id', 'append'),
  entryIds: choice('ids of array entries that an update replaces', 'kept', 'reissued'),
  emptyArray: choice('[] in an update', 'clears', 'ignored'),
  nullArray: choice('null for an array in an update', 'clears', 'ignored'),
  scalarNull: choice('null for a text in an update', 'clears', 'ignored'),
  scalarEmpty: choice('"" for a text in an update', 'stays', 'clears', 'ignored'),
  emptyScalar: choice('how a text without a value reads', 'documented', 'null', 'empty-string'),
  normalisation: choice(
    'what the service rewrites in values sent',
    'none',
    'emails',
    'phones',
    'labels',
    'addresses',
    'tags',
    'all',
  ),
  longText: choice('texts longer than 255 characters', 'kept', 'truncated', '422'),
  createRequires: choice('what a new contact must have', 'nothing', 'name-or-email', 'last-name'),
  createKnownEmail: choice(
    'a new contact with the email address of another; 422 and 409 also answer an update that adds one',
    'duplicate',
    'existing',
    'existing-updated',
    '422',
    '409',
  ),
  autoFill: choice('what the service adds to a new contact by itself', 'nothing', 'avatar', 'company'),
  customFieldKey: choice('key of custom fields in a write', 'custom_field_values', 'custom_fields', 'both'),
  customFieldUnset: choice('how a custom field is unset', 'null', 'omission'),
  customFieldMistyped: choice('a value that a custom field does not take', '422', 'ignored'),
  customFieldType: choice('type of a custom field in answers', 'absent', 'stated'),
  assignedTo: choice('extra_data.assigned_to of a contact that is assigned to somebody', 'null', 'user'),
  customFieldShape: choice('element of custom_fields', 'field-object', 'id-value'),

  // Changes of updated_at
  noOpPatch: choice('updated_at after an update that changes nothing', 'unchanged', 'bumped'),
  membershipBump: choice('what a membership call bumps', 'nothing', 'contact', 'contact-if-changed', 'bucket'),
  activityBump: choice('updated_at of a contact after the service computed a value', 'unchanged', 'bumped'),
  mergeBump: choice('updated_at of the survivor of a merge', 'bumped', 'unchanged'),
  lateVisibility: choice('every second write carries a stamp from before it was visible', 'none', '2s', '10s'),
  serviceClock: choice("the service's clock against the client's", 'exact', 'ahead-120s', 'behind-120s'),

  // Deleting and merging
  deleteStyle: choice('a deleted contact', 'gone', '410', 'archived'),
  secondDelete: choice('DELETE of a deleted contact', '404', '200'),
  mergeLosers: choice('a contact that was merged into another', 'gone', 'redirect', 'survivor', 'archived'),
  mergeScalars: choice('texts of the survivor', 'overwrite', 'fill-empty'),
  mergeArrays: choice('arrays of the survivor', 'union', 'replace'),
  mergeBuckets: choice('buckets of the survivor', 'union', 'survivor'),
  mergeBody: choice('data of a merge request', 'array', 'object', 'both'),
  deleteMerged: choice('DELETE of a contact that was merged', '404', 'deletes-survivor'),

  // Buckets and membership
  duplicateBucketName: choice('a bucket name that exists', 'allowed', '422', 'existing'),
  bucketNameCompare: choice('when bucket names are equal', 'exact', 'loose'),
  bulkBadIds: choice('ids in a bulk call that do not exist', 'skipped', '404', '422', 'partial-with-errors'),
  bulkLimit: choice('ids in a bulk call at most', 'unlimited', '100', '500'),
  bulkAnswer: choice('what a bulk call returns', 'membership', 'touched'),
  putNoBuckets: choice('PUT of an empty set of buckets', 'removes-all', '422', 'no-op'),

  // Answers
  timestampFormat: choice('timestamps in answers', 'utc-text', 'iso', 'iso-ms', 'mixed'),
  nullFields: choice('fields without a value', 'null', 'absent'),
  successStatus: choice('status of success', '200', 'created-201-deleted-204'),
  errorBody: choice('body of an error', 'errors-list', 'errors-object', 'error-text', 'error-records', 'empty', 'html'),
  invalidStatus: choice('a body that is JSON of the wrong shape', '422', '400'),
  missingRecordStatus: choice('a resource that does not exist', '404', '403'),
  missingScopeStatus: choice('a token without the scope', '403', '401', '404'),
  revokedStatus: choice('a token that was revoked', '403', '401'),
  accountState: choice('the account', 'active', 'disabled'),

  // Rate limit
  windowKind: choice('how requests are counted', 'fixed', 'first-request', 'sliding-log'),
  limitAnswer: choice(
    'the answer above the limit',
    '429-retry-after',
    '429-plain',
    '429-http-date',
    '503',
    '403',
    '200-with-errors',
  ),
  limitRejected: choice('whether rejected requests count', 'not-counted', 'counted'),
  limitScope: choice('what the limit is counted by', 'token', 'account'),
  limitForeignUse: choice('how much of the limit somebody else uses', 'nothing', 'tenth', 'third'),
  limitHeader: choice('X-Rate-Limit-Limit', 'number/unit', 'number'),
  limitHeadersOn: choice('which answers carry the headers', 'all', 'not-429', 'success'),
  limitReset: choice('X-Rate-Limit-Reset', 'seconds', 'seconds-floor', 'epoch-seconds', 'milliseconds'),
  limitRemaining: choice('X-Rate-Limit-Remaining', 'after', 'before', 'never-below-1', 'stale'),

  // Authorization
  grantedScopes: choice('scopes of a grant', 'as-asked', 'views-only'),
  tokenLife: choice('how long a token lives', 'forever', 'one-hour'),
  newGrant: choice('earlier tokens after a new grant', 'kept', 'revoked'),
};

const variantsSchema = z.strictObject(choices);

/** A value for each variant. */
export type ServiceVariants = Readonly<z.infer<typeof variantsSchema>>;

/** Every variant with its allowed values, the default first. */
export const SERVICE_VARIANT_TABLE = variantTable(choices);

/** Returns `current` with the values of `patch`, which may be untrusted. Throws a ZodError on an unknown name or value. */
export const withServiceVariants = (current: Partial<ServiceVariants>, patch: unknown): ServiceVariants =>
  variantsSchema.parse({ ...current, ...z.looseObject({}).parse(patch) });
