import { openServiceHarness } from '../support/contract/service-harness.ts';
import { describeRemote, type Exclusion } from '../support/contract/under-variants.ts';
import { SERVICE_VARIANTS } from '../support/contract/variant-sets.ts';

const further = [
  'a write of an optional field changes only that field, and its former value can be restored (R10)',
] as const;
const withheld = [
  'a deletion is a tombstone in the feed, or the contact is missing from a listing and gone in a read',
  'a read returns for each requested id whether the contact is found or gone',
  'a contact that was merged into another is gone, or is read as the other contact (R12)',
  'a delete returns a result for each id, and succeeds for a deleted contact',
  'a merge by the provider keeps unmapped values and returns the surviving contact (R10, R12)',
  'a merge with a deleted contact changes nothing and fails with kind not-found',
] as const;
const clearing = { kind: 'some', scenes: ['an update clears texts and lists'] } as const;

const EXCLUSIONS: readonly Exclusion[] = [
  { name: 'accountState', kind: 'all', reason: 'a disabled account answers 402 to every request' },
  {
    name: 'arrayPatch',
    kind: 'some',
    scenes: [...clearing.scenes, ...further],
    reason: 'the service only adds entries to an array, so an update cannot remove one',
  },
  { name: 'emptyArray', ...clearing, reason: 'the service ignores an array that is cleared' },
  { name: 'scalarNull', ...clearing, reason: 'the service ignores a text that is cleared by null' },
  { name: 'scalarEmpty', value: 'ignored', ...clearing, reason: 'the service ignores a text that is cleared' },
  {
    name: 'customFieldKey',
    value: 'custom_fields',
    kind: 'some',
    scenes: further,
    reason: 'the service accepts custom fields under a key that is documented for answers only',
  },
  {
    name: 'customFieldShape',
    value: 'id-value',
    kind: 'some',
    scenes: further,
    reason: 'the service does not return the name of a custom field, which identifies it',
  },
  {
    name: 'deleteStyle',
    value: 'archived',
    kind: 'some',
    scenes: [
      'a deletion is a tombstone in the feed, or the contact is missing from a listing and gone in a read',
      'a read returns for each requested id whether the contact is found or gone',
      'an update of a deleted contact fails without the others',
      'a change of membership of a deleted contact fails without the others',
      'a merge with a deleted contact changes nothing and fails with kind not-found',
    ],
    reason: 'an archived contact can be read and written, and only its absence from lists shows that it was deleted',
  },
  {
    name: 'mergeLosers',
    value: 'archived',
    kind: 'some',
    scenes: [
      'a contact that was merged into another is gone, or is read as the other contact (R12)',
      'a merge by the provider keeps unmapped values and returns the surviving contact (R10, R12)',
    ],
    reason: 'as for a deleted contact that is archived',
  },
  {
    name: 'missingRecordStatus',
    value: '403',
    kind: 'some',
    scenes: withheld,
    reason: 'a deleted contact is read as withheld, and only its absence from a listing shows that it was deleted (R7)',
  },
  {
    name: 'errorBody',
    value: 'html',
    kind: 'some',
    scenes: [
      ...withheld,
      'an update of a deleted contact fails without the others',
      'a change of membership of a deleted contact fails without the others',
      'a revoked permission stops reads and writes (R16)',
    ],
    reason:
      'a web page may be from a proxy: a contact is withheld, a write may have been applied, no permission is revoked (R7, R16)',
  },
];

describeRemote('the service', openServiceHarness, SERVICE_VARIANTS, EXCLUSIONS);
