import { EMPTY_PERSON, type Person } from '../../src/sandbox/people/person.ts';
import type { Random } from '../../src/sandbox/people/random.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';

/** The address book in which a user edits, independent of the sides of the link. */
type Place = 'google' | 'service';

const GROUPS = ['Choir', 'Team', 'Club'];

/** A person that is known by one email address, whatever becomes of the rest. */
const makePerson = (token: string, random: Random): Person => ({
  ...EMPTY_PERSON,
  givenName: `Given ${token}`,
  familyName: `Family ${token}`,
  company: random.chance(0.5) ? `Company ${token}` : '',
  emails: [{ value: `${token}@chaos.example`, label: 'work' }],
  groups: random.chance(0.5) ? [random.pick(GROUPS)] : [],
});

/** The last edited values of a contact; null for a field without an edit since its creation. */
type Expected = { title: string | null; phone: string | null };

/** The edits of users in both address books, and the expected contents at the end. */
export type Ledger = {
  readonly alive: Map<string, Expected>;
  readonly deleted: Set<string>;
  /** The side on which a contact was edited since the last rest: it is not edited on the other side, and not deleted. */
  readonly edited: Map<string, Place>;
  edits: number;
  next: number;
};

/** Two address books that overlap: some people on one side only, some on both, of those some not quite the same. */
export const makeBooks = (random: Random, count: number) => {
  const google: Person[] = [];
  const service: Person[] = [];
  const alive = new Map<string, Expected>();
  for (let index = 0; index < count; index += 1) {
    const token = `p${index}`;
    const person = makePerson(token, random);
    alive.set(token, { title: null, phone: null });
    const where = random.next();
    if (where < 0.7) google.push(person);
    if (where >= 0.35) {
      const more = random.chance(0.3) ? { websites: [{ value: `https://${token}.example`, label: null }] } : {};
      service.push({ ...person, ...more });
    }
  }
  const ledger: Ledger = { alive, deleted: new Set(), edited: new Map(), edits: 0, next: count };
  return { google, service, ledger };
};

const tokenOf = (addresses: readonly (string | null | undefined)[]): string => {
  const address = addresses.find((candidate) => candidate?.endsWith('@chaos.example'));
  return address?.split('@')[0] ?? '';
};

type Seen = { readonly id: string; readonly token: string; readonly title: string; readonly phones: readonly string[] };

/** The contents of a side that the ledger checks. */
const seenAt = ({ google, service }: Sandbox, side: Place): readonly Seen[] => {
  if (side === 'google') {
    return google.account.people().map((person) => ({
      id: person.resourceName ?? '',
      token: tokenOf((person.emailAddresses ?? []).map((email) => email.value)),
      title: person.organizations?.[0]?.title ?? '',
      phones: (person.phoneNumbers ?? []).map((phone) => phone.value ?? ''),
    }));
  }
  return service.account.contacts().map((contact) => ({
    id: contact.id,
    token: tokenOf(contact.email_addresses.map((email) => email.address)),
    title: contact.title ?? '',
    phones: contact.phone_numbers.map((phone) => phone.number ?? ''),
  }));
};

const create = ({ google, service }: Sandbox, side: Place, token: string): void => {
  const email = `${token}@chaos.example`;
  const [first, last] = [`Given ${token}`, `Family ${token}`];
  if (side === 'google') {
    google.account.createPerson({
      names: [{ givenName: first, familyName: last }],
      emailAddresses: [{ value: email }],
    });
  } else {
    service.account.createContact({ first_name: first, last_name: last, email_addresses: [{ address: email }] });
  }
};

const retitle = ({ google, service }: Sandbox, side: Place, id: string, title: string): void => {
  if (side === 'google') {
    const [job] = google.account.person(id)?.organizations ?? [];
    google.account.updatePerson(id, { organizations: [{ ...job, title }] });
  } else service.account.updateContact(id, { title });
};

const addPhone = ({ google, service }: Sandbox, side: Place, id: string, number: string): void => {
  if (side === 'google') {
    const phones = google.account.person(id)?.phoneNumbers ?? [];
    google.account.updatePerson(id, { phoneNumbers: [...phones, { value: number }] });
  } else {
    const phones = service.account.contact(id)?.phone_numbers ?? [];
    service.account.updateContact(id, { phone_numbers: [...phones, { number }] });
  }
};

const remove = ({ google, service }: Sandbox, side: Place, id: string): void => {
  if (side === 'google') google.account.deletePerson(id);
  else service.account.deleteContact(id);
};

/** One random thing that a user does on one side. Deletions wait until both sides know each other's contacts. */
export const editOnce = (
  sandbox: Sandbox,
  ledger: Ledger,
  random: Random,
  options: { readonly deletes: boolean },
): void => {
  const side: Place = random.chance(0.5) ? 'google' : 'service';
  ledger.edits += 1;
  if (random.chance(0.15)) {
    const token = `n${ledger.next}`;
    create(sandbox, side, token);
    ledger.alive.set(token, { title: null, phone: null });
    ledger.edited.set(token, side);
    ledger.next += 1;
    return;
  }
  const free = seenAt(sandbox, side).filter(({ token }) => {
    return ledger.alive.has(token) && (ledger.edited.get(token) ?? side) === side;
  });
  const { id, token } = random.pick(free);
  const expected = ledger.alive.get(token);
  if (expected === undefined) return;
  if (options.deletes && random.chance(0.15) && !ledger.edited.has(token)) {
    remove(sandbox, side, id);
    ledger.alive.delete(token);
    ledger.deleted.add(token);
    return;
  }
  ledger.edited.set(token, side);
  if (random.chance(0.6)) {
    expected.title = `Title ${ledger.edits}`;
    retitle(sandbox, side, id, expected.title);
  } else {
    expected.phone = `+4930${String(9_000_000 + ledger.edits)}`;
    addPhone(sandbox, side, id, expected.phone);
  }
};

/** The differences between a side and its expected contents. */
export const faultsOf = (sandbox: Sandbox, ledger: Ledger, side: Place) => {
  const held = Map.groupBy(seenAt(sandbox, side), (seen) => seen.token);
  const duplicates = [...held].filter(([, copies]) => copies.length > 1).map(([token]) => token);
  const lost = [...ledger.alive].flatMap(([token, { title, phone }]): string[] => {
    const [contact] = held.get(token) ?? [];
    if (contact === undefined) return [token];
    const hasPhone =
      phone === null || contact.phones.some((number) => number.replaceAll(/\D/gu, '') === phone.slice(1));
    return (title === null || contact.title === title) && hasPhone ? [] : [`${token} (an edit)`];
  });
  const back = [...held.keys()].filter((token) => !ledger.alive.has(token));
  return { duplicates, lost, back };
};
