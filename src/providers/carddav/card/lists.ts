import type { LabelledValue, PostalAddress } from '../../../core/contact/elements.ts';
import { normaliseLines, normaliseText } from '../../../core/contact/text.ts';
import { decoded } from '../book.ts';
import {
  type Card,
  type ContentLine,
  escapeText,
  lineOf,
  nameOf,
  parameterOf,
  splitValue,
  unescapeText,
  withParameter,
} from './content-line.ts';
import { replaceLine, textOf } from './edits.ts';
import { labelOf, withLabel } from './labels.ts';
import type { ListMapping } from './list-mapping.ts';

/** Returns whether a card has version 4.0. A card without a version is of 3.0. */
export const isVersion4 = (card: Card): boolean => textOf(card, 'VERSION').trim() === '4.0';

const raw = ({ value }: ContentLine): string => value ?? '';

/** Returns the mapping of a list whose elements are properties of one name with a value and types. */
const typed = (
  field: 'emailAddresses' | 'phoneNumbers' | 'websites',
  name: string,
  valueOf: (text: string) => string,
  formatted: (value: string) => string,
): ListMapping<LabelledValue> => ({
  field,
  names: [name],
  read: (line, card) => ({ value: valueOf(unescapeText(raw(line))), label: labelOf(card, line) }),
  write: (line, { value }) => ({ ...withParameter(line, 'VALUE', []), value: formatted(value) }),
  relabel: withLabel,
  create: ({ value }) => lineOf(name, formatted(value)),
});

const withoutScheme = (scheme: string) => (text: string) =>
  text.toLowerCase().startsWith(`${scheme}:`) ? text.slice(scheme.length + 1) : text;

/** Returns a text as a URI, which has no escapes. */
const uriText = (value: string): string => value.replaceAll(/\s/gu, '');

export const EMAIL_ADDRESSES = typed('emailAddresses', 'EMAIL', withoutScheme('mailto'), escapeText);
export const PHONE_NUMBERS = typed('phoneNumbers', 'TEL', withoutScheme('tel'), escapeText);
export const WEBSITES = typed('websites', 'URL', (text) => text, uriText);

/** The components of `ADR` (RFC 6350, 6.3.1) that are parts of an address. Post box and extended address stay. */
const ADDRESS_PLACES = { street: 2, city: 3, region: 4, postalCode: 5, country: 6 } as const;
const ADDRESS_PARTS = Object.keys(ADDRESS_PLACES) as (keyof typeof ADDRESS_PLACES)[];

const addressOf = (line: ContentLine, label: string | null): PostalAddress => {
  const components = splitValue(raw(line), ';');
  const partOf = (part: keyof typeof ADDRESS_PLACES): string =>
    splitValue(components[ADDRESS_PLACES[part]] ?? '', ',')
      .map((each) => unescapeText(each))
      .join(', ');
  return {
    street: normaliseLines(partOf('street')),
    city: normaliseText(partOf('city')),
    region: normaliseText(partOf('region')),
    postalCode: normaliseText(partOf('postalCode')),
    country: normaliseText(partOf('country')),
    label,
  };
};

const writtenAddress = (line: ContentLine, address: PostalAddress): ContentLine => {
  const former = addressOf(line, null);
  const components = [...splitValue(raw(line), ';')];
  while (components.length < 7) components.push('');
  for (const part of ADDRESS_PARTS) {
    if (former[part] !== address[part]) components[ADDRESS_PLACES[part]] = escapeText(address[part]);
  }
  // A formatted address of version 4.0 would contradict the components.
  return { ...withParameter(line, 'LABEL', []), value: components.join(';') };
};

export const ADDRESSES: ListMapping<PostalAddress> = {
  field: 'addresses',
  names: ['ADR'],
  read: (line, card) => addressOf(line, labelOf(card, line)),
  write: writtenAddress,
  relabel: withLabel,
  create: (address) => writtenAddress(lineOf('ADR', ''), address),
};

/** Properties of older programs whose name is a relation. */
const RELATION_NAMES: Readonly<Record<string, string>> = {
  'X-SPOUSE': 'spouse',
  'X-MANAGER': 'manager',
  'X-ASSISTANT': 'assistant',
  'X-EVOLUTION-SPOUSE': 'spouse',
  'X-EVOLUTION-MANAGER': 'manager',
  'X-EVOLUTION-ASSISTANT': 'assistant',
};

/** Matches the URI of a related card, which is not a name. */
const URI = /^(?:urn|https?|mailto|data|tel):/iu;

export const RELATIONS: ListMapping<LabelledValue> = {
  field: 'relations',
  names: ['RELATED', 'X-ABRELATEDNAMES', ...Object.keys(RELATION_NAMES)],
  read: (line, card) => {
    const text = unescapeText(raw(line));
    const value = nameOf(line) === 'RELATED' && URI.test(text) ? '' : text;
    return { value, label: RELATION_NAMES[nameOf(line)] ?? labelOf(card, line) };
  },
  write: (line, { value }) => ({ ...line, value: escapeText(value) }),
  relabel: withLabel,
  create: ({ value }, card) =>
    isVersion4(card)
      ? withParameter(lineOf('RELATED', escapeText(value)), 'VALUE', ['text'])
      : lineOf('X-ABRELATEDNAMES', escapeText(value)),
};

/** Networks whose URI scheme has another name (RFC 4770). */
const SCHEMES: Readonly<Record<string, string>> = {
  jabber: 'xmpp',
  yahoo: 'ymsgr',
  msn: 'msnim',
  googletalk: 'xmpp',
};
const NETWORKS: Readonly<Record<string, string>> = { xmpp: 'jabber', ymsgr: 'yahoo', msnim: 'msn' };
const MESSENGER_NAMES: Readonly<Record<string, string>> = {
  'X-AIM': 'aim',
  'X-ICQ': 'icq',
  'X-JABBER': 'jabber',
  'X-MSN': 'msn',
  'X-YAHOO': 'yahoo',
  'X-SKYPE': 'skype',
  'X-SKYPE-USERNAME': 'skype',
  'X-GOOGLE-TALK': 'googleTalk',
};
/** The scheme for addresses of an unknown network. */
const UNKNOWN = 'x-apple';

const messengerOf = (line: ContentLine): LabelledValue => {
  const known = MESSENGER_NAMES[nameOf(line)];
  const text = unescapeText(raw(line));
  if (known !== undefined) return { value: text, label: known };
  const [, scheme = '', address = text] = /^([a-z][\w+.-]*):(?:\/\/)?(.*)$/isu.exec(text) ?? [];
  const [service] = [...parameterOf(line, 'X-SERVICE-TYPE'), ...parameterOf(line, 'SERVICE-TYPE')];
  const network = NETWORKS[scheme.toLowerCase()] ?? scheme.toLowerCase();
  return { value: decoded(address), label: service ?? (network === UNKNOWN || network === '' ? null : network) };
};

const schemeOf = (label: string | null): string => {
  const name = (label ?? '').toLowerCase().replaceAll(/[^a-z0-9]/gu, '');
  return name === '' ? UNKNOWN : (SCHEMES[name] ?? name);
};

const messengerValue = (line: ContentLine, value: string): string => {
  if (MESSENGER_NAMES[nameOf(line)] !== undefined) return escapeText(value);
  const [scheme = UNKNOWN] = /^[a-z][\w+.-]*(?=:)/iu.exec(raw(line)) ?? [];
  return `${scheme}:${encodeURI(value).replaceAll(/[,;]/gu, encodeURIComponent)}`;
};

export const INSTANT_MESSENGERS: ListMapping<LabelledValue> = {
  field: 'instantMessengers',
  names: ['IMPP', ...Object.keys(MESSENGER_NAMES)],
  read: messengerOf,
  write: (line, { value }) => ({ ...line, value: messengerValue(line, value) }),
  relabel: (card, line, label) =>
    replaceLine(card, line, [withParameter(line, 'X-SERVICE-TYPE', label === null ? [] : [label])]),
  create: ({ value, label }) => {
    const line = lineOf('IMPP', `${schemeOf(label)}:`);
    return { ...line, value: messengerValue(line, value) };
  },
};

export const SOCIAL_PROFILES: ListMapping<LabelledValue> = {
  field: 'socialProfiles',
  names: ['X-SOCIALPROFILE', 'SOCIALPROFILE'],
  read: (line) => {
    const [network = null] = [...parameterOf(line, 'SERVICE-TYPE'), ...parameterOf(line, 'TYPE')];
    return { value: unescapeText(raw(line)), label: network };
  },
  write: (line, { value }) => ({ ...line, value: uriText(value) }),
  relabel: (card, line, label) => replaceLine(card, line, [withParameter(line, 'TYPE', label === null ? [] : [label])]),
  create: ({ value }) => lineOf('X-SOCIALPROFILE', uriText(value)),
};
