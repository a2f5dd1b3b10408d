import {
  type AddressBook,
  AddressBookBuilder,
  type ReadFile,
} from '../../../../src/sandbox/address-book/address-book.ts';
import { normalizeBytes } from '../../../../src/sandbox/address-book/load.ts';

/** Returns the result of a reader for the bytes of a file. */
export const readWith = (read: ReadFile, bytes: Uint8Array): AddressBook => {
  const builder = new AddressBookBuilder();
  read(normalizeBytes(Buffer.from(bytes)), builder);
  return builder.build();
};
