/** An address book file that cannot be used at all; the message says which and what to do, and holds none of its content. */
export class AddressBookError extends Error {
  override readonly name = 'AddressBookError';
}
