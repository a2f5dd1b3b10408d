import type { Person } from '../people/person.ts';
import type { ProblemList } from './address-book.ts';
import type { FileBytes } from './file-bytes.ts';

/** What a reader hands over, in the order of the file. */
type Taker = {
  readonly add: (person: Person) => void;
  readonly skipped: ProblemList;
  readonly refused: ProblemList;
};

/** Reads a file of one kind. Rejects with an AddressBookError, which does not name the file, where it is of another. */
export type ReadFile = (file: Pick<FileBytes, 'isTranscoded' | 'chunks'>, taker: Taker) => Promise<void>;
