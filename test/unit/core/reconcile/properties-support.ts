import fc from 'fast-check';
import { type Contact, CONTACT_FIELDS, type ListField } from '../../../../src/core/contact/contact.ts';
import type { Half } from '../../../../src/core/contact/half.ts';
import { elementKey, listOf } from '../../../../src/core/contact/lists.ts';
import { contactOf } from '../../../../src/core/contact/record.ts';
import type { Sides } from '../../../../src/core/contact/side.ts';
import { mergeHalves } from '../../../../src/core/reconcile/merge.ts';
import { address, bothSides, policyWith, SEED, sideOf, values } from './support.ts';

/** A failure prints the seed, the path and the smallest counterexample. */
export const check = <Values>(property: fc.IProperty<Values>): void => {
  fc.assert(property, { seed: SEED, numRuns: 400 });
};

// Small pools, so that the sides often have the same values, or the same in other spellings.
const EMAILS = ['ada@x.org', 'Ada@X.org', 'bob@x.org', 'joanna@x.org', 'anna@x.org'];
const PHONES = ['+49 30 901820', '004930901820', '030 901820', '+1 212 555 0100', '112', '1-800-FLOWERS'];
const SITES = ['https://x.org/', 'x.org', 'y.org'];
const STREETS = ['Main 1', 'main 1', 'Main 2', 'Flat 1/2'];

export const contact = (phones: readonly string[] = PHONES): fc.Arbitrary<Contact> => {
  const some = <T>(pool: readonly T[]) => fc.subarray([...pool], { maxLength: 3 });
  return fc
    .record({
      firstName: fc.constantFrom('', 'Ada', 'Bob', 'Ada King'),
      lastName: fc.constantFrom('', 'King', 'Ray'),
      company: fc.constantFrom('', 'A', 'B'),
      title: fc.constantFrom('', 'T', 'U', 'V'),
      emailAddresses: some(EMAILS).map((list) => values(...list)),
      phoneNumbers: some(phones).map((list) => values(...list)),
      addresses: some(STREETS).map((list) => list.map((street) => address(street))),
      websites: some(SITES).map((list) => values(...list)),
    })
    .map(contactOf);
};

/** A contact that is, more often than not, similar to another one. */
const editOf = (from: Contact, phones?: readonly string[]): fc.Arbitrary<Contact> => {
  return fc.tuple(contact(phones), fc.subarray([...CONTACT_FIELDS], { maxLength: 3 })).map(([other, fields]) => {
    return { ...from, ...Object.fromEntries(fields.map((field) => [field, other[field]])) };
  });
};

const timeMs = fc.constantFrom(null, 1, 2);

/** Two sides that agreed once, each in its own spelling, and were edited since. */
export const known = (phones?: readonly string[]): fc.Arbitrary<Sides<Half>> => {
  const side = (agreed: Contact) => {
    return editOf(agreed, phones).chain((base) => {
      return fc.tuple(editOf(base, phones), timeMs).map(([now, atMs]) => sideOf(now, base, atMs));
    });
  };
  return contact(phones).chain((agreed) =>
    fc.tuple(side(agreed), side(agreed)).map(([left, right]) => bothSides(left, right)),
  );
};

export const firstMeeting = (phones?: readonly string[]): fc.Arbitrary<Sides<Half>> => {
  const side = fc.tuple(contact(phones), timeMs).map(([now, atMs]) => sideOf(now, null, atMs));
  return fc.tuple(side, side).map(([left, right]) => bothSides(left, right));
};

export const anyMeeting = (phones?: readonly string[]) => fc.oneof(known(phones), firstMeeting(phones));

export const mergeOf = (left: Half, right: Half, policy = policyWith()): ReturnType<typeof mergeHalves> => {
  return mergeHalves(bothSides(left, right), policy);
};

export const keysOf = (of: Contact | null, field: ListField): ReadonlySet<string> => {
  return new Set(of === null ? [] : listOf(of, field).map((element) => elementKey(field, element)));
};

export const QUIET = { fields: { left: [], right: [] }, localFields: { left: [], right: [] }, conflicts: [] };

// No number here is the national spelling of another one, so that keys distinguish elements.
export const PLAIN_PHONES = ['+49 30 901820', '+1 212 555 0100', '112', '113', '114'];
