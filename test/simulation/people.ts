import { streetLines } from '../../src/core/contact/elements.ts';
import { EMPTY_CONTACT, listsIn, textIn, type Contact } from '../../src/core/contact/contact.ts';
import { listOf, withList } from '../../src/core/contact/lists.ts';
import type { Side } from '../../src/core/contact/side.ts';
import type { Job } from '../support/memory/jobs.ts';
import type { Row } from '../support/memory/book.ts';

/** The edits of users to contacts that look alike. */
export type PeopleEdit =
  /** A person of the cast is entered on one side or on both. */
  | {
      readonly kind: 'person';
      readonly at: Side | 'both';
      readonly who: number;
      readonly household: number;
      readonly hasOwn: boolean;
      readonly hasJobs: boolean;
      readonly which: number;
    }
  /** A contact is deleted, and another person gets its addresses and numbers. */
  | { readonly kind: 'successor'; readonly side: Side; readonly who: number; readonly isNamed: boolean }
  /** A contact is deleted, and another contact that exists gets its addresses and numbers. */
  | { readonly kind: 'take-over'; readonly side: Side; readonly who: number; readonly by: number }
  /** A contact is deleted and added again, as it was or with its title added or removed. */
  | { readonly kind: 'readd'; readonly side: Side; readonly who: number; readonly isRetitled: boolean }
  /** The title before a first name is added or removed. */
  | { readonly kind: 'honorific'; readonly side: Side; readonly who: number }
  /** An element of a small pool is added, or removed where the contact has it. */
  | {
      readonly kind: 'value';
      readonly side: Side;
      readonly who: number;
      readonly field: keyof typeof POOLS;
      readonly which: number;
    }
  /** The organization of a contact that has several is removed or replaced. */
  | { readonly kind: 'job'; readonly side: Side; readonly who: number; readonly clears: boolean }
  /** A text is set, or an address or number is added, of a contact that is linked. */
  | {
      readonly kind: 'detail';
      readonly side: Side;
      readonly who: number;
      readonly field: 'company' | 'title' | 'emailAddresses' | 'phoneNumbers';
    }
  /** A group whose name differs from others in its signs alone. */
  | { readonly kind: 'sign-group'; readonly side: Side; readonly both: boolean; readonly which: number };

const typed = (values: readonly string[], labels: readonly string[]) =>
  values.flatMap((value) => labels.map((label) => ({ value, label })));

const TAGS = ['B', 'B+', 'B-', 'B#', 'C', 'C++', 'C#', '🙂', '🎉', 'VIP', 'VIP (2025)', 'VIP (2026)'];

/** Elements, some of which differ only in a sign or a type. */
export const POOLS = {
  tags: TAGS.map((value) => ({ value, label: null })),
  instantMessengers: typed(['ann', 'bo'], ['skype', 'icq', 'googleTalk']),
  relations: typed(['Anna', 'Max'], ['spouse', 'sister', 'manager']),
};

export const GROUP_NAMES = ['C', 'C++', 'C#', 'B', 'B+', '🙂', '🎉', 'Büro', 'Buro', 'VIP', 'VIP!'];

/** No vowels, because names that differ in digraphs are one name, and no letters of legal forms such as KG, Ltd and BV. */
const LETTERS = 'bcdfhkqtwx';

/** A text of letters for each number. Values of the cast contain no numbers, because ledgers identify values by number. */
export const lettersOf = (number: number): string =>
  [...String(number)].map((digit) => LETTERS.charAt(Number(digit))).join('');

/** A contact as entered on each side, and the addresses that it shares with others. */
type Member = {
  readonly looks: readonly Partial<Contact>[];
  /** The names of shared email addresses; none where each look has its own. */
  readonly shares: readonly string[];
  /** Which of the shared phone numbers. */
  readonly phone: number | null;
  /** Whether the two looks are a possible match, which the program reports and does not pair. */
  readonly isPossibleMatch?: true;
};

const named = (firstName: string, lastName: string): Partial<Contact> => ({ firstName, lastName });

const own = (local: string, code: string): Pick<Contact, 'emailAddresses'> => ({
  emailAddresses: [{ value: `${local}-${code}@mail.example`, label: 'home' }],
});

/** Similar people of one household and one company. */
const CAST: readonly ((code: string) => Member)[] = [
  ...['Martin', 'Martina', 'Paul', 'Paula'].map((first) => (code: string) => ({
    looks: [named(first, `Weber${code}`)],
    shares: ['familie'],
    phone: 0,
  })),
  ...['Jr.', 'Sr.'].map((suffix) => (code: string) => ({
    looks: [named('John', `Lee${code} ${suffix}`), named(`John Lee${code} ${suffix}`, '')],
    shares: ['lees'],
    phone: 1,
  })),
  // One person with two addresses and one number, and a namesake.
  (code) => ({
    looks: [
      { ...named('Dr. Ann', `Fox${code}`), ...own('private', code) },
      { ...named('Ann', `Fox${code}`), ...own('work', code) },
    ],
    shares: [],
    phone: 2,
  }),
  (code) => ({ looks: [{ ...named('Ann', `Fox${code}`), ...own('namesake', code) }], shares: [], phone: null }),
  // The card of a company, and two people that work there.
  (code) => ({ looks: [{ company: `Acme${code} GmbH` }, { company: `Acme${code}` }], shares: ['info'], phone: 3 }),
  (code) => ({ looks: [{ ...named('Tom', `Fox${code}`), company: `Acme${code}` }], shares: ['info'], phone: 3 }),
  (code) => ({ looks: [named('Eva', `Fox${code}`)], shares: ['office', 'info'], phone: 3 }),
  () => ({ looks: [named('山田太郎', ''), named('太郎', '山田')], shares: ['yamada'], phone: null }),
  () => ({ looks: [named('花子', '山田'), named('山田花子', '')], shares: ['yamada'], phone: null }),
  (code) => ({ looks: [own('nameless', code)], shares: [], phone: 4 }),
  (code) => ({ looks: [named('Robert', `Weber${code}`), named('Bob', `Weber${code}`)], shares: ['familie'], phone: 0 }),
  // A possible match: a short form of the name, and only the phone number in common.
  (code) => ({
    looks: [
      { ...named('Thomas', `Ray${code}`), ...own('thomas', code) },
      { ...named('Tom', `Ray${code}`), ...own('tom', code) },
    ],
    shares: [],
    phone: 5,
    isPossibleMatch: true,
  }),
];

/** The position of the father of the two namesakes. */
const SENIOR = 5;

export const CAST_SIZE = CAST.length;

/** Similar members of a household, by their positions in the cast. */
export const LOOKALIKES: readonly (readonly number[])[] = [
  [0, 1],
  [2, 3],
  [4, 5],
  [6, 7],
  [8, 9],
  [8, 10],
  [9, 10],
  [11, 12],
  [14, 0],
];

/** The suffix of a member that the left side has in a field of its own, which the link does not sync; empty for most members. */
export const suffixFieldOf = ({ who, which }: { readonly who: number; readonly which: number }): string =>
  who % CAST.length === SENIOR && which % 2 === 1 ? 'Sr.' : '';

/** Whether the two contacts of a member of the cast are a possible match, and may stay two. */
export const mayBeTwo = (who: number): boolean => CAST[who % CAST.length]?.('').isPossibleMatch === true;

/** A phone number of a household, or of a person. */
export const phoneOf = (household: number, phone: number): string =>
  `+49301${String(household).padStart(5, '0')}${phone}`;

/** Whether an email address is of one person alone. */
export const isOwnEmail = (value: string): boolean => value.endsWith('@mail.example');

/** The contact of a member on a side: one of its looks, with some of the similar elements. */
export const contactOfMember = (
  { who, hasOwn, which }: { readonly who: number; readonly hasOwn: boolean; readonly which: number },
  household: number,
  look: number,
): Contact => {
  const code = lettersOf(household);
  const member = CAST[who % CAST.length]?.(code) ?? { looks: [], shares: [], phone: null };
  const { looks, shares, phone } = member;
  const drawn: Contact = { ...EMPTY_CONTACT, ...looks[look % looks.length] };
  const given = look === 0 && suffixFieldOf({ who, which }) !== '' ? { ...drawn, lastName: `Lee${code}` } : drawn;
  const emails = [
    ...given.emailAddresses,
    ...(hasOwn && shares.length > 0 ? own(`own${lettersOf(who)}`, code).emailAddresses : []),
    ...shares.map((local) => ({ value: `${local}@${code}.example`, label: 'home' })),
  ];
  let contact: Contact = {
    ...given,
    emailAddresses: emails,
    phoneNumbers: phone === null ? [] : [{ value: phoneOf(household, phone), label: 'home' }],
  };
  for (const field of ['tags', 'instantMessengers', 'relations'] as const) {
    const element = POOLS[field][(which + look) % POOLS[field].length];
    if (which > 0 && element !== undefined) contact = withList(contact, field, [element]);
  }
  return contact;
};

/** The names and values of a person, and the edits since the last rest. */
export type Known = {
  readonly names: Set<string>;
  /** Every value that a user ever entered for the person. */
  readonly owned: Set<string>;
  /** The list elements that the person has now. */
  readonly held: Set<string>;
  readonly added: Set<string>;
  readonly removed: Set<string>;
  /** Whether a contact of the person was deleted, or deleted and added again: values may return. */
  isUncertain: boolean;
  /** Whether the two contacts of the person are a possible match, which stays unpaired. */
  readonly isPossibleMatch: boolean;
};

/** The people of the cast in this history. */
export type People = {
  readonly known: Map<number, Known>;
  /** The numbers of households, by their places. */
  readonly households: Map<number, number>;
  /** Members of households that were entered. */
  readonly entered: Set<string>;
  /** The further organizations of a contact that users entered. */
  readonly jobs: Map<Row, readonly Job[]>;
};

export const createPeople = (): People => ({
  known: new Map(),
  households: new Map(),
  entered: new Set(),
  jobs: new Map(),
});

const TITLE = 'Dr. ';

/** The contact with its title added or removed. */
export const withOtherTitle = (contact: Contact): Contact => ({
  ...contact,
  firstName: contact.firstName.startsWith(TITLE)
    ? contact.firstName.slice(TITLE.length)
    : `${TITLE}${contact.firstName}`,
});

/** The name without its title, and without the spaces between its parts. */
export const bareName = ({ firstName, lastName }: Contact): string =>
  `${firstName}${lastName}`.replaceAll(TITLE, '').replaceAll(' ', '');

/** The first name without its title. */
export const bareFirstName = ({ firstName }: Contact): string => firstName.replace(TITLE, '');

/** The elements of all lists, each with its field and with the label where that is part of it. */
export const elementsOf = (contact: Contact): ReadonlySet<string> =>
  new Set(
    listsIn(contact).flatMap((field) =>
      listOf(contact, field).map((element) => {
        if ('street' in element) return `${field} ${streetLines(element)}`;
        const isTyped = field === 'relations' || field === 'instantMessengers';
        return `${field} ${element.value}${isTyped ? ` (${element.label})` : ''}`;
      }),
    ),
  );

/** The texts of company and title, which several people may have. */
export const textsOf = (contact: Contact): ReadonlySet<string> =>
  new Set(
    (['company', 'title'] as const).flatMap((field) => {
      const text = textIn(contact, field);
      return text === '' ? [] : [`${field} ${text}`];
    }),
  );

/** A person of the cast gets a contact. */
export const addPerson = (people: People, entity: number, isPossibleMatch = false): void => {
  if (people.known.has(entity)) return;
  people.known.set(entity, {
    names: new Set(),
    owned: new Set(),
    held: new Set(),
    added: new Set(),
    removed: new Set(),
    isUncertain: false,
    isPossibleMatch,
  });
};

/** Records an edit of a contact of the cast; `before` is null for a new contact. */
export const recordValues = ({ known }: People, entity: number, before: Contact | null, after: Contact): void => {
  const person = known.get(entity);
  if (person === undefined) return;
  person.names.add(bareName(after));
  const [former, now] = [before === null ? new Set<string>() : elementsOf(before), elementsOf(after)];
  for (const text of textsOf(after)) person.owned.add(text);
  for (const element of now.difference(former)) {
    person.owned.add(element);
    person.held.add(element);
    person.added.add(element);
  }
  for (const element of former.difference(now)) {
    person.held.delete(element);
    person.removed.add(element);
  }
};

/** Records a deletion: removed values of the person may return, and added ones may be missing. */
export const markUncertain = ({ known }: People, entity: number): void => {
  const person = known.get(entity);
  if (person !== undefined) person.isUncertain = true;
};
