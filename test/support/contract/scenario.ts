import { groupsOf } from '../../../src/sandbox/google/account.ts';
import type { Person } from '../../../src/sandbox/google/person-schema.ts';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { createRandom, type Random } from '../../../src/sandbox/people/random.ts';
import type { LinkedSandbox } from '../linked-sandbox.ts';
import { GOOGLE_VARIANTS, SERVICE_VARIANTS, type Variant } from './variant-sets.ts';

/** One contact that is on both sides, found by its email address. */
type Twin = { readonly email: string; readonly googleId: string; readonly serviceId: string };

/** The expected results of the scenario. */
export type Marks = {
  /** Stand on both sides. */
  readonly kept: readonly string[];
  /** Stand at Google, whatever the service takes of them. */
  readonly keptAtGoogle: readonly string[];
  /** Stand on neither side. */
  readonly gone: readonly string[];
};

/** Longer than any lag of a variant and than the sweep's interval; the whole scenario is over before a token is an hour old. */
export const BETWEEN_RUNS_MS = 11 * 60_000;
export const SWEEP_INTERVAL = '10m';

const emailKey = (email: string | null | undefined): string => (email ?? '').trim().toLowerCase();

const twinsOf = ({ google, service }: Sandbox): Twin[] => {
  const byEmail = Map.groupBy(
    service.account.contacts().filter((contact) => contact.archivedAtMs === null),
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

/** Returns the next unused contact that is on both sides and matches. */
const createPool = (sandbox: Sandbox) => {
  const left = twinsOf(sandbox);
  return (fits: (person: Person) => boolean = () => true): Twin => {
    const index = left.findIndex(({ googleId }) => fits(sandbox.google.account.person(googleId) ?? {}));
    const [twin] = index < 0 ? [] : left.splice(index, 1);
    if (twin === undefined) throw new Error('No contact is left that exists on both sides and fits the edit.');
    return twin;
  };
};
type Take = ReturnType<typeof createPool>;

const LONG_TEXT = `Company of a name beyond 255 letters ${'x'.repeat(260)}`;

const googleEdits = ({ google }: Sandbox, take: Take): Marks => {
  const { account } = google;
  const edit = ({ googleId }: Twin, change: (person: Person) => Person): void => {
    account.updatePerson(googleId, change(account.person(googleId) ?? {}));
  };
  edit(take(), ({ emailAddresses = [] }) => ({
    emailAddresses: [...emailAddresses, { value: 'added.google@example.org', type: 'other' }],
  }));
  edit(take(), ({ urls = [] }) => ({ urls: [...urls, { value: 'https://google-edit.example.org', type: 'work' }] }));
  edit(take(), () => ({ organizations: [{ name: LONG_TEXT, title: 'Long' }] }));
  edit(
    take(({ organizations }) => (organizations?.[0]?.title ?? '') !== ''),
    () => ({ organizations: [] }),
  );
  edit(
    take(({ phoneNumbers = [] }) => phoneNumbers.length > 0),
    () => ({ phoneNumbers: [] }),
  );
  edit(
    take(({ emailAddresses = [] }) => emailAddresses.length > 1),
    ({ emailAddresses = [] }) => ({ emailAddresses: emailAddresses.slice(0, 1) }),
  );
  const deleted = take();
  account.deletePerson(deleted.googleId);
  const label = account.createGroup('Label of Google');
  const labelled = take();
  account.setGroups(labelled.googleId, [...(groupsOf(account.person(labelled.googleId) ?? {}) ?? []), label]);
  const [oldest] = account.groups();
  if (oldest !== undefined) account.renameGroup(oldest.resourceName, 'Renamed at Google');
  account.createPerson(
    {
      names: [{ givenName: 'New', familyName: 'From Google' }],
      emailAddresses: [{ value: 'new.google@example.org', type: 'home' }],
    },
    { groups: ['contactGroups/myContacts', label] },
  );
  const [survivor, loser] = [take(), take()];
  account.mergePeople(survivor.googleId, [loser.googleId]);
  return {
    kept: [
      'added.google@example.org',
      'google-edit.example.org',
      'Label of Google',
      'Renamed at Google',
      'new.google@example.org',
      survivor.email,
      loser.email,
    ],
    keptAtGoogle: [LONG_TEXT],
    gone: [deleted.email],
  };
};

const serviceEdits = ({ service }: Sandbox, take: Take, isMerging: boolean): Marks => {
  const { account } = service;
  // If the service adds sent values to its own, its user interface sends only new values.
  const added = <Held, New>(held: readonly Held[], entry: New): (Held | New)[] => [...(isMerging ? [] : held), entry];
  account.updateContact(take().serviceId, { company: 'Edited at the service' });
  const written = take().serviceId;
  const emails = account.contact(written)?.email_addresses ?? [];
  account.updateContact(written, {
    email_addresses: added(emails, { address: 'added.service@example.org', label: 'other' }),
  });
  const deleted = take();
  account.deleteContact(deleted.serviceId);
  const bucket = account.createBucket({ name: 'Bucket of the service' });
  account.addToBuckets(take().serviceId, [bucket.id]);
  account.createContact(
    {
      first_name: 'New',
      last_name: 'From Service',
      email_addresses: [{ address: 'new.service@example.org', label: 'Home' }],
    },
    { bucketIds: [bucket.id] },
  );
  const [survivor, loser] = [take(), take()];
  account.mergeContacts(survivor.serviceId, [loser.serviceId]);
  return {
    kept: ['Edited at the service', 'added.service@example.org', 'Bucket of the service', 'new.service@example.org'],
    keptAtGoogle: [],
    gone: [deleted.email],
  };
};

/** One contact edited on both sides, in different fields. */
const commonEdits = ({ google, service }: Sandbox, { googleId, serviceId }: Twin, isMerging: boolean): Marks => {
  const { organizations = [] } = google.account.person(googleId) ?? {};
  google.account.updatePerson(googleId, {
    organizations: [{ ...organizations[0], title: 'Edited at Google' }, ...organizations.slice(1)],
  });
  const websites = isMerging ? [] : (service.account.contact(serviceId)?.websites ?? []);
  const website = { address: 'https://service-edit.example.org', label: 'work' };
  service.account.updateContact(serviceId, { websites: [...websites, website] });
  return { kept: ['Edited at Google', 'service-edit.example.org'], keptAtGoogle: [], gone: [] };
};

/**
 * Makes the edits of an owner of both accounts between two runs: values added, cleared and removed, contacts and groups made, renamed
 * and deleted, contacts merged; different contacts on either side and one on both. `isMerging`: the service adds the
 * entries of an array that is sent to those that it has.
 */
export const editBothSides = (sandbox: Sandbox, isMerging: boolean): Marks => {
  const take = createPool(sandbox);
  const all = [
    commonEdits(sandbox, take(), isMerging),
    googleEdits(sandbox, take),
    serviceEdits(sandbox, take, isMerging),
  ];
  return {
    kept: all.flatMap(({ kept }) => kept),
    keptAtGoogle: all.flatMap(({ keptAtGoogle }) => keptAtGoogle),
    gone: all.flatMap(({ gone }) => gone),
  };
};

/** Deletes archived contacts from the account of the service: no listing shows them. */
export const dropArchived = ({ service }: Sandbox): void => {
  for (const contact of service.account.contacts()) {
    if (contact.archivedAtMs !== null) service.account.book.remove(contact, { kind: 'deleted', record: contact });
  }
};

/** Number of contacts that a run wrote on both sides. */
export const writesOf = ({ summary }: Awaited<ReturnType<LinkedSandbox['sync']>>): number =>
  [summary.left, summary.right].reduce((sum, side) => sum + side.created + side.updated + side.deleted, 0);

/** Variants of both emulators that are in force together, at most one of a switch. */
export type Combination = { readonly google: readonly Variant[]; readonly service: readonly Variant[] };

const MOST_OF_SERVICE = 12;
const MOST_OF_GOOGLE = 6;

const draw = (random: Random, variants: readonly Variant[], most: number): Variant[] => {
  const bySwitch = Map.groupBy(random.shuffle(variants), ({ name }) => name);
  const chosen = random.shuffle([...bySwitch.values()]).slice(0, 1 + random.below(most));
  return chosen.flatMap((values) => values.slice(0, 1));
};

/** `count` combinations out of the variants that are usable; the same seed draws the same ones. */
export const combineVariants = (
  seed: number,
  count: number,
  isUsable: (variant: Variant) => boolean,
): readonly Combination[] => {
  const random = createRandom(seed);
  return Array.from({ length: count }, () => ({
    google: draw(random, GOOGLE_VARIANTS.filter(isUsable), MOST_OF_GOOGLE),
    service: draw(random, SERVICE_VARIANTS.filter(isUsable), MOST_OF_SERVICE),
  }));
};
