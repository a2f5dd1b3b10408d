import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '../app.ts';
import { loadConfig, type Config } from '../config.ts';
import { startSandbox, type Sandbox } from '../sandbox/sandbox.ts';
import { createCommandEvents } from './command-events.ts';
import type { Book, BookContact } from './demo/book.ts';
import { createDemoClock } from './demo/clock.ts';
import { tellStory } from './demo/story.ts';
import type { ExitCode } from './exit-codes.ts';
import { listenForInterrupt } from './interrupt.ts';
import type { Terminal } from './terminal.ts';

const PEOPLE = 300;
const SEED = 7;
/** The same at both ends, and wide: the demo is not to wait for its pace. */
const REQUESTS_PER_MINUTE = 6000;

type MaybeText = string | null | undefined;

const toTexts = (values: readonly MaybeText[]): string[] => values.map((value) => value ?? '');
const valuesOf = (entries: readonly { readonly value?: MaybeText }[] = []): string[] =>
  toTexts(entries.map((entry) => entry.value));

type GooglePerson = ReturnType<Sandbox['google']['account']['people']>[number];

/** Labels of the user have hexadecimal ids; those of Google's own groups are words. */
const isLabel = (groupName: string): boolean => /^contactGroups\/[0-9a-f]+$/u.test(groupName);

const groupsOf = (person: GooglePerson): string[] =>
  toTexts((person.memberships ?? []).map((entry) => entry.contactGroupMembership?.contactGroupResourceName));

const currentJob = (person: GooglePerson) =>
  person.organizations?.find((organization) => organization.current) ?? person.organizations?.[0];

const readGooglePerson = (entry: GooglePerson, groupNames: ReadonlyMap<string, string>): BookContact => {
  const [name, job] = [entry.names?.[0], currentJob(entry)];
  const [firstName = '', lastName = ''] = toTexts([name?.givenName, name?.familyName]);
  const [company = '', title = ''] = toTexts([job?.name, job?.title]);
  return {
    id: entry.resourceName ?? '',
    firstName,
    lastName,
    company,
    title,
    emails: valuesOf(entry.emailAddresses),
    phones: valuesOf(entry.phoneNumbers),
    addresses: (entry.addresses ?? []).map(({ streetAddress, city, region, postalCode, country }) => {
      return toTexts([streetAddress, city, region, postalCode, country]).join(' ');
    }),
    websites: valuesOf(entry.urls),
    groups: groupsOf(entry).flatMap((id) => groupNames.get(id) ?? []),
  };
};

/** The Google account as its owner sees it in the web interface. */
const googleBook = ({ account }: Sandbox['google']): Book => {
  const idOf = (name: string): string => account.groups().find((group) => group.name === name)?.resourceName ?? '';
  const person = (id: string): GooglePerson => account.person(id) ?? {};
  return {
    contacts: () => {
      const names = new Map(account.groups().map((group) => [group.resourceName, group.name]));
      return account.people().map((entry) => readGooglePerson(entry, names));
    },
    groups: () => account.groups().map((group) => group.name),
    add: ({ firstName, lastName, company, title, emails, phones, groups }) => {
      const entry: GooglePerson = {
        names: [{ givenName: firstName, familyName: lastName }],
        organizations: [{ name: company, title }],
        emailAddresses: emails.map((value) => ({ value })),
        phoneNumbers: phones.map((value) => ({ value })),
      };
      account.createPerson(entry, { groups: ['contactGroups/myContacts', ...groups.map(idOf)] });
    },
    setTitle: (id, title) => {
      const job = currentJob(person(id));
      const others = (person(id).organizations ?? []).filter((organization) => organization !== job);
      account.updatePerson(id, { organizations: [{ ...job, title }, ...others] });
    },
    replaceEmail: (id, from, to) => {
      const emails = person(id).emailAddresses ?? [];
      const emailAddresses = emails.map((email) => (email.value === from ? { ...email, value: to } : email));
      account.updatePerson(id, { emailAddresses });
    },
    addPhone: (id, phone) => {
      account.updatePerson(id, { phoneNumbers: [...(person(id).phoneNumbers ?? []), { value: phone }] });
    },
    remove: (id) => account.deletePerson(id),
    setGroups: (id, names) => {
      const ownGroups = groupsOf(person(id)).filter((group) => !isLabel(group));
      account.setGroups(id, [...ownGroups, ...names.map(idOf)]);
    },
    renameGroup: (from, to) => account.renameGroup(idOf(from), to),
  };
};

/** The service's account as its user sees it in the web app. */
const serviceBook = ({ account }: Sandbox['service']): Book => {
  const idOf = (name: string): string => account.buckets().find((bucket) => bucket.name === name)?.id ?? '';
  return {
    contacts: () => {
      const names = new Map(account.buckets().map((bucket) => [bucket.id, bucket.name]));
      return account.contacts().map((entry) => ({
        id: entry.id,
        firstName: entry.first_name ?? '',
        lastName: entry.last_name ?? '',
        company: entry.company ?? '',
        title: entry.title ?? '',
        emails: entry.email_addresses.map((email) => email.address),
        phones: entry.phone_numbers.map((phone) => phone.number),
        addresses: entry.addresses.map(({ street_1, city, state, zip, country }) => {
          return toTexts([street_1, city, state, zip, country]).join(' ');
        }),
        websites: entry.websites.map((website) => website.address),
        groups: entry.bucketIds.flatMap((id) => names.get(id) ?? []),
      }));
    },
    groups: () => account.buckets().map((bucket) => bucket.name),
    add: ({ firstName, lastName, company, title, emails, phones, groups }) => {
      const fields = {
        first_name: firstName,
        last_name: lastName,
        company,
        title,
        email_addresses: emails.map((address) => ({ address })),
        phone_numbers: phones.map((number) => ({ number })),
      };
      account.createContact(fields, { bucketIds: groups.map(idOf) });
    },
    setTitle: (id, title) => void account.updateContact(id, { title }),
    replaceEmail: (id, from, to) => {
      const emails = account.contact(id)?.email_addresses ?? [];
      const changed = emails.map((email) => (email.address === from ? { ...email, address: to } : email));
      account.updateContact(id, { email_addresses: changed });
    },
    addPhone: (id, number) => {
      account.updateContact(id, { phone_numbers: [...(account.contact(id)?.phone_numbers ?? []), { number }] });
    },
    remove: (id) => void account.deleteContact(id),
    setGroups: (id, names) => void account.setBuckets(id, names.map(idOf)),
    renameGroup: (from, to) => void account.renameBucket(idOf(from), to),
  };
};

const prepareConfig = (sandbox: Sandbox, dataDir: string): Config => {
  const limit = `${REQUESTS_PER_MINUTE}/minute`;
  const limits = { SERVICE_RATE_LIMIT: limit, GOOGLE_READ_LIMIT: limit, GOOGLE_WRITE_LIMIT: limit };
  // Each run looks for deletions at the service; what it did is told by the story, not by the log.
  const manners = { SWEEP_INTERVAL: '1s', LOG_LEVEL: 'error' };
  return loadConfig({ env: { ...sandbox.environment(), ...limits, ...manners, DATA_DIR: dataDir }, cwd: dataDir });
};

/** `demo`: two address books, two syncs with edits between them, a check. Leaves nothing behind. */
export const demo = async (terminal: Terminal): Promise<ExitCode> => {
  using interrupt = listenForInterrupt();
  await using stack = new AsyncDisposableStack();
  const clock = createDemoClock();
  const sandbox = stack.use(
    await startSandbox({
      count: PEOPLE,
      seed: SEED,
      clock,
      serviceRateLimit: { requests: REQUESTS_PER_MINUTE, windowMs: 60_000 },
      googleQuotas: { readsPerMinute: REQUESTS_PER_MINUTE, writesPerMinute: REQUESTS_PER_MINUTE },
    }),
  );
  const dataDir = await mkdtemp(join(tmpdir(), 'contact-sync-demo-'));
  stack.defer(() => rm(dataDir, { recursive: true, force: true }));
  const config = prepareConfig(sandbox, dataDir);
  const app = stack.use(createApp(config, createCommandEvents(config, terminal, { json: false }), { clock }));
  const [link] = config.links;
  if (link === undefined) throw new Error('The sandbox describes no link.');
  const books = { google: googleBook(sandbox.google), service: serviceBook(sandbox.service) };
  return await tellStory({ terminal, books, clock, app, link, signal: interrupt.signal });
};
