import type { Sides } from '../../core/contact/side.ts';
import type { Person } from '../../sandbox/people/person.ts';

const clean = (text: string): string => text.normalize('NFC').replaceAll(/\s+/gu, ' ').trim();
const lettersOf = (text: string): string => text.normalize('NFC').replaceAll(/[^\p{L}\p{N}]+/gu, '');
const bareUrl = (url: string): string => url.replace(/^https?:\/\/(?:www\.)?/u, '').replace(/^www\.|\/+$/gu, '');
/** Remotes write a number with or without separators and the country code. */
const phoneEnding = (phone: string): string => phone.replaceAll(/\D/gu, '').slice(-8);

const asSet = (values: readonly string[]): string => [...new Set(values)].toSorted().join(', ');

/** Returns the values that must be equal on both sides, each in one spelling. Uses no code of the program that it checks. */
const valuesOf = ({ givenName, familyName, company, title, ...lists }: Person): string => {
  const emails = asSet(lists.emails.map(({ value }) => value.toLowerCase()));
  const phones = asSet(lists.phones.map(({ value }) => phoneEnding(value)));
  const websites = asSet(lists.websites.map(({ value }) => bareUrl(value)));
  const addresses = asSet(
    lists.addresses.map(({ label: _label, ...address }) => lettersOf(Object.values(address).join(''))),
  );
  const groups = asSet(lists.groups);
  const texts = [`${givenName} ${familyName}`, company, title].map(clean);
  return [...texts, emails, phones, websites, addresses, groups].filter((text) => text !== '').join(' | ');
};

/** Returns the values of each contact that has no equal contact on the other side. */
export const findDifferences = ({ left, right }: Sides<readonly Person[]>): Sides<readonly string[]> => {
  const atRight = right.map(valuesOf);
  const onlyLeft = left.map(valuesOf).filter((values) => {
    const index = atRight.indexOf(values);
    if (index >= 0) atRight.splice(index, 1);
    return index < 0;
  });
  return { left: onlyLeft, right: atRight };
};
