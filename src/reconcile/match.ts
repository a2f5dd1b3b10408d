import type { Contact } from '../contact/contact.ts';
import { emailKey, phoneKey } from '../contact/keys.ts';
import type { ContactRecord } from '../contact/record.ts';

export type Match = { readonly google: ContactRecord; readonly service: ContactRecord };

export type MatchResult = {
  readonly matches: readonly Match[];
  /** Contacts that fitted several contacts of the other side equally well and so were paired with none. */
  readonly ambiguous: readonly { readonly google: readonly string[]; readonly service: readonly string[] }[];
};

const fold = (text: string): string => {
  return text
    .normalize('NFKD')
    .replace(/\p{Mn}+/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
};

/** What two spellings of one full name have in common, whatever the order of its parts; a company where no name is. */
export const nameKey = (contact: Contact): string => {
  const name = fold(`${contact.firstName} ${contact.lastName}`);
  if (name !== '') return name.split(' ').toSorted().join(' ');
  const company = fold(contact.company);
  return company === '' ? '' : `company ${company}`;
};

const PHONE_TAIL = 8;
const MINIMUM_PHONE = 7;

const phoneTail = (value: string): string | null => {
  const digits = phoneKey(value).replace(/x\d+$/u, '').replace(/\D/gu, '');
  return digits.length < MINIMUM_PHONE ? null : digits.slice(-PHONE_TAIL);
};

type Person = {
  readonly record: ContactRecord;
  readonly name: string;
  readonly emails: ReadonlySet<string>;
  readonly phones: ReadonlySet<string>;
};

const personOf = (record: ContactRecord): Person => ({
  record,
  name: nameKey(record.contact),
  emails: new Set(record.contact.emailAddresses.map((email) => emailKey(email.value))),
  phones: new Set(record.contact.phoneNumbers.flatMap((phone) => phoneTail(phone.value) ?? [])),
});

const shared = (a: ReadonlySet<string>, b: ReadonlySet<string>): number => a.intersection(b).size;

const firstNamesDiffer = (a: Contact, b: Contact): boolean => {
  const [left, right] = [fold(a.firstName), fold(b.firstName)];
  if (left === '' || right === '') return false;
  return !left.startsWith(right.slice(0, 1)) || (!left.startsWith(right) && !right.startsWith(left));
};

/** Whether the part of an address before the `@` speaks of this person, by first name or by initial and last name. */
const namesOwner = (email: string, contact: Contact): boolean => {
  const local = fold(email.split('@')[0] ?? '').replaceAll(' ', '');
  const first = fold(contact.firstName).replaceAll(' ', '');
  const last = fold(contact.lastName).replaceAll(' ', '');
  return (
    (first.length >= 2 && local.includes(first)) || (first !== '' && last !== '' && local === first.slice(0, 1) + last)
  );
};

/**
 * Whether two contacts that share an address are plainly two people of one household: one family name, first names that
 * do not go together, and no shared address that names either of them.
 */
const isHousehold = (a: Person, b: Person): boolean => {
  const [left, right] = [a.record.contact, b.record.contact];
  if (fold(left.lastName) === '' || fold(left.lastName) !== fold(right.lastName)) return false;
  if (!firstNamesDiffer(left, right)) return false;
  return ![...a.emails.intersection(b.emails)].some((email) => namesOwner(email, left) || namesOwner(email, right));
};

type Edge = { readonly google: Person; readonly service: Person; readonly score: number };

const scoreOf = (google: Person, service: Person): number => {
  const sameName = google.name !== '' && google.name === service.name;
  const [left, right] = [google.record.contact, service.record.contact];
  const sameCompany = fold(left.company) !== '' && fold(left.company) === fold(right.company);
  return (
    shared(google.emails, service.emails) * 100 +
    (sameName ? 150 : firstNamesDiffer(left, right) ? 0 : 40) +
    shared(google.phones, service.phones) * 30 +
    (sameCompany ? 5 : 0)
  );
};

const indexBy = (people: Iterable<Person>, keysOf: (person: Person) => Iterable<string>): Map<string, Person[]> => {
  const index = new Map<string, Person[]>();
  for (const person of people) {
    for (const key of keysOf(person)) {
      const list = index.get(key);
      if (list === undefined) index.set(key, [person]);
      else list.push(person);
    }
  }
  return index;
};

/** Above this many combinations under one key, only contacts of the same name are compared. */
const MANY = 400;

const edgesBy = (
  google: ReadonlySet<Person>,
  service: ReadonlySet<Person>,
  keysOf: (person: Person) => Iterable<string>,
  fits: (google: Person, service: Person) => boolean,
): Edge[] => {
  const serviceIndex = indexBy(service, keysOf);
  const edges = new Map<string, Edge>();
  for (const [key, left] of indexBy(google, keysOf)) {
    const right = serviceIndex.get(key) ?? [];
    const byName = left.length * right.length > MANY ? indexBy(right, (person) => [person.name]) : null;
    for (const a of left) {
      for (const b of byName === null ? right : (byName.get(a.name) ?? [])) {
        const id = `${a.record.id}\n${b.record.id}`;
        if (!edges.has(id) && fits(a, b)) edges.set(id, { google: a, service: b, score: scoreOf(a, b) });
      }
    }
  }
  return [...edges.values()];
};

type Progress = {
  readonly google: Set<Person>;
  readonly service: Set<Person>;
  readonly matches: Match[];
  readonly ambiguous: MatchResult['ambiguous'][number][];
};

const take = (progress: Progress, edge: Edge): void => {
  progress.google.delete(edge.google);
  progress.service.delete(edge.service);
  progress.matches.push({ google: edge.google.record, service: edge.service.record });
};

/** Settles edges of one score: unique ones and copies of one person are paired, the rest is ambiguous. */
const takeEqualEdges = (progress: Progress, edges: readonly Edge[]): void => {
  const isOpen = (edge: Edge) => progress.google.has(edge.google) && progress.service.has(edge.service);
  const byGoogle = Map.groupBy(edges, (edge) => edge.google);
  const byService = Map.groupBy(edges, (edge) => edge.service);
  const unsure: Edge[] = [];
  for (const edge of edges) {
    if (!isOpen(edge)) continue;
    const rivals = [...(byGoogle.get(edge.google) ?? []), ...(byService.get(edge.service) ?? [])].filter(isOpen);
    const copies = rivals.every((rival) => {
      return rival.google.name === edge.google.name && rival.service.name === edge.service.name;
    });
    if (copies) take(progress, edge);
    else unsure.push(edge);
  }
  const left = unsure.filter(isOpen);
  if (left.length === 0) return;
  progress.ambiguous.push({
    google: [...new Set(left.map((edge) => edge.google.record.id))],
    service: [...new Set(left.map((edge) => edge.service.record.id))],
  });
};

const takeBest = (progress: Progress, edges: readonly Edge[]): void => {
  const byScore = Map.groupBy(edges, (edge) => edge.score);
  for (const score of [...byScore.keys()].toSorted((a, b) => b - a)) takeEqualEdges(progress, byScore.get(score) ?? []);
};

/** A full name is enough only where nothing the two say contradicts it. */
const contradicts = (a: Person, b: Person): boolean => {
  const [left, right] = [fold(a.record.contact.company), fold(b.record.contact.company)];
  return (
    (a.emails.size > 0 && b.emails.size > 0) ||
    (a.phones.size > 0 && b.phones.size > 0 && shared(a.phones, b.phones) === 0) ||
    (left !== '' && right !== '' && left !== right)
  );
};

const matchByOrigin = (progress: Progress): void => {
  const services = new Map([...progress.service].map((person) => [person.record.id, person]));
  for (const google of progress.google) {
    const origin = google.record.originId;
    const service = origin === null ? undefined : services.get(origin);
    if (service !== undefined && progress.service.has(service)) take(progress, { google, service, score: 0 });
  }
};

const matchByName = (progress: Progress): void => {
  const names = (person: Person) => (person.name === '' ? [] : [person.name]);
  const services = indexBy(progress.service, names);
  for (const [name, google] of indexBy(progress.google, names)) {
    const service = services.get(name) ?? [];
    const [left, right] = [google[0], service[0]];
    if (left === undefined || right === undefined) continue;
    if (google.length > 1 || service.length > 1) {
      const ids = (people: readonly Person[]) => people.map((person) => person.record.id);
      progress.ambiguous.push({ google: ids(google), service: ids(service) });
    } else if (!contradicts(left, right)) take(progress, { google: left, service: right, score: 0 });
  }
};

/**
 * Finds who is the same person on both sides (R13): by the id that a create left behind (R9), else by email, else by phone
 * and name, else by a full name that is unique and contradicted by nothing. Pure; ties end in `ambiguous`.
 */
export const matchContacts = (google: readonly ContactRecord[], service: readonly ContactRecord[]): MatchResult => {
  const progress: Progress = {
    google: new Set(google.map(personOf)),
    service: new Set(service.map(personOf)),
    matches: [],
    ambiguous: [],
  };
  matchByOrigin(progress);
  const byEmail = edgesBy(
    progress.google,
    progress.service,
    (p) => p.emails,
    (a, b) => !isHousehold(a, b),
  );
  takeBest(progress, byEmail);
  const sameName = (a: Person, b: Person) => a.name !== '' && a.name === b.name;
  takeBest(
    progress,
    edgesBy(progress.google, progress.service, (p) => p.phones, sameName),
  );
  matchByName(progress);
  return { matches: progress.matches, ambiguous: progress.ambiguous };
};
