import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { people, type people_v1 } from '@googleapis/people';
import { OAuth2Client } from 'google-auth-library';
import { afterAll, describe, expect, test } from 'vitest';
import type { GoogleAccount } from '../../src/sandbox/google/account.ts';
import { operations } from '../../src/sandbox/google/operations.ts';
import type { Person } from '../../src/sandbox/google/person-schema.ts';
import { startGoogleEmulator } from '../../src/sandbox/google/server.ts';
import { GOOGLE_VARIANTS, googleSetting, titleOf, type Variant } from '../support/contract/variant-sets.ts';

/** The fields of one of the official client's types, each with its type as it is written there. */
type Fields = ReadonlyMap<string, string>;
type GoogleTypes = ReadonlyMap<string, Fields>;

const INTERFACE = /^ {4}export interface Schema\$(\w+) \{\n([\s\S]*?)^ {4}\}$/gmu;
/** A field whose type is an object written out ends at the brace of its own depth. */
const FIELD = /^ {8}(\w+)\?: ((?:Array<)?\{[\s\S]*?^ {8}\}[^;]*|[^;{]+);$/gmu;
const COMMENT = /\/\*\*[\s\S]*?\*\//gu;

const packageFolder = (): string => dirname(createRequire(import.meta.url).resolve('@googleapis/people'));

const readSource = (): string => readFileSync(join(packageFolder(), 'v1.d.ts'), 'utf8').replaceAll(COMMENT, '');

/** A deprecated parameter, which the emulator does not have. */
const LEGACY = 'requestMask.includeField';

const PARAMETERS =
  /^ {4}export interface Params\$Resource\$[\w$]+ extends StandardParameters \{\n([\s\S]*?)^ {4}\}$/gmu;
const PARAMETER = /^ {8}'?([\w.]+)'?\?: /gmu;

/** The query parameters of each method of the official client, without path and body. */
const readGoogleParameters = (): readonly (readonly string[])[] =>
  [...readSource().matchAll(PARAMETERS)].map(([, body = '']) => {
    const names = [...body.matchAll(PARAMETER)].map(([, name = '']) => name);
    return names.filter((name) => name !== 'resourceName' && name !== 'requestBody');
  });

/** Reads the types of the official client as they are installed: they are the published fields of the API. */
const readGoogleTypes = (): GoogleTypes => {
  const types = [...readSource().matchAll(INTERFACE)].map(([, name = '', body = '']) => {
    const fields = [...body.matchAll(FIELD)].map(([, field = '', type = '']) => {
      return [field, type.replaceAll(/\s+/gu, ' ').replace(/ \| null$/u, '')] as const;
    });
    return [name, new Map(fields)] as const;
  });
  return new Map(types);
};

const MAP = /^\{ \[key: string\]: (.+); \}$/u;
const LIST = /^(?:Array<(.+)>|(.+)\[\])$/u;

/** The paths at which an answer does not match its type, with the problem. Null is never sent. */
const findStrangers = (types: GoogleTypes, type: string, value: unknown, path = type): string[] => {
  if (value === null || value === undefined) return [`${path} is ${String(value)}`];
  if (type === 'any') return [];
  const list = LIST.exec(type);
  if (list !== null) {
    if (!Array.isArray(value)) return [`${path} is no list`];
    return value.flatMap((item, index) => findStrangers(types, list[1] ?? list[2] ?? '', item, `${path}[${index}]`));
  }
  if (typeof value !== 'object') return typeof value === type ? [] : [`${path} is a ${typeof value}, not ${type}`];
  const map = MAP.exec(type);
  const fields = types.get(type.replace('Schema$', ''));
  if (map === null && fields === undefined) return [`${path} is an object, not ${type}`];
  return Object.entries(value).flatMap(([key, inner]) => {
    const innerType = map?.[1] ?? fields?.get(key);
    return innerType === undefined
      ? [`${path}.${key} is no field`]
      : findStrangers(types, innerType, inner, `${path}.${key}`);
  });
};

const types = readGoogleTypes();

/** A value for every field of a contact that can be written. */
const RICH: Person = {
  names: [
    { givenName: 'Ada', middleName: 'Augusta', familyName: 'King', honorificPrefix: 'Lady', phoneticGivenName: 'Eyda' },
  ],
  nicknames: [{ value: 'Countess' }],
  birthdays: [{ date: { year: 1815, month: 12, day: 10 } }],
  addresses: [
    { streetAddress: '1 Main', city: 'Paris', region: 'IDF', postalCode: '75001', country: 'France', type: 'home' },
  ],
  emailAddresses: [{ value: 'ada@example.org', type: 'work', displayName: 'Ada' }, { value: 'ada@example.net' }],
  phoneNumbers: [{ value: '(830) 285-9851', type: 'mobile' }],
  biographies: [{ value: 'Notes' }],
  urls: [{ value: 'https://ada.example', type: 'blog' }],
  organizations: [{ name: 'Engines', title: 'Analyst', department: 'Numbers', current: true, type: 'work' }],
  events: [{ date: { month: 7, day: 8 }, type: 'anniversary' }],
  imClients: [{ username: 'ada', protocol: 'jabber', type: 'home' }],
  relations: [{ person: 'Annabella', type: 'mother' }],
  userDefined: [{ key: 'colour', value: 'blue' }],
  sipAddresses: [{ value: 'sip:ada@example.org', type: 'work' }],
  calendarUrls: [{ url: 'https://calendar.example', type: 'home' }],
  clientData: [{ key: 'key', value: 'value' }],
  externalIds: [{ value: '42', type: 'customer' }],
  fileAses: [{ value: 'King, Ada' }],
  genders: [{ value: 'female' }],
  interests: [{ value: 'engines' }],
  locales: [{ value: 'en' }],
  locations: [{ value: 'Desk', type: 'desk', current: true }],
  miscKeywords: [{ value: 'keyword', type: 'OUTLOOK_USER' }],
  occupations: [{ value: 'Analyst' }],
};
const FIELDS = Object.keys(RICH).join(',');
const personFields = `${FIELDS},metadata,memberships,photos`;

const calledOperations = new Set<number>();

const open = async (variants: readonly Variant[]) => {
  const quotas = { readsPerMinute: 10_000, writesPerMinute: 10_000 };
  const emulator = await startGoogleEmulator({ quotas, variants: googleSetting(variants) });
  const { clientId, clientSecret, tokenUrl } = emulator;
  const auth = new OAuth2Client({ clientId, clientSecret, endpoints: { oauth2TokenUrl: tokenUrl } });
  auth.setCredentials({ refresh_token: emulator.issueRefreshToken() });
  const api = people({ version: 'v1', auth, rootUrl: emulator.url, retry: false });
  const close = async (): Promise<void> => {
    for (const { method, path } of emulator.requests) {
      calledOperations.add(
        operations.findIndex((operation) => operation.method === method && operation.path.test(path)),
      );
    }
    await emulator.close();
  };
  return { emulator, api, [Symbol.asyncDispose]: close };
};

/** An answer, with the name of its type in the official client. */
type TypedAnswer = { readonly type: string; readonly data: unknown };
type Note = <Data extends object>(type: TypedAnswer['type'], answer: { data: Data }) => Data;

/** Calls every method of the emulator and returns the answers. */
const walk = async (api: people_v1.People, account: GoogleAccount): Promise<readonly TypedAnswer[]> => {
  const seenAnswers: TypedAnswer[] = [];
  const note: Note = (type, { data }) => {
    seenAnswers.push({ type, data });
    return data;
  };
  await walkContacts(api, account, note);
  return seenAnswers;
};

const walkContacts = async (api: people_v1.People, account: GoogleAccount, note: Note): Promise<void> => {
  const { resourceName: group = '' } = note(
    'ContactGroup',
    await api.contactGroups.create({
      requestBody: { contactGroup: { name: 'Friends', clientData: [{ key: 'k', value: 'v' }] } },
    }),
  ) as { resourceName?: string };
  const listing = { resourceName: 'people/me', personFields, requestSyncToken: true };
  const { nextSyncToken } = note('ListConnectionsResponse', await api.people.connections.list(listing));
  const ada = note('Person', await api.people.createContact({ personFields, requestBody: RICH }));
  const resourceName = ada.resourceName ?? '';
  const created = note(
    'BatchCreateContactsResponse',
    await api.people.batchCreateContacts({
      requestBody: {
        contacts: [{ contactPerson: RICH }, { contactPerson: RICH }, { contactPerson: RICH }],
        readMask: personFields,
      },
    }),
  );
  const [ben, cid, dot] = (created.createdPeople ?? []).map(({ person }) => person);
  note(
    'ModifyContactGroupMembersResponse',
    await api.contactGroups.members.modify({
      resourceName: group,
      requestBody: { resourceNamesToAdd: [resourceName, 'people/c1'] },
    }),
  );
  // Under a variant the first read after a write returns the state before the write: here, no contact.
  await api.people.get({ resourceName, personFields }).catch(() => null);
  const { metadata } = note('Person', await api.people.get({ resourceName, personFields }));
  note(
    'Person',
    await api.people.updateContact({
      resourceName,
      updatePersonFields: 'names',
      personFields,
      requestBody: { ...(metadata && { metadata }), names: [{ givenName: 'Augusta' }] },
    }),
  );
  const updates = Object.fromEntries([ben, cid].map((person) => [person?.resourceName ?? '', person ?? {}]));
  note(
    'BatchUpdateContactsResponse',
    await api.people.batchUpdateContacts({
      requestBody: { contacts: updates, updateMask: 'nicknames', readMask: personFields },
    }),
  );
  note(
    'GetPeopleResponse',
    await api.people.getBatchGet({ resourceNames: [resourceName, 'people/me', 'people/c1'], personFields }),
  );
  account.mergePeople(resourceName, [dot?.resourceName ?? '']);
  await api.people.deleteContact({ resourceName: ben?.resourceName ?? '' }).then((answer) => note('Empty', answer));
  note('Empty', await api.people.batchDeleteContacts({ requestBody: { resourceNames: [cid?.resourceName ?? ''] } }));
  note(
    'ListConnectionsResponse',
    await api.people.connections.list({ ...listing, ...(nextSyncToken && { syncToken: nextSyncToken }) }),
  );
  note('ListConnectionsResponse', await api.people.connections.list({ ...listing, pageSize: 1 }));
  note(
    'ListContactGroupsResponse',
    await api.contactGroups.list({ groupFields: 'clientData,groupType,memberCount,metadata,name' }),
  );
  const held = note('ContactGroup', await api.contactGroups.get({ resourceName: group, maxMembers: 10 }));
  note(
    'ContactGroup',
    await api.contactGroups.update({
      resourceName: group,
      requestBody: { contactGroup: { ...(held.etag && { etag: held.etag }), name: 'Family' } },
    }),
  );
  note('Empty', await api.contactGroups.delete({ resourceName: group }));
};

test('each method of the emulator has the parameters of a method of the official client', () => {
  const signature = (names: readonly string[]): string => names.toSorted().join(' ');
  const official = new Set(readGoogleParameters().map((names) => signature(names.filter((name) => name !== LEGACY))));
  expect(operations).toHaveLength(15);
  expect(operations.map(({ parameters }) => signature(parameters)).filter((each) => !official.has(each))).toEqual([]);
});

describe("answers of the emulator have exactly the fields of the official client's types", () => {
  test('the types are read from the installed client', () => {
    expect(types.get('Person')?.get('emailAddresses')).toBe('Schema$EmailAddress[]');
    expect(types.get('BatchUpdateContactsResponse')?.get('updateResult')).toContain('Schema$PersonResponse');
    expect(findStrangers(types, 'Schema$Person', { names: [{ first: 'Ada' }], etag: 1 })).toEqual([
      'Schema$Person.names[0].first is no field',
      'Schema$Person.etag is a number, not string',
    ]);
  });

  test.each(
    [[], ...GOOGLE_VARIANTS.map((variant) => [variant])].map((variants) => ({
      variants,
      title: variants.map(titleOf).join('') || 'defaults',
    })),
  )('$title', async ({ variants }) => {
    await using stage = await open(variants);
    const seenAnswers = await walk(stage.api, stage.emulator.account);
    expect(seenAnswers.flatMap(({ type, data }) => findStrangers(types, `Schema$${type}`, data))).toEqual([]);
  });

  afterAll(() => {
    expect(
      operations
        .filter((_operation, index) => !calledOperations.has(index))
        .map(({ method, path }) => `${method} ${path.source}`),
    ).toEqual([]);
  });
});
