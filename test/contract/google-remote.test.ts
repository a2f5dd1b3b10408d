import { openGoogleHarness } from '../support/contract/google-harness.ts';
import { describeRemote, type Exclusion } from '../support/contract/under-variants.ts';
import { GOOGLE_VARIANTS } from '../support/contract/variant-sets.ts';

const EXCLUSIONS: readonly Exclusion[] = [
  {
    name: 'metadataKeyOrder',
    value: 'alternating',
    kind: 'some',
    scenes: [
      'a whole listing returns only the ids of known rows, and the records of the others',
      'the record that a write returns is known in the next listing',
    ],
    reason: 'a row is known by its text, so a row with its keys in another order is read again',
  },
  {
    name: 'readAfterWrite',
    kind: 'some',
    scenes: [
      'the contact of a create whose answer was lost is found (R9)',
      'the record that a write returns is known in the next listing',
      'a rate-limited write is repeated, and a write with an unknown outcome is not',
      'a write of an optional field changes only that field, and its former value can be restored (R10)',
    ],
    reason: 'the first read after a write returns the state before the write, and a search must be repeated later',
  },
];

describeRemote('Google', openGoogleHarness, GOOGLE_VARIANTS, EXCLUSIONS);
