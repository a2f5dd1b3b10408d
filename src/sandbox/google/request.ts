import type { z } from 'zod';
import { badRequest, invalidArgument } from './api-error.ts';
import { type PersonField, readFields, updatableFields } from './person-schema.ts';
import type { ReadSelection } from './person-view.ts';
import type { Operation } from './world.ts';

/** The query parameters of every method of a Google API (the system parameters). */
const standardParameters: ReadonlySet<string> = new Set([
  '$.xgafv',
  'access_token',
  'alt',
  'callback',
  'key',
  'oauth_token',
  'prettyPrint',
  'quotaUser',
  'uploadType',
  'upload_protocol',
]);

/** Throws the 400 for a query parameter that the method does not have. */
export function checkParameters(query: URLSearchParams, { parameters }: Operation): void {
  const names = new Set(query.keys());
  const unknown = [...names].filter((name) => !standardParameters.has(name) && !parameters.includes(name));
  if (unknown.length === 0) return;
  const descriptions = unknown.map(
    (name) =>
      `Invalid JSON payload received. Unknown name "${name}": Cannot bind query parameter. ` +
      `Field '${name}' could not be found in request message.`,
  );
  throw invalidArgument(descriptions.join('\n'), badRequest(descriptions.map((description) => ({ description }))));
}

const documentation = 'https://developers.google.com/people/api/rest/v1';
const sourceTypes: ReadonlySet<string> = new Set([
  'READ_SOURCE_TYPE_UNSPECIFIED',
  'READ_SOURCE_TYPE_PROFILE',
  'READ_SOURCE_TYPE_CONTACT',
  'READ_SOURCE_TYPE_DOMAIN_CONTACT',
  'READ_SOURCE_TYPE_OTHER_CONTACT',
]);

/** Returns the required read mask and the sources to read. Throws the 400 for a missing or unknown path. */
export function requiredSelection(query: URLSearchParams): ReadSelection {
  const selection = optionalSelection(query.get('personFields'), 'personFields', query.getAll('sources'));
  return selection ?? missingMask('personFields', 'people/get');
}

/** Like {@link requiredSelection}, but a missing mask means every field, as after createContact and updateContact. */
export function selectionOrAll(query: URLSearchParams): ReadSelection {
  const sources = query.getAll('sources');
  const selection = optionalSelection(query.get('personFields'), 'personFields', sources);
  return selection ?? { mask: new Set(readFields), ...readSources(sources) };
}

/** Returns the selection of a write's answer; undefined without a mask, which skips the read after the write. */
export function optionalSelection(
  mask: string | null | undefined,
  parameter: 'personFields' | 'readMask',
  sources: readonly string[],
): ReadSelection | undefined {
  const fields = readMask(mask, parameter, readFields, 'people/get');
  return fields && { mask: fields, ...readSources(sources) };
}

/** Returns the fields that an update replaces. Throws the 400 for a missing or unknown path. */
export function updateMask(mask: string | null | undefined, parameter: string): ReadonlySet<PersonField> {
  const page = 'people/updateContact';
  return readMask(mask, parameter, updatableFields, page) ?? missingMask(parameter, page);
}

/**
 * Returns the fields in a mask; undefined without a mask. Throws the 400 for an unknown path.
 * @param page the reference page with the valid fields, for the text of the refusal
 */
export function readMask<Field extends string>(
  mask: string | null | undefined,
  parameter: string,
  valid: readonly Field[],
  page: string,
): ReadonlySet<Field> | undefined {
  const paths = (mask ?? '').split(',').map((path) => path.trim());
  const fields = paths.filter(Boolean).map((path) => {
    const field = valid.find((name) => name === path);
    if (field) return field;
    const message = `Invalid ${parameter} mask path: "${path}". Valid paths are documented at ${documentation}/${page}.`;
    throw invalidArgument(message);
  });
  return fields.length > 0 ? new Set(fields) : undefined;
}

function missingMask(parameter: string, page: string): never {
  throw invalidArgument(
    `${parameter} mask is required. Please specify one or more valid paths. Valid paths are documented at ` +
      `${documentation}/${page}.`,
  );
}

/** Returns a whole number in the query, within bounds; `fallback` if it is missing or 0. */
export function readSize(query: URLSearchParams, name: string, maximum: number, fallback: number): number {
  const text = query.get(name) ?? '0';
  const size = Number(text);
  if (!Number.isInteger(size) || size < 0) throw invalidArgument(`Invalid value at '${name}' (TYPE_INT32), "${text}"`);
  if (size > maximum) throw invalidArgument(`${name} must be between 1 and ${maximum}, inclusive.`);
  return size === 0 ? fallback : size;
}

/** Returns the requested sources, or all of them. Throws the 400 for an unknown source. */
function readSources(sources: readonly string[]): Pick<ReadSelection, 'contact' | 'profile'> {
  const names = sources.flatMap((source) => source.split(','));
  const unknown = names.find((name) => !sourceTypes.has(name));
  if (unknown !== undefined) throw invalidArgument(`Invalid value at 'sources' (ReadSourceType), "${unknown}"`);
  const chosen = names.filter((name) => name !== 'READ_SOURCE_TYPE_UNSPECIFIED');
  if (chosen.length === 0) return { contact: true, profile: true };
  return {
    contact: chosen.includes('READ_SOURCE_TYPE_CONTACT'),
    profile: chosen.includes('READ_SOURCE_TYPE_PROFILE'),
  };
}

/**
 * Parses a JSON body as Google's parser does: null means absent, and unknown names and wrong types are a 400 with the place.
 */
export function readBody<Body>(schema: z.ZodType<Body>, body: unknown, root: string): Body {
  const parsed = schema.safeParse(withoutNulls(body ?? {}));
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const place = [root, ...(issue?.path ?? [])].map(String).join('.');
  const description =
    issue?.code === 'unrecognized_keys'
      ? `Invalid JSON payload received. Unknown name "${issue.keys[0]}" at '${place}': Cannot find field.`
      : `Invalid value at '${place}': ${issue?.message ?? 'unreadable'}.`;
  throw invalidArgument(description, badRequest([{ field: place, description }]));
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const present = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(present.map(([key, member]) => [key, withoutNulls(member)]));
}
