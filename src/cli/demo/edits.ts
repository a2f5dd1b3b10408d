import type { Side, Sides } from '../../core/contact/side.ts';
import { contactName, type Book, type BookContact, type NewContact } from './book.ts';

/** The contact of one person on each side. */
type Couple = Sides<BookContact> & { readonly name: string };

const keyOf = (contact: BookContact): string => contactName(contact).normalize('NFC').toLowerCase();

const uniqueByName = (contacts: readonly BookContact[]): Map<string, BookContact> => {
  const named = contacts.filter((contact) => contact.firstName !== '' && contact.lastName !== '');
  const groups = [...Map.groupBy(named, keyOf)];
  return new Map(groups.flatMap(([key, [first, ...others]]) => (first && others.length === 0 ? [[key, first]] : [])));
};

/** Names that all terminals align correctly. */
const LATIN = /^[\p{Script=Latin}\s.'-]+$/u;

/** Contacts that exist on both sides under a unique name, with a job, an email address and a phone number. */
const findCouples = ({ left, right }: Sides<Book>): Couple[] => {
  const atRight = uniqueByName(right.contacts());
  return [...uniqueByName(left.contacts())].flatMap(([key, contact]): Couple[] => {
    const other = atRight.get(key);
    const name = contactName(contact);
    const isRich = contact.title !== '' && contact.emails.length > 0 && contact.phones.length > 0;
    return other !== undefined && isRich && LATIN.test(name) ? [{ left: contact, right: other, name }] : [];
  });
};

/** Removes and returns the first couple that fits, so that no contact is edited twice. */
const takeFrom = (couples: Couple[]) => {
  return (fits: (couple: Couple) => boolean = () => true): Couple => {
    const index = couples.findIndex(fits);
    const [couple] = index < 0 ? [] : couples.splice(index, 1);
    if (couple === undefined) throw new Error('The sample data has no contact left to edit.');
    return couple;
  };
};

const ADA: NewContact = {
  firstName: 'Ada',
  lastName: 'Okonkwo-Lind',
  company: 'Fjordlight Studio',
  title: 'Photographer',
  emails: ['ada@fjordlight.example'],
  phones: ['+47 22 55 01 34'],
  groups: ['Clients'],
};

const TEO: NewContact = {
  firstName: 'Teo',
  lastName: 'Marchetti-Vale',
  company: 'Harbour Legal',
  title: 'Counsel',
  emails: ['teo@harbour-legal.example'],
  phones: ['+39 06 555 0199'],
  groups: ['VIP'],
};

/** One edit: its side, its description, and the function that makes it. */
type Edit = { readonly side: Side; readonly text: string; readonly make: () => void };

const fullName = ({ firstName, lastName }: NewContact): string => `${firstName} ${lastName}`;

const newContact = (books: Sides<Book>, side: Side, contact: NewContact): Edit => ({
  side,
  text: `${fullName(contact)} is new, ${books[side].groupWords.within} ${contact.groups.join(', ')}`,
  make: () => books[side].add(contact),
});

/** The edits of two address books between two syncs. They are the same each time. */
export const everydayEdits = (books: Sides<Book>): readonly Edit[] => {
  const { left, right } = books;
  const take = takeFrom(findCouples(books));
  const joiner = take((couple) => !couple.left.groups.includes('VIP'));
  const leaver = take((couple) => couple.left.groups.includes('Clients'));
  const [mover, busy, disputed, goneRight, goneLeft] = [take(), take(), take(), take(), take()];
  const oldEmail = mover.left.emails[0] ?? '';
  return [
    newContact(books, 'left', ADA),
    newContact(books, 'right', TEO),
    {
      side: 'left',
      text: `${mover.name} has another email address`,
      make: () => left.replaceEmail(mover.left.id, oldEmail, 'new.address@mail.example'),
    },
    {
      side: 'left',
      text: `${busy.name} has a second phone`,
      make: () => left.addPhone(busy.left.id, '+44 20 7946 0321'),
    },
    {
      side: 'right',
      text: `${busy.name}, the same contact, has another title`,
      make: () => right.setTitle(busy.right.id, 'Managing Partner'),
    },
    {
      side: 'left',
      text: `${disputed.name} becomes "Head of Research"`,
      make: () => left.setTitle(disputed.left.id, 'Head of Research'),
    },
    {
      side: 'right',
      text: `${disputed.name} becomes "Chief Scientist", a little later: a conflict`,
      make: () => right.setTitle(disputed.right.id, 'Chief Scientist'),
    },
    { side: 'right', text: `${goneRight.name} is deleted`, make: () => right.remove(goneRight.right.id) },
    { side: 'left', text: `${goneLeft.name} is deleted`, make: () => left.remove(goneLeft.left.id) },
    {
      side: 'right',
      text: `${joiner.name} joins the ${right.groupWords.one} VIP`,
      make: () => right.setGroups(joiner.right.id, [...joiner.right.groups, 'VIP']),
    },
    {
      side: 'left',
      text: `${leaver.name} loses the ${left.groupWords.one} Clients`,
      make: () => {
        const kept = leaver.left.groups.filter((name) => name !== 'Clients');
        left.setGroups(leaver.left.id, kept);
      },
    },
    {
      side: 'right',
      text: `the ${right.groupWords.one} Leads is now called Prospects`,
      make: () => right.renameGroup('Leads', 'Prospects'),
    },
  ];
};
