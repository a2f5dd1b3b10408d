import { openGoogleHarness } from '../support/contract/google-harness.ts';
import { describeRemote, type Exclusion } from '../support/contract/under-variants.ts';
import { GOOGLE_VARIANTS } from '../support/contract/variant-sets.ts';

const EXCLUSIONS: readonly Exclusion[] = [
  {
    name: 'metadataKeyOrder',
    value: 'alternating',
    kind: 'some',
    scenes: [
      'a whole listing gives only the ids of rows that are known, and everything of the others',
      'what a write answered with is the row that a listing shows',
    ],
    reason: 'a row is known by its text: one whose keys come in another order is read again',
  },
  {
    name: 'readAfterWrite',
    kind: 'some',
    scenes: [
      'a create whose answer was lost is found again by looking (R9)',
      'what a write answered with is the row that a listing shows',
      'a write that was limited is sent again; one in doubt is not',
      'each further field is written, read back and put back alone; nothing else changes (R10)',
      'a first name reads back as written, whatever a side joins into it; what is joined stays (R2, R10)',
    ],
    reason: 'the first look after a write shows what stood there before; a search must be repeated later',
  },
];

describeRemote('Google', openGoogleHarness, GOOGLE_VARIANTS, EXCLUSIONS);
