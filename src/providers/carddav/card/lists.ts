import { type LabelledValue, POSTAL_ADDRESS, type PostalAddress, streetLines } from '../../../core/contact/elements.ts';
import { decoded } from '../href.ts';
import {
  type Card,
  type ContentLine,
  escapeText,
  lineOf,
  parameterOf,
  splitValue,
  unescapeText,
  withParameter,
} from './content-line.ts';
import { replaceLine, versionOf } from './edits.ts';
import { ABILITIES, labelOf, withLabel } from './labels.ts';
import type { ListMapping } from './list-mapping.ts';

/** Returns whether a card has version 4.0. A card without a version is of 3.0. */
export const isVersion4 = (card: Card): boolean => versionOf(card) === '4.0';

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

/** Returns a text as a URI. Its commas are escaped, because Radicale cuts a URL at an unescaped comma. */
const uriText = (value: string): string => value.replaceAll(/\s/gu, '').replaceAll(/[\\,]/gu, String.raw`\$&`);

/**
 * Returns a `tel:` URI (RFC 3966) as people write a number: with its extension and the country of its context, without codes and
 * other parameters. Any other text is returned unchanged.
 */
const phoneText = (text: string): string => {
  const [, uri] = /^\s*tel:(.*)$/isu.exec(text) ?? [];
  if (uri === undefined) return text;
  const [number = '', ...parameters] = uri.split(';').map((part) => decoded(part).trim());
  const valueOf = (name: string): string => {
    const found = parameters.find((each) => each.toLowerCase().startsWith(`${name}=`));
    return found?.slice(name.length + 1) ?? '';
  };
  const [context, extension] = [valueOf('phone-context'), valueOf('ext')];
  const prefix = context.startsWith('+') && !number.startsWith('+') ? `${context}-` : '';
  return `${prefix}${number.replace(/^\/\//u, '')}${extension === '' ? '' : ` ext. ${extension}`}`;
};

export const EMAIL_ADDRESSES = typed('emailAddresses', 'EMAIL', withoutScheme('mailto'), escapeText);
export const PHONE_NUMBERS = typed('phoneNumbers', 'TEL', phoneText, escapeText);
export const WEBSITES = typed('websites', 'URL', (text) => text, uriText);

/** The components of `ADR` (RFC 6350, 6.3.1). */
const ADDRESS_PLACES = { poBox: 0, extended: 1, street: 2, city: 3, region: 4, postalCode: 5, country: 6 } as const;
const ADDRESS_PARTS = Object.keys(ADDRESS_PLACES) as (keyof typeof ADDRESS_PLACES)[];
/** RFC 9554 adds components for parts of the street and the flat. */
const COMPONENTS = 7;

const addressOf = (line: ContentLine, label: string | null): PostalAddress => {
  const components = splitValue(raw(line), ';');
  const texts = ADDRESS_PARTS.map((part) => {
    const values = splitValue(components[ADDRESS_PLACES[part]] ?? '', ',');
    return [part, values.map((each) => unescapeText(each)).join(', ')];
  });
  const parts = Object.fromEntries(texts) as Record<keyof typeof ADDRESS_PLACES, string>;
  return POSTAL_ADDRESS.normalise({ ...parts, label });
};

const writtenAddress = (line: ContentLine, address: PostalAddress): ContentLine => {
  const former = addressOf(line, null);
  const hasMoved = streetLines(former) !== streetLines(address);
  const all = splitValue(raw(line), ';');
  const components = [...(hasMoved ? all.slice(0, COMPONENTS) : all)];
  while (components.length < COMPONENTS) components.push('');
  for (const part of ADDRESS_PARTS) {
    if (former[part] !== address[part]) components[ADDRESS_PLACES[part]] = escapeText(address[part] ?? '');
  }
  // A formatted address of version 4.0 would contradict the components, a position the new street.
  const stale = hasMoved ? ['LABEL', 'GEO', 'TZ'] : ['LABEL'];
  const bare = stale.reduce((each, name) => withParameter(each, name, []), line);
  return { ...bare, value: components.join(';') };
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
  labelsOfNames: RELATION_NAMES,
  read: (line, card) => {
    const text = unescapeText(raw(line));
    const value = line.name === 'RELATED' && URI.test(text) ? '' : text;
    return { value, label: RELATION_NAMES[line.name] ?? labelOf(card, line) };
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
const SCHEME = /^[a-z][\w+.-]*(?=:)/iu;

/** Returns the line with that network, in the parameter that names it. Without a network, no parameter names one. */
const withNetwork = (line: ContentLine, name: 'TYPE' | 'X-SERVICE-TYPE', network: string | null): ContentLine => {
  const own = parameterOf(line, 'SERVICE-TYPE').length === 0 ? name : 'SERVICE-TYPE';
  const bare = withParameter(withParameter(line, name, []), 'SERVICE-TYPE', []);
  return network === null ? bare : withParameter(bare, own, [network]);
};

const messengerOf = (line: ContentLine): LabelledValue => {
  const known = MESSENGER_NAMES[line.name];
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
  if (MESSENGER_NAMES[line.name] !== undefined) return escapeText(value);
  const [scheme = UNKNOWN] = SCHEME.exec(raw(line)) ?? [];
  return `${scheme}:${encodeURI(value).replaceAll(/[,;]/gu, encodeURIComponent)}`;
};

export const INSTANT_MESSENGERS: ListMapping<LabelledValue> = {
  field: 'instantMessengers',
  names: ['IMPP', ...Object.keys(MESSENGER_NAMES)],
  labelsOfNames: MESSENGER_NAMES,
  read: messengerOf,
  write: (line, { value }) => ({ ...line, value: messengerValue(line, value) }),
  relabel: (card, line, label) => {
    const relabelled = withNetwork(line, 'X-SERVICE-TYPE', label);
    // The scheme of an address names a network, too.
    const value = label === null ? raw(line).replace(SCHEME, UNKNOWN) : raw(line);
    return replaceLine(card, line, [{ ...relabelled, value }]);
  },
  create: ({ value, label }) => {
    const line = lineOf('IMPP', `${schemeOf(label)}:`);
    return { ...line, value: messengerValue(line, value) };
  },
};

/** The addresses of user names at networks, by the network's name in lower case. */
const PROFILE_URLS: Readonly<Record<string, string>> = {
  facebook: 'https://www.facebook.com/',
  flickr: 'https://www.flickr.com/people/',
  github: 'https://github.com/',
  instagram: 'https://www.instagram.com/',
  linkedin: 'https://www.linkedin.com/in/',
  myspace: 'https://myspace.com/',
  pinterest: 'https://www.pinterest.com/',
  tiktok: 'https://www.tiktok.com/@',
  twitter: 'https://twitter.com/',
  x: 'https://x.com/',
  youtube: 'https://www.youtube.com/@',
};

const networkOf = (line: ContentLine): string | null => {
  const types = parameterOf(line, 'TYPE').filter((type) => !ABILITIES.has(type.toLowerCase()));
  return [...parameterOf(line, 'SERVICE-TYPE'), ...types][0] ?? null;
};

/** Returns the user name of a line without a URL, which Apple's programs write as `x-apple:ann`; null if it has another text. */
const userNameOf = (line: ContentLine, text: string, network: string): string | null => {
  const [, scheme = '', rest = ''] = /^([a-z][\w-]*):(.*)$/isu.exec(text) ?? [];
  const isMark = scheme !== '' && (/^x-/iu.test(scheme) || scheme.toLowerCase() === network);
  if (!isMark && text !== '') return null;
  return (decoded(rest) || (parameterOf(line, 'X-USER')[0] ?? '')).replace(/^@/u, '');
};

/**
 * Returns the profile of a line. A user name becomes the URL of a known network, else it is the profile. Some programs write the
 * network before a URL (`facebook:https://...`).
 */
const profileOf = (line: ContentLine): LabelledValue => {
  const label = networkOf(line);
  const network = (label ?? '').toLowerCase();
  const text = unescapeText(raw(line))
    .trim()
    .replace(/^[a-z][\w-]*:(?=https?:\/\/)/iu, '');
  const user = userNameOf(line, text, network);
  if (user === null) return { value: text, label };
  const base = PROFILE_URLS[network];
  return { value: base === undefined || !/^[\w.-]+$/u.test(user) ? user : base + user, label };
};

const writtenProfile = (line: ContentLine, value: string): ContentLine => {
  const bare = ['X-USER', 'USERNAME'].reduce((each, name) => withParameter(each, name, []), line);
  return { ...bare, value: uriText(value) };
};

export const SOCIAL_PROFILES: ListMapping<LabelledValue> = {
  field: 'socialProfiles',
  names: ['X-SOCIALPROFILE', 'SOCIALPROFILE'],
  read: profileOf,
  write: (line, { value }) => writtenProfile(line, value),
  relabel: (card, line, label) => {
    const { value } = profileOf(line);
    const relabelled = withNetwork(line, 'TYPE', label);
    // The URL of a user name depends on the network.
    const isSame = profileOf(relabelled).value === value;
    return replaceLine(card, line, [isSame ? relabelled : writtenProfile(relabelled, value)]);
  },
  create: ({ value }) => lineOf('X-SOCIALPROFILE', uriText(value)),
};
