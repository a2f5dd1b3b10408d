import { groupsOf } from '../../../src/sandbox/google/account.ts';
import type { Person } from '../../../src/sandbox/google/person-schema.ts';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import type { ContactFields } from '../../../src/sandbox/service/contact-fields.ts';
import type { LinkedSandbox } from '../linked-sandbox.ts';

/** One contact that stands on both sides, found by its email address. */
type Twin = { readonly email: string; readonly googleId: string; readonly serviceId: string };

/** What the scenario left to be looked for: values that must stand on both sides, and those that must stand on none. */
export type Marks = { readonly kept: readonly string[]; readonly gone: readonly string[] };

/** Longer than the deepest lag of a variant, and than the interval of the sweep that the scenario is run with. */
export const BETWEEN_RUNS_MS = 15 * 60_000;
export const SWEEP_INTERVAL = '10m';

const emailKey = (email: string | null | undefined): string => (email ?? '').trim().toLowerCase();

const twinsOf = ({ google, service }: Sandbox): Twin[] => {
  const byEmail = Map.groupBy(
    service.account.contacts().filter((contact) => contact.archivedAtMs === null && !contact.isTeamContact),
    (contact) => emailKey(contact.email_addresses[0]?.address),
  );
  const people = Map.groupBy(google.account.people(), (person) => emailKey(person.emailAddresses?.[0]?.value));
  return [...people].flatMap(([email, [person, ...namesakes]]) => {
    const [contact, ...others] = byEmail.get(email) ?? [];
    const isAlone = namesakes.length === 0 && others.length === 0;
    if (email === '' || person === undefined || contact === undefined || !isAlone) return [];
    return [{ email, googleId: person.resourceName ?? '', serviceId: contact.id }];
  });
};

const googleEdits = ({ google }: Sandbox, twins: readonly Twin[]): void => {
  const { account } = google;
  const person = (index: number): Person => account.person(twins[index]?.googleId ?? '') ?? {};
  const edit = (index: number, change: (person: Person) => Person): void => {
    account.updatePerson(twins[index]?.googleId ?? '', change(person(index)));
  };
  edit(0, ({ organizations = [] }) => ({
    organizations: [{ ...organizations[0], title: 'Edited at Google' }, ...organizations.slice(1)],
  }));
  edit(1, ({ emailAddresses = [] }) => ({
    emailAddresses: [...emailAddresses, { value: 'added.google@example.org', type: 'other' }],
  }));
  edit(2, ({ urls = [] }) => ({ urls: [...urls, { value: 'https://google-edit.example.org', type: 'work' }] }));
  account.deletePerson(twins[3]?.googleId ?? '');
  const label = account.createGroup('Label of Google');
  account.setGroups(twins[4]?.googleId ?? '', [...(groupsOf(person(4)) ?? []), label]);
  account.createPerson(
    {
      names: [{ givenName: 'New', familyName: 'From Google' }],
      emailAddresses: [{ value: 'new.google@example.org', type: 'home' }],
    },
    { groups: ['contactGroups/myContacts', label] },
  );
};

const serviceEdits = ({ service }: Sandbox, twins: readonly Twin[], isMerging: boolean): void => {
  const { account } = service;
  const id = (index: number): string => twins[index]?.serviceId ?? '';
  // Where the service adds what is sent to what it has, its user interface sends only what is new.
  const added = <Entry>(held: readonly Entry[] | undefined, entry: Entry) => [
    ...(isMerging ? [] : (held ?? [])),
    entry,
  ];
  const edit = (index: number, fields: ContactFields): void => void account.updateContact(id(index), fields);
  edit(5, { company: 'Edited at the service' });
  edit(6, {
    email_addresses: added(account.contact(id(6))?.email_addresses.map(({ id: entryId, label, address }) => {
      return { id: entryId, label, address };
    }), { address: 'added.service@example.org', label: 'other' }),
  });
  edit(0, {
    websites: added(account.contact(id(0))?.websites.map(({ id: entryId, label, address }) => {
      return { id: entryId, label, address };
    }), { address: 'https://service-edit.example.org', label: 'work' }),
  });
  account.deleteContact(id(7));
  const bucket = account.createBucket({ name: 'Bucket of the service' });
  account.addToBuckets(id(8), [bucket.id]);
  account.createContact(
    {
      first_name: 'New',
      last_name: 'From Service',
      email_addresses: [{ address: 'new.service@example.org', label: 'Home' }],
    },
    { bucketIds: [bucket.id] },
  );
};

const TWINS_NEEDED = 9;

/** Edits, deletions, new contacts and groups of an owner of both accounts, different contacts on either side and one on both. */
export const editBothSides = (sandbox: Sandbox, isMerging: boolean): Marks => {
  const twins = twinsOf(sandbox);
  if (twins.length < TWINS_NEEDED) throw new Error(`Only ${twins.length} contacts stand on both sides.`);
  googleEdits(sandbox, twins);
  serviceEdits(sandbox, twins, isMerging);
  return {
    kept: [
      'Edited at Google',
      'added.google@example.org',
      'google-edit.example.org',
      'Label of Google',
      'new.google@example.org',
      'Edited at the service',
      'added.service@example.org',
      'service-edit.example.org',
      'Bucket of the service',
      'new.service@example.org',
      ...twins.flatMap(({ email }, index) => (index === 3 || index === 7 ? [] : [email])),
    ],
    gone: [twins[3]?.email ?? '', twins[7]?.email ?? ''],
  };
};

/** Takes the contacts that the service only archived out of its account: nobody sees them in a list. */
export const dropArchived = ({ service }: Sandbox): void => {
  for (const contact of service.account.contacts()) {
    if (contact.archivedAtMs !== null) service.account.book.remove(contact, { kind: 'deleted', record: contact });
  }
};

/** How many contacts a run wrote on both sides. */
export const writesOf = ({ summary }: Awaited<ReturnType<LinkedSandbox['sync']>>): number =>
  [summary.google, summary.service].reduce((sum, side) => sum + side.created + side.updated + side.deleted, 0);
