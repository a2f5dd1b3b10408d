import { LIST_FIELDS, SCALAR_FIELDS, type Contact } from '../contact/contact.ts';
import { emailKey, phoneKey } from '../contact/keys.ts';
import { elementKey, listOf } from '../contact/lists.ts';
import { foldText, fullNameKey } from '../contact/names.ts';
import type { Half } from '../contact/half.ts';
import type { ContactRecord } from '../contact/record.ts';
import { otherSide, SIDES, type Sides } from '../contact/side.ts';

export type Match = Sides<Half>;

export type MatchResult = {
  readonly matches: readonly Match[];
  /** Contacts that fitted several contacts of the other side equally well and so were paired with none. */
  readonly ambiguous: readonly { readonly left: readonly string[]; readonly right: readonly string[] }[];
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
  readonly half: Half;
  readonly record: ContactRecord;
  readonly name: string;
  /** What copies of one person have in common: the name, else all addresses. */
  readonly identity: string;
  readonly emails: ReadonlySet<string>;
  readonly phones: ReadonlySet<string>;
};

const personOf = (half: Half): Person => {
  const { record } = half;
  const name = nameKey(record.contact);
  const emails = new Set(record.contact.emailAddresses.map((email) => emailKey(email.value)));
  const identity = name || JSON.stringify([...emails].toSorted());
  const phones = new Set(record.contact.phoneNumbers.flatMap((phone) => phoneTail(phone.value) ?? []));
  return { half, record, name, identity, emails, phones };
};

const shared = (a: ReadonlySet<string>, b: ReadonlySet<string>): number => a.intersection(b).size;

const firstNamesDiffer = (a: Contact, b: Contact): boolean => {
  const [first, second] = [foldText(a.firstName), foldText(b.firstName)];
  if (first === '' || second === '') return false;
  return !first.startsWith(second) && !second.startsWith(first);
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
  const [first, second] = [a.record.contact, b.record.contact];
  if (foldText(first.lastName) === '' || foldText(first.lastName) !== foldText(second.lastName)) return false;
  if (!firstNamesDiffer(first, second)) return false;
  return ![...a.emails.intersection(b.emails)].some((email) => namesOwner(email, first) || namesOwner(email, second));
};

type Edge = { readonly left: Person; readonly right: Person; readonly score: number };

const scoreOf = (left: Person, right: Person): number => {
  const sameName = left.name !== '' && left.name === right.name;
  const [first, second] = [left.record.contact, right.record.contact];
  const sameCompany = foldText(first.company) !== '' && foldText(first.company) === foldText(second.company);
  return (
    shared(left.emails, right.emails) * 100 +
    (left.emails.symmetricDifference(right.emails).size === 0 ? 10 : 0) +
    (sameName ? 150 : firstNamesDiffer(first, second) ? 0 : 40) +
    shared(left.phones, right.phones) * 30 +
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
function* combinations(left: readonly Person[], right: readonly Person[]): Generator<readonly [Person, Person]> {
  if (left.length * right.length <= MANY) {
    for (const a of left) for (const b of right) yield [a, b];
    return;
  }
  const namesakes = Map.groupBy(right, (person) => person.name);
  for (const [name, first] of Map.groupBy(left, (person) => person.name)) {
    const second = namesakes.get(name) ?? [];
    const isCrowd = first.length * second.length > MANY;
    for (const [index, a] of first.entries()) {
      for (const b of isCrowd ? second.slice(index, index + 1) : second) yield [a, b];
    }
  }
}

const edgesBy = (
  left: ReadonlySet<Person>,
  right: ReadonlySet<Person>,
  keysOf: (person: Person) => Iterable<string>,
  fits: (left: Person, right: Person) => boolean,
): Edge[] => {
  const rightIndex = indexBy(right, keysOf);
  const edges = new Map<string, Edge>();
  for (const [key, first] of indexBy(left, keysOf)) {
    for (const [a, b] of combinations(first, rightIndex.get(key) ?? [])) {
      const id = `${a.record.id}\n${b.record.id}`;
      if (!edges.has(id) && fits(a, b)) edges.set(id, { left: a, right: b, score: scoreOf(a, b) });
    }
  }
  return [...edges.values()];
};

type Progress = {
  readonly left: Set<Person>;
  readonly right: Set<Person>;
  readonly matches: Match[];
  readonly ambiguous: MatchResult['ambiguous'][number][];
};

const take = (progress: Progress, edge: Edge): void => {
  progress.left.delete(edge.left);
  progress.right.delete(edge.right);
  progress.matches.push({ left: edge.left.half, right: edge.right.half });
};

/** Reports what stays undecided, contacts that compete with each other together. */
const reportAmbiguous = (progress: Progress, edges: readonly Edge[]): void => {
  const byLeft = Map.groupBy(edges, (edge) => edge.left);
  const byRight = Map.groupBy(edges, (edge) => edge.right);
  const reported = new Set<Edge>();
  for (const start of edges) {
    if (reported.has(start)) continue;
    const rivals = new Set([start]);
    // The walk goes on over what is added meanwhile.
    for (const { left, right } of rivals) {
      for (const rival of byLeft.get(left) ?? []) rivals.add(rival);
      for (const rival of byRight.get(right) ?? []) rivals.add(rival);
    }
    for (const rival of rivals) reported.add(rival);
    progress.ambiguous.push({
      left: [...new Set([...rivals].map((edge) => edge.left.record.id))],
      right: [...new Set([...rivals].map((edge) => edge.right.record.id))],
    });
  }
};

/** Settles edges of one score: unique ones and copies of one person are paired, the rest is ambiguous. */
const takeEqualEdges = (progress: Progress, edges: readonly Edge[]): void => {
  const isOpen = (edge: Edge) => progress.left.has(edge.left) && progress.right.has(edge.right);
  const byLeft = Map.groupBy(edges, (edge) => edge.left);
  const byRight = Map.groupBy(edges, (edge) => edge.right);
  const unsure: Edge[] = [];
  for (const edge of edges) {
    if (!isOpen(edge)) continue;
    const rivals = [...(byLeft.get(edge.left) ?? []), ...(byRight.get(edge.right) ?? [])].filter(isOpen);
    const copies = rivals.every((rival) => {
      return rival.left.identity === edge.left.identity && rival.right.identity === edge.right.identity;
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
  const [first, second] = [foldText(a.record.contact.company), foldText(b.record.contact.company)];
  return (
    (a.emails.size > 0 && b.emails.size > 0) ||
    (a.phones.size > 0 && b.phones.size > 0 && shared(a.phones, b.phones) === 0) ||
    (first !== '' && second !== '' && first !== second)
  );
};

const edgeOf = (left: Person, right: Person): Edge => ({ left, right, score: 0 });

const matchByOrigin = (progress: Progress): void => {
  for (const side of SIDES) {
    const other = otherSide(side);
    const others = new Map([...progress[other]].map((person) => [person.record.id, person]));
    for (const person of progress[side]) {
      const { originId } = person.record;
      const origin = originId === null ? undefined : others.get(originId);
      if (origin === undefined || !progress[other].has(origin)) continue;
      take(progress, side === 'left' ? edgeOf(person, origin) : edgeOf(origin, person));
    }
  }
};

/** Everything that the contact says, in any order and without labels; the empty string where it says nothing. */
const contentKey = (contact: Contact): string => {
  const texts = SCALAR_FIELDS.map((field) => contact[field]);
  const lists = LIST_FIELDS.map((field) => {
    return listOf(contact, field)
      .map((element) => elementKey(field, element))
      .toSorted();
  });
  return texts.join('') === '' && lists.flat().length === 0 ? '' : JSON.stringify([...texts, ...lists]);
};

/**
 * Pairs namesakes where both sides hold the very same ones: which of two exact copies is paired with which makes no
 * difference. Answers whether it did.
 */
const takeCopies = (progress: Progress, left: readonly Person[], right: readonly Person[]): boolean => {
  const inOrder = (people: readonly Person[]) => {
    return people
      .map((person) => ({ person, content: contentKey(person.record.contact) }))
      .toSorted((a, b) => (a.content < b.content ? -1 : 1));
  };
  const copies = inOrder(right);
  const edges = inOrder(left).flatMap(({ person, content }, index): Edge[] => {
    const copy = copies[index];
    return copy?.content === content ? [{ left: person, right: copy.person, score: 0 }] : [];
  });
  if (edges.length !== left.length || edges.length !== right.length) return false;
  for (const edge of edges) take(progress, edge);
  return true;
};

const matchByName = (progress: Progress): void => {
  // Who has no name is known by all that the contact says.
  const names = ({ name, record }: Person) => [name || contentKey(record.contact)].filter((key) => key !== '');
  const rights = indexBy(progress.right, names);
  for (const [name, left] of indexBy(progress.left, names)) {
    const right = rights.get(name) ?? [];
    const [first, second] = [left[0], right[0]];
    if (first === undefined || second === undefined) continue;
    if (left.length === 1 && right.length === 1) {
      if (!contradicts(first, second)) take(progress, { left: first, right: second, score: 0 });
    } else if (!takeCopies(progress, left, right)) {
      const ids = (people: readonly Person[]) => people.map((person) => person.record.id);
      progress.ambiguous.push({ left: ids(left), right: ids(right) });
    }
  }
};

/** What was undecided and has found nobody later either. */
const stillAmbiguous = ({ left, right, ambiguous }: Progress): MatchResult['ambiguous'] => {
  const idsOf = (people: ReadonlySet<Person>) => new Set([...people].map((person) => person.record.id));
  const open = { left: idsOf(left), right: idsOf(right) };
  return ambiguous
    .map((rivals) => ({
      left: rivals.left.filter((id) => open.left.has(id)),
      right: rivals.right.filter((id) => open.right.has(id)),
    }))
    .filter((rivals) => rivals.left.length > 0 && rivals.right.length > 0);
};

/**
 * Finds the contacts that are the same person on both sides (R13): by the id that a create left behind (R9), else by email, else by phone
 * and name, else by a full name that is unique and contradicted by nothing, or whose namesakes are the very same on both
 * sides. Pure; ties end in `ambiguous`.
 */
export const matchContacts = ({ left, right }: Sides<readonly Half[]>): MatchResult => {
  if (left.length === 0 || right.length === 0) return { matches: [], ambiguous: [] };
  const progress: Progress = {
    left: new Set(left.map(personOf)),
    right: new Set(right.map(personOf)),
    matches: [],
    ambiguous: [],
  };
  matchByOrigin(progress);
  const byEmail = edgesBy(
    progress.left,
    progress.right,
    (p) => p.emails,
    (a, b) => !isHousehold(a, b),
  );
  takeBest(progress, byEmail);
  const sameName = (a: Person, b: Person) => a.name !== '' && a.name === b.name;
  takeBest(
    progress,
    edgesBy(progress.left, progress.right, (p) => p.phones, sameName),
  );
  matchByName(progress);
  return { matches: progress.matches, ambiguous: stillAmbiguous(progress) };
};
