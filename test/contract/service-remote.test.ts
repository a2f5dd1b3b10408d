import { openServiceHarness } from '../support/contract/service-harness.ts';
import { describeRemote, type Exclusion } from '../support/contract/under-variants.ts';
import { SERVICE_VARIANTS } from '../support/contract/variant-sets.ts';

const further = ['each further field is written, read back and put back alone; nothing else changes (R10)'] as const;
const withheld = [
  'a deletion shows in the feed, or by absence from the listing and a read',
  'reads find what is there and say what is gone, each under the id asked for',
  'a contact that was merged away is gone, or is the other one now (R12)',
  'a delete answers for each id, and one that is gone already is deleted',
  'a merge by the side itself keeps what has no name here and answers with the survivor (R10, R12)',
  'a merge with a contact that is gone changes nothing and says so',
] as const;
const clearing = { kind: 'some', scenes: ['an update clears texts and lists'] } as const;

const EXCLUSIONS: readonly Exclusion[] = [
  { name: 'accountState', kind: 'all', reason: 'a disabled account answers 402 to everything' },
  {
    name: 'arrayPatch',
    kind: 'some',
    scenes: [...clearing.scenes, ...further],
    reason: 'an array to which the service only adds loses no entry by an update',
  },
  { name: 'emptyArray', ...clearing, reason: 'the service ignores an array that is cleared' },
  { name: 'scalarNull', ...clearing, reason: 'the service ignores a text that is cleared by null' },
  { name: 'scalarEmpty', value: 'ignored', ...clearing, reason: 'the service ignores a text that is cleared' },
  {
    name: 'customFieldKey',
    value: 'custom_fields',
    kind: 'some',
    scenes: further,
    reason: 'the service takes custom fields under a key that the document names for answers only',
  },
  {
    name: 'customFieldShape',
    value: 'id-value',
    kind: 'some',
    scenes: further,
    reason: 'the service does not say what a custom field is called, by which it would be known',
  },
  {
    name: 'deleteStyle',
    value: 'archived',
    kind: 'some',
    scenes: [
      'a deletion shows in the feed, or by absence from the listing and a read',
      'reads find what is there and say what is gone, each under the id asked for',
      'an update of a contact that is gone fails alone',
      'a membership of a contact that is gone fails alone',
      'a merge with a contact that is gone changes nothing and says so',
    ],
    reason: 'an archived contact is read and written as before; only its absence from lists shows that it was deleted',
  },
  {
    name: 'mergeLosers',
    value: 'archived',
    kind: 'some',
    scenes: [
      'a contact that was merged away is gone, or is the other one now (R12)',
      'a merge by the side itself keeps what has no name here and answers with the survivor (R10, R12)',
    ],
    reason: 'as for a deleted contact that is archived',
  },
  {
    name: 'missingRecordStatus',
    value: '403',
    kind: 'some',
    scenes: withheld,
    reason: 'a contact that is gone is withheld, and only its absence from a listing shows that it was deleted (R7)',
  },
  {
    name: 'errorBody',
    value: 'html',
    kind: 'some',
    scenes: [
      ...withheld,
      'an update of a contact that is gone fails alone',
      'a membership of a contact that is gone fails alone',
    ],
    reason:
      'a web page that says 404 may be a proxy: a contact is withheld, and a write to it was perhaps applied (R7)',
  },
];

describeRemote('the service', openServiceHarness, SERVICE_VARIANTS, EXCLUSIONS);
