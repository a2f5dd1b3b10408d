import { nameOf, type BookContact, type Books, type NewContact } from './book.ts';

/** The same person on both sides. */
type Couple = { readonly google: BookContact; readonly service: BookContact; readonly name: string };

const keyOf = (contact: BookContact): string => nameOf(contact).normalize('NFC').toLowerCase();

const uniqueByName = (contacts: readonly BookContact[]): Map<string, BookContact> => {
  const named = contacts.filter((contact) => contact.firstName !== '' && contact.lastName !== '');
  const groups = [...Map.groupBy(named, keyOf)];
  return new Map(groups.flatMap(([key, [first, ...others]]) => (first && others.length === 0 ? [[key, first]] : [])));
};

/** Names that every terminal lines up. */
const LATIN = /^[\p{Script=Latin}\s.'-]+$/u;

/** People that stand on both sides under a name of their own, with a job, an email address and a phone number. */
const findCouples = ({ google, service }: Books): Couple[] => {
  const atService = uniqueByName(service.contacts());
  return [...uniqueByName(google.contacts())].flatMap(([key, contact]): Couple[] => {
    const other = atService.get(key);
    const name = nameOf(contact);
    const isRich = contact.title !== '' && contact.emails.length > 0 && contact.phones.length > 0;
    return other !== undefined && isRich && LATIN.test(name) ? [{ google: contact, service: other, name }] : [];
  });
};

/** Takes the first couple that fits, so that no two edits meet by chance. */
const takeFrom = (couples: Couple[]) => {
  return (fits: (couple: Couple) => boolean = () => true): Couple => {
    const index = couples.findIndex(fits);
    const [couple] = index < 0 ? [] : couples.splice(index, 1);
    if (couple === undefined) throw new Error('The sample data has nobody left to edit.');
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

/** One edit: what it does, and how it is told. */
export type Edit = { readonly told: string; readonly make: () => void };

/** What two busy people do to their address books between two syncs; the same contacts every time. */
export const everydayEdits = (books: Books): readonly Edit[] => {
  const { google, service } = books;
  const take = takeFrom(findCouples(books));
  const joiner = take(({ google: contact }) => !contact.groups.includes('VIP'));
  const leaver = take(({ google: contact }) => contact.groups.includes('Clients'));
  const [mover, busy, disputed, goneAtService, goneAtGoogle] = [take(), take(), take(), take(), take()];
  const oldEmail = mover.google.emails[0] ?? '';
  return [
    {
      told: `Google:  ${nameOf({ ...ADA, addresses: [], websites: [] })} is new, with the label Clients`,
      make: () => google.add(ADA),
    },
    {
      told: `Service: ${nameOf({ ...TEO, addresses: [], websites: [] })} is new, in the bucket VIP`,
      make: () => service.add(TEO),
    },
    {
      told: `Google:  ${mover.name} has another email address`,
      make: () => google.replaceEmail(mover.google.id, oldEmail, 'new.address@mail.example'),
    },
    {
      told: `Google:  ${busy.name} has a second phone`,
      make: () => google.addPhone(busy.google.id, '+44 20 7946 0321'),
    },
    {
      told: `Service: ${busy.name}, the same contact, has another title`,
      make: () => service.setTitle(busy.service.id, 'Managing Partner'),
    },
    {
      told: `Google:  ${disputed.name} becomes "Head of Research"`,
      make: () => google.setTitle(disputed.google.id, 'Head of Research'),
    },
    {
      told: `Service: ${disputed.name} becomes "Chief Scientist", a little later: a conflict`,
      make: () => service.setTitle(disputed.service.id, 'Chief Scientist'),
    },
    { told: `Service: ${goneAtService.name} is deleted`, make: () => service.remove(goneAtService.service.id) },
    { told: `Google:  ${goneAtGoogle.name} is deleted`, make: () => google.remove(goneAtGoogle.google.id) },
    {
      told: `Service: ${joiner.name} joins the bucket VIP`,
      make: () => service.setGroups(joiner.service.id, [...joiner.service.groups, 'VIP']),
    },
    {
      told: `Google:  ${leaver.name} loses the label Clients`,
      make: () =>
        google.setGroups(
          leaver.google.id,
          leaver.google.groups.filter((name) => name !== 'Clients'),
        ),
    },
    {
      told: 'Service: the bucket Leads is now called Prospects',
      make: () => service.renameGroup('Leads', 'Prospects'),
    },
  ];
};
