import type { Clock } from '../../../src/util/clock.ts';
import { USUAL_FIELDS } from '../../../src/core/contact/contact.ts';
import { type ChosenFields } from '../../../src/core/contact/chosen.ts';
import { isExtraField } from '../../../src/core/contact/fields.ts';
import type { Remote } from '../../../src/providers/remote.ts';
import { createServiceRemote } from '../../../src/providers/service/service-remote.ts';
import type { ContactFields } from '../../../src/sandbox/service/contact-fields.ts';
import type { Fault } from '../../../src/sandbox/faults.ts';
import { startServiceEmulator, type ServiceEmulator } from '../../../src/sandbox/service/server.ts';
import { type Card, type Harness, type RequestKind, TROUBLES } from './harness.ts';
import { serviceSetting, type Variant } from './variant-sets.ts';
import { createLeapingClock } from '../clocks.ts';
import { openTransport } from '../network.ts';
import type { Transport } from '../../../src/net/transport.ts';

const REQUESTS: Readonly<Record<RequestKind, Pick<Fault, 'method' | 'path'>>> = {
  list: { method: 'GET', path: '/v2/contacts$' },
  read: { method: 'GET', path: '/v2/contacts/' },
  create: { method: 'POST', path: '/v2/contacts$' },
  update: { method: 'PATCH', path: '/v2/contacts/' },
  delete: { method: 'DELETE', path: '/v2/contacts/' },
};

const fieldsOf = ({ firstName, lastName, company, title, emails, phones }: Partial<Card>): ContactFields => ({
  ...(firstName !== undefined && { first_name: firstName }),
  ...(lastName !== undefined && { last_name: lastName }),
  ...(company !== undefined && { company }),
  ...(title !== undefined && { title }),
  ...(emails && { email_addresses: emails.map((address) => ({ address, label: 'work' })) }),
  ...(phones && { phone_numbers: phones.map((number) => ({ number, label: 'mobile' })) }),
});

const withoutIds = (entries: readonly object[]): object[] => entries.map((entry) => ({ ...entry, id: '' }));

/** The account as its owner sees and edits it. */
const ownerOf = ({ account }: ServiceEmulator) => {
  const seen = (id: string) => {
    const contact = account.contact(id);
    return contact === undefined || contact.archivedAtMs !== null ? null : contact;
  };
  return {
    add: (card, groupIds = []) => account.createContact(fieldsOf(card), { bucketIds: groupIds }).id,
    edit: (id, change) => void account.updateContact(id, fieldsOf(change)),
    remove: (id) => void account.deleteContact(id),
    merge: (survivorId, loserId) => void account.mergeContacts(survivorId, [loserId]),
    addGroup: (name) => account.createBucket({ name }).id,
    join: (id, groupId) => void account.addToBuckets(id, [groupId]),
    card: (id) => {
      const contact = seen(id);
      return (
        contact && {
          firstName: contact.first_name ?? '',
          lastName: contact.last_name ?? '',
          company: contact.company ?? '',
          title: contact.title ?? '',
          emails: contact.email_addresses.map(({ address }) => address),
          phones: contact.phone_numbers.map(({ number }) => number),
        }
      );
    },
    groupIdsOf: (id) => [...(seen(id)?.bucketIds ?? [])].toSorted(),
    ids: () =>
      account
        .contacts()
        .map(({ id }) => id)
        .filter((id) => seen(id) !== null),
    giveMore: (id) =>
      void account.updateContact(id, {
        avatar_url: 'https://example.org/avatar.png',
        tags: ['Golf', 'Sailing'],
        social_media_profiles: [{ label: 'network', url: 'https://social.example/ada' }],
        custom_field_values: [{ field: { id: 'custom_field_1' }, value: 'blue' }],
        custom_fields: [{ field: { id: 'custom_field_1' }, value: 'blue' }],
      }),
    more: (id) => {
      const contact = seen(id);
      if (contact === null) return null;
      const { avatar_url, tags, social_media_profiles, customFields, lastContactedAtMs } = contact;
      return { avatar_url, tags, profiles: withoutIds(social_media_profiles), customFields, lastContactedAtMs };
    },
    define: (names) => {
      const values = names.map((name) => ({ field: { id: account.customFields.define(name).id }, value: 'defined' }));
      account.createContact({
        first_name: 'Zoe',
        last_name: 'Carries',
        custom_field_values: values,
        custom_fields: values,
      });
    },
    writes: (field) => !isExtraField(field),
  } satisfies Partial<Harness>;
};

/** The service's adapter on an account of the service's emulator under these variants. */
export const openServiceHarness = async (variants: readonly Variant[]): Promise<Harness> => {
  const clock = createLeapingClock();
  const rateLimit = { requests: 100_000, windowMs: 60_000 };
  const emulator = await startServiceEmulator({ clock, variants: serviceSetting(variants), rateLimit });
  const { transport, close } = openTransport();
  const accessToken = emulator.issueToken();
  const connect = (token: string, fields?: ChosenFields): Remote =>
    connectService(emulator, token, { clock, transport, fields });
  return {
    remote: connect(accessToken),
    clock,
    moreThanAPage: 120,
    arrived: () => emulator.requests.length,
    arrivedToUpdate: () => emulator.requests.length,
    ...ownerOf(emulator),
    disturb: (kind, trouble) => emulator.addFault({ ...REQUESTS[kind], action: TROUBLES[trouble] }),
    refuseOne: (requests) => {
      emulator.addFault({ ...REQUESTS.create, skip: 1, action: { kind: 'status', status: 422 } });
      return [...requests];
    },
    hold: (kind, delayMs) => emulator.addFault({ ...REQUESTS[kind], action: { kind: 'delay', delayMs } }),
    limitTightly: () => emulator.setRateLimit({ requests: 1, windowMs: 1_000 }),
    revoke: () => emulator.revokeToken(accessToken),
    choosing: (fields) => connect(accessToken, fields),
    impostor: () => connect('never-issued'),
    [Symbol.asyncDispose]: async () => {
      await close();
      await emulator.close();
    },
  };
};

type Parts = { readonly clock: Clock; readonly transport: Transport; readonly fields: ChosenFields | undefined };

const connectService = (
  emulator: ServiceEmulator,
  accessToken: string,
  { clock, transport, fields = USUAL_FIELDS }: Parts,
): Remote =>
  createServiceRemote({
    fields,
    baseUrl: emulator.url,
    accessToken,
    transport,
    clock,
    random: () => 0.5,
    requestCount: () => emulator.requests.length,
    timeToSendMs: () => 0,
    maxElapsedMs: 600_000,
  });
