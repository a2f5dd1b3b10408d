import { EMPTY_CONTACT, type Contact } from '../../src/core/contact/contact.ts';
import { listOf, withList } from '../../src/core/contact/lists.ts';
import { otherSide, SIDES, type Side } from '../../src/core/contact/side.ts';
import { isAsAnswered, type Book, type Row } from '../support/memory/book.ts';
import { addElement, change, enter, enterAgain, liveGroups, pick, removeContact, setScalar } from './edits.ts';
import type { Edit } from './history.ts';
import {
  bareFirstName,
  contactOfMember,
  elementsOf,
  GROUP_NAMES,
  isOwnEmail,
  recordValues,
  lettersOf,
  mayBeTwo,
  addPerson,
  phoneOf,
  suffixFieldOf,
  POOLS,
  withOtherTitle,
  type PeopleEdit,
} from './people.ts';
import { counterpart, liveRows, type World } from './world.ts';

type Of<Kind extends PeopleEdit['kind']> = Extract<PeopleEdit, { kind: Kind }>;

/** The contacts of the cast that were linked at the end of the last run. */
const linkedRows = (world: World, side: Side): readonly Row[] =>
  liveRows(world.books[side]).filter((row) => world.people.known.has(row.entity) && world.linked[side].has(row.id));

/** Whether the link has both contacts of the person: then an entry on one side matches no new contact on the other. */
const isPaired = (world: World, side: Side, row: Row): boolean => {
  const other = counterpart(world, side, row);
  return other !== null && world.linked[otherSide(side)].has(other.id);
};

const isNameless = ({ firstName, lastName, company }: Contact): boolean => `${firstName}${lastName}${company}` === '';

/** Whether a contact of another person shares an email address and one of the two has no name: the program pairs them (R13). */
const meetsNameless = (world: World, contact: Contact, entity: number): boolean => {
  const emails = new Set(contact.emailAddresses.map(({ value }) => value));
  return SIDES.flatMap((side) => liveRows(world.books[side])).some(
    (other) =>
      other.entity !== entity &&
      (isNameless(contact) || isNameless(other.contact)) &&
      other.contact.emailAddresses.some(({ value }) => emails.has(value)),
  );
};

const enterPerson = (world: World, book: Book, contact: Contact, entity: number): Row | undefined => {
  addPerson(world.people, entity);
  enter(world, book, contact, entity);
  return book.rows.at(-1);
};

const enterMember = (world: World, edit: Of<'person'>): void => {
  const { households, entered, jobs } = world.people;
  const household = households.get(edit.household) ?? world.nextNumber();
  households.set(edit.household, household);
  const key = `${household} ${edit.who}`;
  if (entered.has(key)) return;
  entered.add(key);
  const entity = world.nextNumber();
  addPerson(world.people, entity, mayBeTwo(edit.who));
  for (const [look, side] of SIDES.filter((each) => edit.at === 'both' || edit.at === each).entries()) {
    const book = world.books[side];
    const contact = contactOfMember(edit, household, look);
    const hasJobs = edit.hasJobs && book.provider.listsJobs && contact.firstName !== '';
    const company = contact.company || `Own${lettersOf(household)}`;
    const row = enterPerson(world, book, hasJobs ? { ...contact, company } : contact, entity);
    if (row !== undefined && look === 0 && suffixFieldOf(edit) !== '') {
      row.nameSuffix = suffixFieldOf(edit);
      book.touch(row);
    }
    if (row === undefined || !hasJobs) continue;
    row.jobs = [{ company: `Side${lettersOf(household)}`, title: 'Adviser' }];
    jobs.set(row, row.jobs);
    book.touch(row);
  }
};

/** The contact of another person that gets the addresses and numbers of a contact. */
const successorOf = (world: World, { contact }: Row, isNamed: boolean): Contact => {
  const { emailAddresses, phoneNumbers, company, firstName, lastName } = contact;
  const code = lettersOf(world.nextNumber());
  const addresses = { ...EMPTY_CONTACT, emailAddresses, phoneNumbers };
  if (firstName !== '') {
    // A shared address belongs to several people, so a contact without a name may be any of them.
    if (!isNamed) {
      // A create may leave out the address at first: without a number, new contacts could not be distinguished.
      return {
        ...EMPTY_CONTACT,
        emailAddresses: emailAddresses.filter(({ value }) => isOwnEmail(value)),
        phoneNumbers: [{ value: phoneOf(world.nextNumber(), 9), label: 'home' }],
      };
    }
    return { ...addresses, company, firstName: `${bareFirstName(contact)}${code}`, lastName };
  }
  return company === '' ? { ...addresses, firstName: `Kim${code}` } : { ...addresses, company: `${code} ${company}` };
};

const succeed = (world: World, { side, who, isNamed }: Of<'successor'>): void => {
  const book = world.books[side];
  const row = pick(linkedRows(world, side), who);
  // Two new contacts with a shared address, one without a name, are one person (R13).
  if (row === undefined || !isPaired(world, side, row)) return;
  const successor = successorOf(world, row, isNamed);
  if (successor.emailAddresses.length === 0 || meetsNameless(world, successor, row.entity)) return;
  removeContact(world, book, row, 'deleted');
  enterPerson(world, book, successor, world.nextNumber());
};

const takeOver = (world: World, { side, who, by }: Of<'take-over'>): void => {
  const book = world.books[side];
  const rows = linkedRows(world, side).filter(({ contact }) => contact.firstName !== '');
  const [row, successor] = [pick(rows, who), pick(rows, by)];
  // For two contacts with one name this is indistinguishable from a merge (R12).
  if (row === undefined || successor === undefined) return;
  if (bareFirstName(row.contact) === bareFirstName(successor.contact)) return;
  removeContact(world, book, row, 'deleted');
  change(world, book, successor, () => {
    let { contact } = successor;
    for (const field of ['emailAddresses', 'phoneNumbers'] as const) {
      contact = withList(contact, field, [...contact[field], ...row.contact[field]]);
    }
    book.write(successor, contact);
  });
};

const addAgain = (world: World, { side, who, isRetitled }: Of<'readd'>): void => {
  const book = world.books[side];
  const row = pick(linkedRows(world, side), who);
  if (row === undefined || !isAsAnswered(row) || !isPaired(world, side, row)) return;
  if (meetsNameless(world, row.contact, row.entity)) return;
  const contact = isRetitled && row.contact.firstName !== '' ? withOtherTitle(row.contact) : row.contact;
  enterAgain(world, book, row, contact);
};

const toggleTitle = (world: World, { side, who }: Of<'honorific'>): void => {
  const book = world.books[side];
  const row = pick(
    linkedRows(world, side).filter(({ contact }) => contact.firstName !== ''),
    who,
  );
  if (row !== undefined) change(world, book, row, () => book.write(row, withOtherTitle(row.contact)));
};

const toggleValue = (world: World, { side, who, field, which }: Of<'value'>): void => {
  const book = world.books[side];
  const row = pick(linkedRows(world, side), who);
  const element = POOLS[field][which % POOLS[field].length];
  if (row === undefined || element === undefined) return;
  const [toggled = ''] = elementsOf(withList(EMPTY_CONTACT, field, [element]));
  const held = listOf(row.contact, field);
  const others = held.filter((each) => !elementsOf(withList(EMPTY_CONTACT, field, [each])).has(toggled));
  const next = withList(row.contact, field, others.length < held.length ? others : [...held, element]);
  const { contact } = row;
  change(world, book, row, () => book.write(row, next));
  recordValues(world.people, row.entity, contact, next);
};

const setDetail = (world: World, { side, who, field }: Of<'detail'>): void => {
  const book = world.books[side];
  const row = pick(linkedRows(world, side), who);
  // A contact without a name but with a company is the card of the company.
  if (row === undefined || (field === 'company' && isNameless(row.contact))) return;
  if (field === 'company' || field === 'title') setScalar(world, book, row, field, world.nextNumber());
  else addElement(world, book, row, field);
};

/** Edits the synced organization of a contact that has further organizations on a side. */
const changeJob = (world: World, { side, who, clears }: Of<'job'>): void => {
  const withJobs = new Set([...world.people.jobs.keys()].map(({ entity }) => entity));
  const row = pick(
    linkedRows(world, side).filter(({ entity }) => withJobs.has(entity)),
    who,
  );
  if (row === undefined) return;
  const book = world.books[side];
  const texts = clears ? { company: '', title: '' } : { company: `C${world.nextNumber()}` };
  change(world, book, row, () => book.write(row, { ...row.contact, ...texts }));
};

const addSignGroup = (world: World, { side, both, which }: Of<'sign-group'>): void => {
  const name = GROUP_NAMES[which % GROUP_NAMES.length] ?? '';
  const entity = world.nextNumber();
  world.parts.untouchable.clear();
  for (const at of both ? SIDES : [side]) {
    const [book, other] = [world.books[at], world.books[otherSide(at)]];
    if (liveGroups(book).some((group) => group.name === name)) continue;
    const namesake = liveGroups(other).find((group) => group.name === name);
    book.addGroup(name, namesake?.entity ?? entity);
  }
};

const KINDS: ReadonlySet<string> = new Set<PeopleEdit['kind']>([
  'person',
  'successor',
  'take-over',
  'readd',
  'honorific',
  'value',
  'job',
  'detail',
  'sign-group',
]);

export const isPeopleEdit = (edit: Edit): edit is PeopleEdit => KINDS.has(edit.kind);

/** Applies a user's edit to contacts that look alike; an edit without a target changes nothing. */
export const applyPeopleEdit = (world: World, edit: PeopleEdit): void => {
  switch (edit.kind) {
    case 'person':
      return enterMember(world, edit);
    case 'successor':
      return succeed(world, edit);
    case 'take-over':
      return takeOver(world, edit);
    case 'readd':
      return addAgain(world, edit);
    case 'honorific':
      return toggleTitle(world, edit);
    case 'value':
      return toggleValue(world, edit);
    case 'job':
      return changeJob(world, edit);
    case 'detail':
      return setDetail(world, edit);
    case 'sign-group':
      return addSignGroup(world, edit);
  }
};
