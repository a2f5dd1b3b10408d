import type { Contact } from '../../src/core/contact/contact.ts';
import { createRandom, type Random } from '../../src/sandbox/people/random.ts';

/** A contact of a generated book; `truth` is the number of the person or company that it describes. */
export type Card = { readonly truth: number; readonly contact: Partial<Contact> };

/** Two books with the known true matches of their contacts. */
export type KnownBooks = { readonly left: readonly Card[]; readonly right: readonly Card[] };

const list = (text: string): readonly string[] => text.split(/\s+/u).filter((word) => word !== '');

const WOMEN =
  list(`Anna Martina Paula Karla Julia Laura Sofia Marta Petra Ingrid Helga Karin Astrid Nadia Olga Irina Vera Lucia
  Chiara Giulia Ines Carmen Beatriz Teresa Rosa Elif Ayse Leila Mina Yuki Hana Mei Priya Anjali Fatima Amina Zoé Hélène Maëlys
  Siân Brooke Grace Harriet Imogen Jasmine Käthe Änne Solveig Ragnhild Agnieszka`);
const MEN =
  list(`Martin Paul Karl Jonas Erik Lars Sven Nils Holger Bruno Oskar Emil Felix Hugo Leon Marco Luca Matteo Diego Pablo
  Sergio Rui Tiago Emre Murat Omar Yusuf Hassan Kenji Hiro Wei Arjun Rohan Vikram Pavel Igor Jürgen Sören Loïc Jérôme Rhys Callum
  Hunter Tyler Ethan Liam Olaf Torsten Günther Ulf`);
/** Formal names with a short form that is not a prefix of them. */
const SHORT_FORMS: readonly (readonly [formal: string, short: string])[] = [
  ['Robert', 'Bob'],
  ['William', 'Bill'],
  ['Elizabeth', 'Liz'],
  ['Margaret', 'Peggy'],
  ['Johannes', 'Hans'],
  ['Giuseppe', 'Beppe'],
  ['Francisco', 'Paco'],
  ['Katherine', 'Kate'],
  ['Alexander', 'Sascha'],
  ['Richard', 'Dick'],
];
const FAMILY_STARTS =
  list(`Berg Stein Lind Holm Wald Kerr Sand Brand Hart Fried Gold Schwarz Wein Rosen Born Dal Mar Tor Ves Kal
  Nor Sol Hal Bren Crow Ash Black Hazel Mill Whit Lang Kirch Brück Mühl Grün Röd Ström Østr Ål Père`);
const FAMILY_ENDS =
  list(`mann er son ström feld bach ton ley wood hoff berg ini elli ez ova enko escu sen quist haus ford
  ham worth gaard stad`);
const COMPANY_WORDS = list(
  'Harbour Cascade Meridian Aurora Basalt Cobalt Delta Ember Fjord Granite Heron Indigo Juniper Kestrel',
);
const COMPANY_KINDS = list(
  'Robotics Logistics Analytics Bakery Realty Textiles Optics Foods Marine Studios Timber Press',
);
const TITLES = list('Engineer Director Accountant Solicitor Designer Buyer');
const HONORIFICS = list('Dr. Prof. Mr. Herr Frau Mme Dott. Sra.');
/** Names in another script, with their Latin form. */
const TRANSLITERATIONS: readonly (readonly [given: string, family: string, latinGiven: string, latinFamily: string])[] =
  [
    ['Анна', 'Ковалёва', 'Anna', 'Kovaleva'],
    ['Дмитрий', 'Соколов', 'Dmitry', 'Sokolov'],
    ['Νίκος', 'Παπαδόπουλος', 'Nikos', 'Papadopoulos'],
    ['太郎', '山田', 'Taro', 'Yamada'],
    ['伟', '王', 'Wei', 'Wang'],
    ['민준', '김', 'Minjun', 'Kim'],
  ];
const SPACELESS: readonly (readonly [given: string, family: string])[] = [
  ['太郎', '山田'],
  ['花子', '佐藤'],
  ['小明', '王'],
  ['민준', '김'],
];

type Name = { readonly given: string; readonly family: string };
type Draw = {
  readonly random: Random;
  /** A number that no earlier call returned. */
  next(): number;
  /** The drawn names. Two people never have the same name, unless a situation draws namesakes. */
  readonly names: Set<string>;
  readonly left: Card[];
  readonly right: Card[];
};

const plain = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z]+/gu, '');

const familyName = ({ random }: Draw): string => random.pick(FAMILY_STARTS) + random.pick(FAMILY_ENDS);
/** Returns a family name that was not drawn before with any of the given names. */
const freeFamily = (draw: Draw, givens: readonly string[]): string => {
  for (;;) {
    const family = familyName(draw);
    const keys = givens.map((given) => plain(`${given} ${family}`));
    if (keys.some((key) => draw.names.has(key))) continue;
    for (const key of keys) draw.names.add(key);
    return family;
  }
};
const nameOf = (draw: Draw, given: string): Name => ({ given, family: freeFamily(draw, [given]) });
const personName = (draw: Draw): Name => nameOf(draw, draw.random.pick(draw.random.chance(0.5) ? WOMEN : MEN));
const companyName = (draw: Draw): string =>
  `${draw.random.pick(COMPANY_WORDS)} ${draw.random.pick(COMPANY_KINDS)} ${draw.next()}`;

const ownEmail = (draw: Draw, { given, family }: Name): string =>
  `${plain(given) || 'user'}.${plain(family) || 'x'}${draw.next()}@mail.test`;

/** Returns a mobile number in two notations. */
const phonePair = (draw: Draw): readonly [string, string] => {
  const digits = String(2_000_000 + draw.next()).padStart(7, '0');
  const spaced = `${digits.slice(0, 3)} ${digits.slice(3)}`;
  return draw.random.pick([
    [`+49 171 ${spaced}`, `0171/${digits}`],
    [`+49171${digits}`, `0049 171 ${spaced}`],
    [`+49 171 ${spaced}`, `+49 (171) ${digits.slice(0, 3)}-${digits.slice(3)}`],
  ]);
};

const emails = (...given: readonly string[]): Pick<Contact, 'emailAddresses'> => ({
  emailAddresses: given.map((value) => ({ value, label: null })),
});
const phones = (...given: readonly string[]): Pick<Contact, 'phoneNumbers'> => ({
  phoneNumbers: given.map((value) => ({ value, label: null })),
});
const named = ({ given, family }: Name): Pick<Contact, 'firstName' | 'lastName'> => ({
  firstName: given,
  lastName: family,
});

const withoutMarks = (text: string): string => text.normalize('NFKD').replace(/\p{M}+/gu, '');

const initialOf = (given: string): string => plain(given).slice(0, 1);

/** Returns another spelling of the name. With `others` at the same address, it is not an initial that two of them share. */
const respelt = ({ random }: Draw, { given, family }: Name, others: readonly string[] = []): Partial<Contact> =>
  random.pick<() => Partial<Contact>>([
    () => named({ given, family }),
    () => named({ given, family }),
    () => named({ given: `${random.pick(HONORIFICS)} ${given}`, family }),
    () => named({ given: withoutMarks(given), family: withoutMarks(family) }),
    () => named({ given: given.toUpperCase(), family: family.toUpperCase() }),
    () => ({ firstName: `${given} ${family}`, lastName: '' }),
    () => ({ firstName: '', lastName: `${given} ${family}` }),
    () => named({ given: `${given} ${random.pick(['J.', 'M', 'Maria'])}`, family }),
    () =>
      named({
        given: others.filter((other) => initialOf(other) === initialOf(given)).length > 1 ? given : given.slice(0, 1),
        family,
      }),
  ])();

const job = (draw: Draw, share: number): Partial<Contact> =>
  draw.random.chance(share) ? { company: companyName(draw), title: draw.random.pick(TITLES) } : {};

const addBoth = (draw: Draw, truth: number, left: Partial<Contact>, right: Partial<Contact>): void => {
  const [first, second] = draw.random.chance(0.5) ? [left, right] : [right, left];
  draw.left.push({ truth, contact: first });
  draw.right.push({ truth, contact: second });
};

const addOne = (draw: Draw, truth: number, contact: Partial<Contact>): void => {
  (draw.random.chance(0.5) ? draw.left : draw.right).push({ truth, contact });
};

/** Adds a contact to both sides in most cases, else to one of them. */
const add = (draw: Draw, truth: number, left: Partial<Contact>, right: Partial<Contact>): void => {
  if (draw.random.chance(0.7)) addBoth(draw, truth, left, right);
  else addOne(draw, truth, draw.random.chance(0.5) ? left : right);
};

const stranger = (draw: Draw): void => {
  const name = personName(draw);
  const [email, second] = [ownEmail(draw, name), ownEmail(draw, name)];
  const [phone, other] = phonePair(draw);
  const details = job(draw, 0.5);
  add(
    draw,
    draw.next(),
    { ...named(name), ...emails(email, ...(draw.random.chance(0.3) ? [second] : [])), ...phones(phone), ...details },
    { ...respelt(draw, name), ...emails(email), ...(draw.random.chance(0.5) ? phones(other) : {}) },
  );
};

const byNameAlone = (draw: Draw): void => {
  const name = personName(draw);
  add(draw, draw.next(), { ...named(name), ...job(draw, 0.3) }, { ...named(name), ...phones(phonePair(draw)[0]) });
};

const privateAndWork = (draw: Draw): void => {
  const name = personName(draw);
  const [first, second] = [ownEmail(draw, name), `${plain(name.given).slice(0, 1)}${draw.next()}@work.test`];
  addBoth(
    draw,
    draw.next(),
    { ...named(name), ...emails(first) },
    { ...named(name), ...emails(second), ...job(draw, 1) },
  );
};

const shortFormWithoutAddress = (draw: Draw): void => {
  const [formal, short] = draw.random.pick(SHORT_FORMS);
  const family = freeFamily(draw, [formal, short]);
  const [first, second] = [`${draw.next()}@mail.test`, `${draw.next()}@work.test`];
  addBoth(
    draw,
    draw.next(),
    { ...named({ given: formal, family }), ...emails(first) },
    { ...named({ given: short, family }), ...emails(second) },
  );
};

const shortForm = (draw: Draw): void => {
  const [formal, short] = draw.random.pick(SHORT_FORMS);
  const family = freeFamily(draw, [formal, short]);
  const shared = draw.random.chance(0.5)
    ? [emails(ownEmail(draw, { given: short, family })), {}]
    : phonePair(draw).map((phone) => phones(phone));
  const [first = {}, second = first] = shared;
  const isByEmail = 'emailAddresses' in first;
  add(
    draw,
    draw.next(),
    { ...named({ given: formal, family }), ...first },
    { ...named({ given: short, family }), ...(isByEmail ? first : second) },
  );
};

const household = (draw: Draw): void => {
  const [phone, other] = phonePair(draw);
  const givens = draw.random.chance(0.3)
    ? draw.random.pick([
        ['Martin', 'Martina'],
        ['Paul', 'Paula'],
        ['Karl', 'Karla'],
        ['Jan', 'Jana'],
      ])
    : draw.random.shuffle([...new Set([draw.random.pick(WOMEN), draw.random.pick(MEN), draw.random.pick(WOMEN)])]);
  const family = freeFamily(draw, givens);
  const email = `${plain(family)}${draw.next()}@home.test`;
  for (const given of givens) {
    const own = draw.random.chance(0.4) ? [ownEmail(draw, { given, family })] : [];
    const contact = { ...named({ given, family }), ...emails(...own, email), ...phones(phone) };
    add(draw, draw.next(), contact, {
      ...respelt(draw, { given, family }, givens),
      ...emails(email),
      ...phones(other),
    });
  }
  if (draw.random.chance(0.2))
    addOne(draw, draw.next(), { firstName: givens.join(' & '), lastName: family, ...emails(email) });
};

const fatherAndSon = (draw: Draw): void => {
  const name = nameOf(draw, draw.random.pick(MEN));
  const email = `${plain(name.family)}${draw.next()}@home.test`;
  for (const suffix of ['Jr.', 'Sr.']) {
    const contact = { ...named({ ...name, family: `${name.family} ${suffix}` }), ...emails(email) };
    add(draw, draw.next(), contact, contact);
  }
};

const office = (draw: Draw): void => {
  const company = companyName(draw);
  const role = `info${draw.next()}@office.test`;
  const [phone, other] = phonePair(draw);
  const size = 2 + draw.random.below(4);
  for (let seat = 0; seat < size; seat++) {
    const name = personName(draw);
    const own = draw.random.chance(0.6) ? [ownEmail(draw, name)] : [];
    const common = { company, ...emails(...own, role) };
    add(
      draw,
      draw.next(),
      { ...named(name), ...common, ...phones(phone) },
      { ...respelt(draw, name), ...common, ...phones(other) },
    );
  }
  if (draw.random.chance(0.7)) {
    add(
      draw,
      draw.next(),
      { company, ...emails(role), ...phones(phone) },
      { company: `${company} GmbH`, ...emails(role) },
    );
  }
};

const successor = (draw: Draw): void => {
  const company = companyName(draw);
  const desk = `desk${draw.next()}@office.test`;
  const [phone, other] = phonePair(draw);
  draw.left.push({
    truth: draw.next(),
    contact: { ...named(personName(draw)), company, ...emails(desk), ...phones(phone) },
  });
  draw.right.push({
    truth: draw.next(),
    contact: { ...named(personName(draw)), company, ...emails(desk), ...phones(other) },
  });
};

const namesakes = (draw: Draw): void => {
  const name = personName(draw);
  for (let count = 0; count < 2; count++) {
    const contact = { ...named(name), ...emails(ownEmail(draw, name)), ...job(draw, 1) };
    add(draw, draw.next(), { ...contact, ...phones(phonePair(draw)[0]) }, contact);
  }
};

const transliterated = (draw: Draw): void => {
  const [given, family, latinGiven, latinFamily] = draw.random.pick(TRANSLITERATIONS);
  const number = draw.next();
  const latin = { given: latinGiven, family: latinFamily };
  const [phone, other] = phonePair(draw);
  const isByEmail = draw.random.chance(0.5);
  const email = `${plain(latinGiven)}.${plain(latinFamily)}${number}@mail.test`;
  addBoth(
    draw,
    draw.next(),
    { ...named({ given, family }), ...(isByEmail ? emails(email) : phones(phone)) },
    { ...named(latin), ...(isByEmail ? emails(email) : phones(other)) },
  );
};

const undivided = (draw: Draw): void => {
  const [given, family] = draw.random.pick(SPACELESS);
  const email = `user${draw.next()}@mail.test`;
  addBoth(
    draw,
    draw.next(),
    { ...named({ given, family }), ...emails(email) },
    { firstName: draw.random.pick([`${family}${given}`, `${family} ${given}`]), lastName: '', ...emails(email) },
  );
};

const newFamilyName = (draw: Draw): void => {
  const given = draw.random.pick(WOMEN);
  const [before, after] = [freeFamily(draw, [given]), freeFamily(draw, [given])];
  const email = ownEmail(draw, { given, family: before });
  addBoth(
    draw,
    draw.next(),
    { ...named({ given, family: before }), ...emails(email) },
    { ...named({ given, family: after }), ...emails(email) },
  );
};

const addressAsName = (draw: Draw): void => {
  const name = personName(draw);
  const email = ownEmail(draw, name);
  addBoth(
    draw,
    draw.next(),
    { firstName: email, lastName: '', ...emails(email) },
    { ...named(name), ...emails(email) },
  );
};

const shorterName = (draw: Draw): void => {
  const name = personName(draw);
  const [phone, other] = phonePair(draw);
  const short = draw.random.pick([
    { firstName: name.given, lastName: '' },
    named({ given: name.given.slice(0, 1), family: name.family }),
  ]);
  addBoth(draw, draw.next(), { ...named(name), ...phones(phone) }, { ...short, ...phones(other) });
};

/** Kinds of situations with their weights. */
const KINDS: readonly (readonly [weight: number, kind: (draw: Draw) => void])[] = [
  [50, stranger],
  [5, byNameAlone],
  [4, privateAndWork],
  [1, shortFormWithoutAddress],
  [5, shortForm],
  [8, household],
  [1, fatherAndSon],
  [6, office],
  [3, successor],
  [3, namesakes],
  [3, transliterated],
  [2, undivided],
  [2, newFamilyName],
  [1, addressAsName],
  [3, shorterName],
];

/** Makes two books of about `size` contacts each, in random order. The same seed gives the same books. Pure. */
export const makeKnownBooks = (size: number, seed: number): KnownBooks => {
  const random = createRandom(seed);
  let count = 0;
  const draw: Draw = { random, next: () => (count += 1), names: new Set(), left: [], right: [] };
  const kinds = KINDS.flatMap(([weight, kind]) => Array.from({ length: weight }, () => kind));
  while (draw.left.length < size) random.pick(kinds)(draw);
  return { left: random.shuffle(draw.left), right: random.shuffle(draw.right) };
};
