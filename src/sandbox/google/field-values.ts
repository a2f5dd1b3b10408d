import { parsePhoneNumberFromString, getCountries } from 'libphonenumber-js';
import { completeName, textOf } from './names.ts';
import type { ContactField, FieldItem } from './person-schema.ts';

/**
 * Returns the values of one field as the server stores and returns them: without written output-only keys and empty values,
 * with computed keys. Field metadata is not included. National phone numbers are American ones.
 */
export function storedValues(field: ContactField, written: readonly FieldItem[]): FieldItem[] {
  const stored: FieldItem[] = [];
  for (const value of written) {
    const { metadata: _metadata, formattedType: _formattedType, ...rest } = value;
    const kept = prune(rest);
    const complete = kept && computeValue(field, kept);
    if (complete) stored.push(complete);
  }
  return stored;
}

/** Removes values that proto3 JSON omits: null, empty text, false, zero, empty lists, and messages without content. */
function prune(item: FieldItem): FieldItem | undefined {
  const kept: [string, unknown][] = [];
  for (const [key, value] of Object.entries(item)) {
    const shown = isMessage(value) ? prune(value) : value;
    if (shown !== null && shown !== undefined && shown !== '' && shown !== false && shown !== 0)
      kept.push([key, shown]);
  }
  return kept.length > 0 ? Object.fromEntries(kept) : undefined;
}

function isMessage(value: unknown): value is FieldItem {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function computeValue(field: ContactField, value: FieldItem): FieldItem | undefined {
  switch (field) {
    case 'names':
      return nonEmpty(completeName(value));
    case 'phoneNumbers':
      return nonEmpty(withLabel(withCanonicalForm(value)));
    case 'addresses':
      return withLabel(completeAddress(value));
    // A location has a type but, unlike every other field with a type, no formatted type.
    case 'locations':
      return value;
    case 'biographies':
      return { contentType: 'TEXT_PLAIN', ...value };
    case 'nicknames':
      return textOf(value, 'type') === 'DEFAULT' ? without(value, 'type') : value;
    case 'genders':
      return { ...value, ...(textOf(value, 'value') && { formattedValue: label(textOf(value, 'value')) }) };
    case 'imClients': {
      const protocol = textOf(value, 'protocol');
      return withLabel({ ...value, ...(protocol && { formattedProtocol: label(protocol) }) });
    }
    default:
      return withLabel(value);
  }
}

function nonEmpty(value: FieldItem): FieldItem | undefined {
  return Object.keys(value).length > 0 ? value : undefined;
}

function without(value: FieldItem, key: string): FieldItem {
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
}

function withLabel(value: FieldItem): FieldItem {
  const type = textOf(value, 'type');
  return type === '' ? value : { ...value, formattedType: label(type) };
}

/** Returns the formatted type: `workFax` -> `Work Fax`. A type with spaces is a custom one and stays. */
function label(type: string): string {
  if (type.includes(' ')) return type;
  return type.charAt(0).toUpperCase() + type.slice(1).replaceAll(/([a-z])([A-Z])/g, '$1 $2');
}

function withCanonicalForm(phone: FieldItem): FieldItem {
  const rest = without(phone, 'canonicalForm');
  const parsed = parsePhoneNumberFromString(textOf(phone, 'value'), 'US');
  return parsed?.isPossible() ? { ...rest, canonicalForm: parsed.number } : rest;
}

function completeAddress(address: FieldItem): FieldItem {
  const countryCode = textOf(address, 'countryCode') || codeOfCountry(textOf(address, 'country'));
  const formattedValue = textOf(address, 'formattedValue') || formatAddress(address);
  return { ...address, ...(formattedValue && { formattedValue }), ...(countryCode && { countryCode }) };
}

function formatAddress(address: FieldItem): string {
  const place = [textOf(address, 'region'), textOf(address, 'postalCode')].filter(Boolean).join(' ');
  const town = [textOf(address, 'city'), place].filter(Boolean).join(', ');
  const lines = ['streetAddress', 'extendedAddress', 'poBox'].map((key) => textOf(address, key));
  return [...lines, town, textOf(address, 'country')].filter(Boolean).join('\n');
}

const countryAliases: Readonly<Record<string, string>> = { uk: 'GB', usa: 'US' };
const englishNames = new Intl.DisplayNames('en', { type: 'region' });
const codesByName: ReadonlyMap<string, string> = new Map(
  getCountries().flatMap((code) => [
    [code.toLowerCase(), code],
    [(englishNames.of(code) ?? code).toLowerCase(), code],
  ]),
);

function codeOfCountry(country: string): string | undefined {
  const name = country.trim().toLowerCase();
  return countryAliases[name] ?? codesByName.get(name);
}
