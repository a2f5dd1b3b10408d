import { LIST_FIELDS, type Contact } from '../contact/contact.ts';
import { elementKey, emailKey, phoneKey } from '../contact/keys.ts';
import { listOf } from '../contact/lists.ts';
import { foldText, fullNameKey } from '../contact/names.ts';
import type { ContactRecord } from '../contact/record.ts';

export type Match = { readonly google: ContactRecord; readonly service: ContactRecord };

export type MatchResult = {
  readonly matches: readonly Match[];
  /** Contacts that fitted several contacts of the other side equally well and so were paired with none. */
  readonly ambiguous: readonly { readonly google: readonly string[]; readonly service: readonly string[] }[];
};

/** What two spellings of one full name have in common, whatever the order of its parts; a company where no name is. */
export const nameKey = (contact: Contact): string => {
  const name = fullNameKey(contact);
  if (name !== '') return name;
  const company = foldText(contact.company);
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
  /** What copies of one person have in common: the name, else all addresses. */
  readonly identity: string;
  readonly emails: ReadonlySet<string>;
  readonly phones: ReadonlySet<string>;
};

const personOf = (record: ContactRecord): Person => {
  const name = nameKey(record.contact);
  const emails = new Set(record.contact.emailAddresses.map((email) => emailKey(email.value)));
  const identity = name || JSON.stringify([...emails].toSorted());
  const phones = new Set(record.contact.phoneNumbers.flatMap((phone) => phoneTail(phone.value) ?? []));
  return { record, name, identity, emails, phones };
};

const shared = (a: ReadonlySet<string>, b: ReadonlySet<string>): number => a.intersection(b).size;

const firstNamesDiffer = (a: Contact, b: Contact): boolean => {
  const [left, right] = [foldText(a.firstName), foldText(b.firstName)];
  if (left === '' || right === '') return false;
  return !left.startsWith(right) && !right.startsWith(left);
};

/** Whether the part of an address before the `@` speaks of this person, by first name or by initial and last name. */
const namesOwner = (email: string, contact: Contact): boolean => {
  const local = foldText(email.split('@')[0] ?? '').replaceAll(' ', '');
  const first = foldText(contact.firstName).replaceAll(' ', '');
  const last = foldText(contact.lastName).replaceAll(' ', '');
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
  if (foldText(left.lastName) === '' || foldText(left.lastName) !== foldText(right.lastName)) return false;
  if (!firstNamesDiffer(left, right)) return false;
  return ![...a.emails.intersection(b.emails)].some((email) => namesOwner(email, left) || namesOwner(email, right));
};

type Edge = { readonly google: Person; readonly service: Person; readonly score: number };

const scoreOf = (google: Person, service: Person): number => {
  const sameName = google.name !== '' && google.name === service.name;
  const [left, right] = [google.record.contact, service.record.contact];
  const sameCompany = foldText(left.company) !== '' && foldText(left.company) === foldText(right.company);
  return (
    shared(google.emails, service.emails) * 100 +
    (google.emails.symmetricDifference(service.emails).size === 0 ? 10 : 0) +
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

/**
 * The combinations worth comparing among contacts that share a key: all of a few, namesakes among many, and among very
 * many namesakes the first with the first, the second with the second.
 */
function* combinations(google: readonly Person[], service: readonly Person[]): Generator<readonly [Person, Person]> {
  if (google.length * service.length <= MANY) {
    for (const a of google) for (const b of service) yield [a, b];
    return;
  }
  const namesakes = Map.groupBy(service, (person) => person.name);
  for (const [name, left] of Map.groupBy(google, (person) => person.name)) {
    const right = namesakes.get(name) ?? [];
    const isCrowd = left.length * right.length > MANY;
    for (const [index, a] of left.entries()) {
      for (const b of isCrowd ? right.slice(index, index + 1) : right) yield [a, b];
    }
  }
}

const edgesBy = (
  google: ReadonlySet<Person>,
  service: ReadonlySet<Person>,
  keysOf: (person: Person) => Iterable<string>,
  fits: (google: Person, service: Person) => boolean,
): Edge[] => {
  const serviceIndex = indexBy(service, keysOf);
  const edges = new Map<string, Edge>();
  for (const [key, left] of indexBy(google, keysOf)) {
    for (const [a, b] of combinations(left, serviceIndex.get(key) ?? [])) {
      const id = `${a.record.id}\n${b.record.id}`;
      if (!edges.has(id) && fits(a, b)) edges.set(id, { google: a, service: b, score: scoreOf(a, b) });
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

/** Reports what stays undecided, contacts that compete with each other together. */
const reportAmbiguous = (progress: Progress, edges: readonly Edge[]): void => {
  const byGoogle = Map.groupBy(edges, (edge) => edge.google);
  const byService = Map.groupBy(edges, (edge) => edge.service);
  const reported = new Set<Edge>();
  for (const start of edges) {
    if (reported.has(start)) continue;
    const rivals = new Set([start]);
    // The walk goes on over what is added meanwhile.
    for (const { google, service } of rivals) {
      for (const rival of byGoogle.get(google) ?? []) rivals.add(rival);
      for (const rival of byService.get(service) ?? []) rivals.add(rival);
    }
    for (const rival of rivals) reported.add(rival);
    progress.ambiguous.push({
      google: [...new Set([...rivals].map((edge) => edge.google.record.id))],
      service: [...new Set([...rivals].map((edge) => edge.service.record.id))],
    });
  }
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
      return rival.google.identity === edge.google.identity && rival.service.identity === edge.service.identity;
    });
    if (copies) take(progress, edge);
    else unsure.push(edge);
  }
  reportAmbiguous(progress, unsure.filter(isOpen));
};

const takeBest = (progress: Progress, edges: readonly Edge[]): void => {
  const byScore = Map.groupBy(edges, (edge) => edge.score);
  for (const score of [...byScore.keys()].toSorted((a, b) => b - a)) takeEqualEdges(progress, byScore.get(score) ?? []);
};

/** A full name is enough only where nothing the two say contradicts it. */
const contradicts = (a: Person, b: Person): boolean => {
  const [left, right] = [foldText(a.record.contact.company), foldText(b.record.contact.company)];
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

/** Everything that the contact says, in any order and without labels; the empty string where it says nothing. */
const contentKey = (contact: Contact): string => {
  const { firstName, lastName, company, title } = contact;
  const lists = LIST_FIELDS.map((field) => {
    return listOf(contact, field)
      .map((element) => elementKey(field, element))
      .toSorted();
  });
  const texts = [firstName, lastName, company, title];
  return texts.join('') === '' && lists.flat().length === 0 ? '' : JSON.stringify([...texts, ...lists]);
};

/**
 * Pairs namesakes where both sides hold the very same ones: which of two exact copies is paired with which makes no
 * difference. Answers whether it did.
 */
const takeCopies = (progress: Progress, google: readonly Person[], service: readonly Person[]): boolean => {
  const inOrder = (people: readonly Person[]) => {
    return people
      .map((person) => ({ person, content: contentKey(person.record.contact) }))
      .toSorted((a, b) => (a.content < b.content ? -1 : 1));
  };
  const copies = inOrder(service);
  const edges = inOrder(google).flatMap(({ person, content }, index): Edge[] => {
    const copy = copies[index];
    return copy?.content === content ? [{ google: person, service: copy.person, score: 0 }] : [];
  });
  if (edges.length !== google.length || edges.length !== service.length) return false;
  for (const edge of edges) take(progress, edge);
  return true;
};

const matchByName = (progress: Progress): void => {
  // Who has no name is known by all that the contact says.
  const names = ({ name, record }: Person) => [name || contentKey(record.contact)].filter((key) => key !== '');
  const services = indexBy(progress.service, names);
  for (const [name, google] of indexBy(progress.google, names)) {
    const service = services.get(name) ?? [];
    const [left, right] = [google[0], service[0]];
    if (left === undefined || right === undefined) continue;
    if (google.length === 1 && service.length === 1) {
      if (!contradicts(left, right)) take(progress, { google: left, service: right, score: 0 });
    } else if (!takeCopies(progress, google, service)) {
      const ids = (people: readonly Person[]) => people.map((person) => person.record.id);
      progress.ambiguous.push({ google: ids(google), service: ids(service) });
    }
  }
};

/** What was undecided and has found nobody later either. */
const stillAmbiguous = ({ google, service, ambiguous }: Progress): MatchResult['ambiguous'] => {
  const idsOf = (people: ReadonlySet<Person>) => new Set([...people].map((person) => person.record.id));
  const left = { google: idsOf(google), service: idsOf(service) };
  return ambiguous
    .map((rivals) => ({
      google: rivals.google.filter((id) => left.google.has(id)),
      service: rivals.service.filter((id) => left.service.has(id)),
    }))
    .filter((rivals) => rivals.google.length > 0 && rivals.service.length > 0);
};

/**
 * Finds who is the same person on both sides (R13): by the id that a create left behind (R9), else by email, else by phone
 * and name, else by a full name that is unique and contradicted by nothing, or whose namesakes are the very same on both
 * sides. Pure; ties end in `ambiguous`.
 */
export const matchContacts = (google: readonly ContactRecord[], service: readonly ContactRecord[]): MatchResult => {
  if (google.length === 0 || service.length === 0) return { matches: [], ambiguous: [] };
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
  return { matches: progress.matches, ambiguous: stillAmbiguous(progress) };
};
