import ICAL from 'ical.js';
import { USUAL_FIELDS } from '../../../src/core/contact/contact.ts';
import { type ChosenFields } from '../../../src/core/contact/chosen.ts';
import { createCarddavRemote } from '../../../src/providers/carddav/carddav-remote.ts';
import { carddav } from '../../../src/providers/carddav/provider.ts';
import type { Remote } from '../../../src/providers/remote.ts';
import type { BookFolder } from '../carddav/server.ts';
import { startTroubledProxy } from '../carddav/troubled-proxy.ts';
import { type Card, type Harness } from './harness.ts';
import { createLeapingClock } from '../clocks.ts';
import { openTransport } from '../network.ts';

/** The way in which an address book stores groups. */
export type GroupKeeping = 'cards' | 'categories';

const escaped = (text: string): string => text.replaceAll(/[\\;,]/gu, String.raw`\$&`);

const cardText = (uid: string, card: Card): string =>
  [
    'BEGIN:VCARD',
    'VERSION:3.0',
    `UID:${uid}`,
    `FN:${escaped(`${card.firstName} ${card.lastName}`.trim())}`,
    `N:${escaped(card.lastName)};${escaped(card.firstName)};;;`,
    ...(card.company === '' ? [] : [`ORG:${escaped(card.company)}`]),
    ...(card.title === '' ? [] : [`TITLE:${escaped(card.title)}`]),
    ...card.emails.map((email) => `EMAIL;TYPE=WORK:${email}`),
    ...card.phones.map((phone) => `TEL;TYPE=CELL:${phone}`),
    'END:VCARD',
    '',
  ].join('\r\n');

/** The lines of a card that the owner's program edits: each property by a line of its own. */
const unfoldedLines = (text: string): readonly string[] =>
  text
    .replaceAll(/\r?\n[ \t]/gu, '')
    .split(/\r?\n/u)
    .filter((line) => line !== '');

const nameOf = (line: string): string => /^(?:[\w-]+\.)?([\w-]+)/u.exec(line)?.[1]?.toUpperCase() ?? '';

const MAPPED = new Set('BEGIN END VERSION UID FN N ORG TITLE EMAIL TEL CATEGORIES REV PRODID'.split(' '));

/** The parts of a card other than its name and the lists of each contact. */
const MORE = [
  'NICKNAME:Countess',
  'BDAY:1815-12-10',
  'NOTE:First\\nsecond\\, third',
  'X-PHONETIC-FIRST-NAME:Eyda',
  'item1.X-ABDATE:1835-07-08',
  'item1.X-ABLabel:_$!<Anniversary>!$_',
  'X-COLOUR;X-SHADE="dark:blue":blue',
  'KEY;VALUE=uri:https://example.org/ada.asc',
];

const textsOf = (component: ICAL.Component, name: string): string[] =>
  component.getAllProperties(name).map((property) => String([property.getFirstValue()].flat(2)[0] ?? ''));

const partsOf = (component: ICAL.Component, name: string): readonly string[] =>
  [component.getFirstPropertyValue(name) ?? []].flat().map(String);

const memberLine = (uid: string): string => `X-ADDRESSBOOKSERVER-MEMBER:urn:uuid:${uid}`;

/** The owner of an address book, whose program edits the cards of a folder. */
export const ownerOf = (book: BookFolder, keeping: GroupKeeping) => {
  let cards = 0;
  const textOf = (id: string): string => book.read(id) ?? '';
  const linesOf = (id: string): readonly string[] => unfoldedLines(textOf(id));
  const valuesOf = (id: string, name: string): readonly string[] =>
    linesOf(id)
      .filter((line) => nameOf(line) === name)
      .map((line) => line.slice(line.indexOf(':') + 1));
  const uidOf = (id: string): string => valuesOf(id, 'UID')[0] ?? '';
  const isGroup = (text: string): boolean => unfoldedLines(text).includes('X-ADDRESSBOOKSERVER-KIND:group');
  const replace = (id: string, edit: (lines: readonly string[]) => readonly string[]): void => {
    const [end = '', ...rest] = linesOf(id).toReversed();
    book.write(id, [...edit(rest.toReversed()), end, ''].join('\r\n'));
  };
  const newName = (): string => {
    cards += 1;
    return `card-${cards}`;
  };
  const cardIn = (id: string): Card => {
    const component = new ICAL.Component(ICAL.parse(textOf(id)) as unknown[]);
    const [lastName = '', firstName = ''] = partsOf(component, 'n');
    return {
      firstName,
      lastName,
      company: textsOf(component, 'org')[0] ?? '',
      title: textsOf(component, 'title')[0] ?? '',
      emails: textsOf(component, 'email'),
      phones: textsOf(component, 'tel'),
    };
  };
  const categories = (id: string): readonly string[] =>
    valuesOf(id, 'CATEGORIES').flatMap((value) => value.split(',').filter((name) => name !== ''));
  const groupIdsOf = (id: string): readonly string[] => {
    const own = memberLine(uidOf(id));
    const inCards = [...book.cards()].filter(([, text]) => isGroup(text) && unfoldedLines(text).includes(own));
    return [...inCards.map(([name]) => name), ...categories(id).map((name) => `category:${name}`)].toSorted();
  };
  const join = (id: string, groupId: string): void => {
    if (keeping === 'cards') replace(groupId, (lines) => [...lines, memberLine(uidOf(id))]);
    else {
      const names = [...categories(id), groupId.slice('category:'.length)];
      replace(id, (lines) => [
        ...lines.filter((line) => nameOf(line) !== 'CATEGORIES'),
        `CATEGORIES:${names.join(',')}`,
      ]);
    }
  };
  const leave = (id: string, groupId: string): void => {
    if (keeping === 'cards') replace(groupId, (lines) => lines.filter((line) => line !== memberLine(uidOf(id))));
    else {
      const names = categories(id).filter((name) => name !== groupId.slice('category:'.length));
      const others = (lines: readonly string[]) => lines.filter((line) => nameOf(line) !== 'CATEGORIES');
      replace(id, (lines) => [...others(lines), ...(names.length === 0 ? [] : [`CATEGORIES:${names.join(',')}`])]);
    }
  };
  const groupNameOf = (groupId: string): string =>
    keeping === 'cards' ? (valuesOf(groupId, 'FN')[0] ?? '') : groupId.slice('category:'.length);
  const idsWhere = (isWanted: (text: string) => boolean): readonly string[] =>
    [...book.cards()].flatMap(([id, text]) => (isWanted(text) ? [id] : []));
  const owner = {
    add: (card, groupIds = []) => {
      const name = newName();
      const whole = { firstName: '', lastName: '', company: '', title: '', emails: [], phones: [], ...card };
      book.write(`${name}.vcf`, cardText(`uid-${name}`, whole));
      for (const groupId of groupIds) join(`${name}.vcf`, groupId);
      return `${name}.vcf`;
    },
    edit: (id, change) => {
      const others = linesOf(id).filter((line) => !MAPPED.has(nameOf(line)) || nameOf(line) === 'CATEGORIES');
      const [end = '', ...rest] = unfoldedLines(cardText(uidOf(id), { ...cardIn(id), ...change })).toReversed();
      book.write(id, [...rest.toReversed(), ...others, end, ''].join('\r\n'));
    },
    remove: (id) => book.remove(id),
    merge: (_survivorId, loserId) => book.remove(loserId),
    addGroup: (name) => {
      if (keeping === 'categories') return `category:${name}`;
      const id = newName();
      const lines = [`UID:${id}`, `FN:${escaped(name)}`, `N:${escaped(name)};;;;`, 'X-ADDRESSBOOKSERVER-KIND:group'];
      book.write(`${id}.vcf`, ['BEGIN:VCARD', 'VERSION:3.0', ...lines, 'END:VCARD', ''].join('\r\n'));
      return `${id}.vcf`;
    },
    join,
    card: (id) => (book.read(id) === null || isGroup(textOf(id)) ? null : cardIn(id)),
    groupIdsOf,
    ids: () => idsWhere((text) => !isGroup(text)),
    giveMore: (id) => replace(id, (lines) => [...lines, ...MORE]),
    more: (id) =>
      linesOf(id)
        .filter((line) => !MAPPED.has(nameOf(line)))
        .map((line) => line.toLowerCase())
        .toSorted(),
    define: () => {},
    writes: (field) => !carddav.readOnlyFields.includes(field),
  } satisfies Partial<Harness>;
  return {
    ...owner,
    leave,
    groupNameOf,
    groups: (): readonly string[] => (keeping === 'cards' ? idsWhere(isGroup) : []),
  };
};

/** The CardDAV adapter on an address book of a server, behind a proxy that makes requests go wrong. */
export const openCarddavHarness = async (book: BookFolder, keeping: GroupKeeping): Promise<Harness> => {
  const clock = createLeapingClock();
  const proxy = await startTroubledProxy(book, clock);
  const { transport, close } = openTransport();
  const connect = (password: string, fields: ChosenFields = USUAL_FIELDS): Remote =>
    createCarddavRemote({
      newCnonce: () => 'cnonce',
      url: proxy.url,
      username: book.username,
      password,
      addressbook: null,
      groupStyle: keeping === 'cards' ? 'cards' : 'auto',
      transport,
      clock,
      random: () => 0.5,
      requestCount: () => proxy.arrived(),
      timeToSendMs: () => 0,
      fields,
      maxElapsedMs: 600_000,
    });
  return {
    remote: connect(book.password),
    clock,
    moreThanAPage: 150,
    arrived: () => proxy.arrived(),
    arrivedToUpdate: () => proxy.arrived('update'),
    ...ownerOf(book, keeping),
    disturb: (kind, trouble) => proxy.disturb({ kind, trouble }),
    refuseOne: (requests) => {
      proxy.refuse('B@example.org');
      return [...requests];
    },
    hold: (kind, holdMs) => proxy.disturb({ kind, trouble: { holdMs } }),
    limitTightly: () => proxy.limitTightly(),
    revoke: () => book.revoke(),
    choosing: (fields) => connect(book.password, fields),
    impostor: () => connect('never the password'),
    [Symbol.asyncDispose]: async () => {
      await close();
      await proxy[Symbol.asyncDispose]();
    },
  };
};
