import type { Clock } from '../../../src/util/clock.ts';
import { USUAL_FIELDS } from '../../../src/core/contact/contact.ts';
import { type ChosenFields } from '../../../src/core/contact/chosen.ts';
import { createGoogleRemote } from '../../../src/providers/google/google-remote.ts';
import { google } from '../../../src/providers/google/provider.ts';
import type { Remote } from '../../../src/providers/remote.ts';
import { groupsOf } from '../../../src/sandbox/google/account.ts';
import type { Fault } from '../../../src/sandbox/faults.ts';
import type { Person } from '../../../src/sandbox/google/person-schema.ts';
import { startGoogleEmulator, type GoogleEmulator } from '../../../src/sandbox/google/server.ts';
import { type Card, type Harness, type RequestKind, TROUBLES } from './harness.ts';
import { googleSetting, type Variant } from './variant-sets.ts';
import { createLeapingClock } from '../clocks.ts';
import { openTransport } from '../network.ts';
import type { Transport } from '../../../src/net/transport.ts';

const MY_CONTACTS = 'contactGroups/myContacts';

const REQUESTS: Readonly<Record<RequestKind, Pick<Fault, 'method' | 'path'>>> = {
  list: { method: 'GET', path: /people\/me\/connections/u },
  read: { method: 'GET', path: /people:batchGet/u },
  create: { method: 'POST', path: /people:batchCreateContacts/u },
  update: { method: 'POST', path: /people:batchUpdateContacts/u },
  delete: { method: 'POST', path: /people:batchDeleteContacts/u },
};

/** Google names no time after which a request may be repeated. */
const FAULTS = { ...TROUBLES, limited: { kind: 'status', status: 429 } } as const;

const personOf = ({ firstName, lastName, company, title, emails, phones }: Partial<Card>): Person => ({
  ...((firstName ?? lastName) !== undefined && {
    names: [{ givenName: firstName ?? null, familyName: lastName ?? null }],
  }),
  ...((company ?? title) !== undefined && { organizations: [{ name: company ?? null, title: title ?? null }] }),
  ...(emails && { emailAddresses: emails.map((value) => ({ value, type: 'work' })) }),
  ...(phones && { phoneNumbers: phones.map((value) => ({ value, type: 'mobile' })) }),
});

const cardOfPerson = (person: Person): Card => ({
  firstName: person.names?.[0]?.givenName ?? '',
  lastName: person.names?.[0]?.familyName ?? '',
  company: person.organizations?.[0]?.name ?? '',
  title: person.organizations?.[0]?.title ?? '',
  emails: (person.emailAddresses ?? []).map(({ value }) => value ?? ''),
  phones: (person.phoneNumbers ?? []).map(({ value }) => value ?? ''),
});

/** Everything but what the canonical contact expresses and what Google computes itself. */
const unmapped = (person: Person): object => ({
  names: person.names?.map(({ middleName, phoneticGivenName }) => ({ middleName, phoneticGivenName })),
  departments: person.organizations?.map(({ department }) => department),
  furtherOrganizations: person.organizations?.slice(1).map(({ name, title }) => ({ name, title })),
  emailNames: person.emailAddresses?.map(({ displayName }) => displayName ?? null).filter((name) => name !== null),
  birthdays: person.birthdays,
  biographies: person.biographies,
  nicknames: person.nicknames,
  relations: person.relations,
  userDefined: person.userDefined,
  isStarred: groupsOf(person)?.includes('contactGroups/starred'),
});

/** The account as its owner sees and edits it. */
const ownerOf = ({ account }: GoogleEmulator) => {
  const groupIdsOf = (id: string): string[] => groupsOf(account.person(id) ?? {}) ?? [];
  return {
    add: (card, groupIds = []) => account.createPerson(personOf(card), { groups: [MY_CONTACTS, ...groupIds] }),
    edit: (id, change) => {
      const known = cardOfPerson(account.person(id) ?? {});
      account.updatePerson(id, personOf({ ...known, ...change }));
    },
    remove: (id) => account.deletePerson(id),
    merge: (survivorId, loserId) => account.mergePeople(survivorId, [loserId]),
    addGroup: (name) => account.createGroup(name),
    join: (id, groupId) => account.setGroups(id, [...groupIdsOf(id), groupId]),
    card: (id) => {
      const person = account.person(id);
      return person === undefined ? null : cardOfPerson(person);
    },
    groupIdsOf: (id) => {
      const own = new Set(account.groups().map(({ resourceName }) => resourceName));
      return groupIdsOf(id)
        .filter((group) => own.has(group))
        .toSorted();
    },
    ids: () => account.people().flatMap(({ resourceName }) => resourceName ?? []),
    giveMore: (id) => {
      const person = account.person(id) ?? {};
      account.updatePerson(id, {
        names: [{ ...person.names?.[0], middleName: 'Augusta', phoneticGivenName: 'Eyda' }],
        organizations: [
          { ...person.organizations?.[0], department: 'Engines' },
          { name: 'Second', title: 'Patron' },
        ],
        emailAddresses: (person.emailAddresses ?? []).map((email) => ({ ...email, displayName: 'Ada at work' })),
        birthdays: [{ date: { year: 1815, month: 12, day: 10 } }],
        biographies: [{ value: 'Notes', contentType: 'TEXT_PLAIN' }],
        nicknames: [{ value: 'Countess' }],
        relations: [{ person: 'Annabella', type: 'mother' }],
        userDefined: [{ key: 'colour', value: 'blue' }],
      });
      account.setGroups(id, [...groupIdsOf(id), 'contactGroups/starred']);
    },
    more: (id) => unmapped(account.person(id) ?? {}),
    define: () => {},
    writes: (field) => !google.readOnlyFields.includes(field),
  } satisfies Partial<Harness>;
};

/** Google's adapter on an account of Google's emulator under these variants. */
export const openGoogleHarness = async (variants: readonly Variant[]): Promise<Harness> => {
  const clock = createLeapingClock();
  const quotas = { readsPerMinute: 100_000, writesPerMinute: 100_000 };
  const emulator = await startGoogleEmulator({ clock, variants: googleSetting(variants), quotas });
  const { transport, close } = openTransport();
  const connect = (clientSecret: string, fields?: ChosenFields): Remote =>
    connectGoogle(emulator, clientSecret, { clock, transport, fields });
  return {
    remote: connect(emulator.clientSecret),
    clock,
    moreThanAPage: 1_020,
    arrived: () => emulator.requests.length,
    arrivedToUpdate: () => emulator.requests.length,
    ...ownerOf(emulator),
    disturb: (kind, trouble) => emulator.addFault({ ...REQUESTS[kind], action: FAULTS[trouble] }),
    refuseOne: (requests) =>
      requests.map((request, index) => (index === 1 ? { ...request, groupIds: ['contactGroups/dead'] } : request)),
    hold: (kind, delayMs) => emulator.addFault({ ...REQUESTS[kind], action: { kind: 'delay', delayMs } }),
    limitTightly: () => emulator.setQuotas({ readsPerMinute: 1, writesPerMinute: 1 }),
    revoke: () => emulator.revokeAllTokens(),
    choosing: (fields) => connect(emulator.clientSecret, fields),
    impostor: () => connect('never-the-secret'),
    [Symbol.asyncDispose]: async () => {
      await close();
      await emulator.close();
    },
  };
};

type Parts = { readonly clock: Clock; readonly transport: Transport; readonly fields: ChosenFields | undefined };

const connectGoogle = (
  emulator: GoogleEmulator,
  clientSecret: string,
  { clock, transport, fields = USUAL_FIELDS }: Parts,
): Remote =>
  createGoogleRemote({
    fields,
    rootUrl: emulator.url,
    tokenUrl: emulator.tokenUrl,
    clientId: emulator.clientId,
    clientSecret,
    refreshToken: emulator.issueRefreshToken(),
    transport,
    clock,
    random: () => 0.5,
    requestCount: () => emulator.requests.length,
    timeToSendMs: () => 0,
    maxElapsedMs: 600_000,
  });
