import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeVCards } from '../../sandbox/address-book/vcard-write.ts';
import { EMPTY_PERSON, type Person } from '../../sandbox/people/person.ts';
import type { Clock } from '../../util/clock.ts';
import type { Book, BookContact, NewContact } from './book.ts';

/** A property of a card: its name without group and parameters in upper case, the text before the colon, the value. */
type Property = { readonly name: string; readonly head: string; readonly value: string };

const propertyOf = (line: string): Property => {
  const colon = line.search(/:(?=(?:[^"]*"[^"]*")*[^"]*$)/u);
  const head = line.slice(0, colon);
  return { name: head.replace(/;.*$/su, '').replace(/^.*\./u, '').toUpperCase(), head, value: line.slice(colon + 1) };
};

const readCard = (text: string): readonly Property[] =>
  text
    .replaceAll(/\r?\n[ \t]/gu, '')
    .split(/\r?\n/u)
    .filter((line) => line !== '')
    .map(propertyOf);

const writeCard = (properties: readonly Property[]): string =>
  properties.map(({ head, value }) => `${head}:${value}\r\n`).join('');

const unescape = (value: string): string =>
  value.replaceAll(/\\(.)/gsu, (_, sign: string) => (sign.toLowerCase() === 'n' ? '\n' : sign));
const escape = (text: string): string => text.replaceAll(/[\\;,]/gu, String.raw`\$&`).replaceAll('\n', String.raw`\n`);
const partsOf = (value: string, separator: ';' | ','): readonly string[] =>
  (value.match(separator === ';' ? /(?:\\.|[^\\;])*(?:;|$)/gsu : /(?:\\.|[^\\,])*(?:,|$)/gsu) ?? []).map((part) =>
    unescape(part.endsWith(separator) ? part.slice(0, -1) : part),
  );

const valuesOf = (card: readonly Property[], name: string): readonly string[] =>
  card.filter((property) => property.name === name).map(({ value }) => value);
const groupsOf = (card: readonly Property[]): readonly string[] =>
  valuesOf(card, 'CATEGORIES').flatMap((value) => partsOf(value, ',').filter((name) => name !== ''));

const contactOf = (id: string, card: readonly Property[]): BookContact => {
  const [lastName = '', firstName = ''] = partsOf(valuesOf(card, 'N')[0] ?? '', ';');
  return {
    id,
    firstName,
    lastName,
    company: partsOf(valuesOf(card, 'ORG')[0] ?? '', ';')[0] ?? '',
    title: unescape(valuesOf(card, 'TITLE')[0] ?? ''),
    emails: valuesOf(card, 'EMAIL').map(unescape),
    phones: valuesOf(card, 'TEL').map(unescape),
    addresses: valuesOf(card, 'ADR').map((value) => partsOf(value, ';').join(' ')),
    websites: valuesOf(card, 'URL').map(unescape),
    groups: groupsOf(card),
  };
};

const personOf = ({ firstName, lastName, emails, phones, ...contact }: NewContact): Person => ({
  ...EMPTY_PERSON,
  ...contact,
  givenName: firstName,
  familyName: lastName,
  emails: emails.map((value) => ({ value, label: null })),
  phones: phones.map((value) => ({ value, label: null })),
});

/** The address book in Radicale's folder of cards, edited like by another program of its owner. `REV` is the time of an edit. */
export const radicaleBook = (folder: string, clock: Clock, people: readonly Person[]): Book => {
  const names = (): readonly string[] => readdirSync(folder).filter((name) => /^[^.].*\.vcf$/u.test(name));
  const read = (id: string): readonly Property[] => readCard(readFileSync(join(folder, id), 'utf8'));
  const write = (id: string, card: readonly Property[]): void => {
    const revision = propertyOf(`REV:${new Date(clock.now()).toISOString()}`);
    const others = card.filter(({ name }) => name !== 'REV');
    const draft = join(folder, `.${id}.new`);
    writeFileSync(draft, writeCard([...others.slice(0, -1), revision, ...others.slice(-1)]));
    renameSync(draft, join(folder, id));
  };
  const edit = (id: string, change: (card: readonly Property[]) => readonly Property[]): void =>
    write(id, change(read(id)));
  const insert = (id: string, lines: readonly string[]): void =>
    edit(id, (card) => [...card.slice(0, -1), ...lines.map(propertyOf), ...card.slice(-1)]);
  const create = (person: Person): void => {
    for (const text of writeVCards([person])) {
      const uid = randomUUID();
      const [begin, version, ...rest] = readCard(text);
      if (begin !== undefined && version !== undefined)
        write(`${uid}.vcf`, [begin, version, propertyOf(`UID:${uid}`), ...rest]);
    }
  };
  const setGroups = (id: string, groups: readonly string[]): void => {
    edit(id, (card) => card.filter(({ name }) => name !== 'CATEGORIES'));
    if (groups.length > 0) insert(id, [`CATEGORIES:${groups.map(escape).join(',')}`]);
  };
  const replaceValue = (id: string, property: string, from: string | null, to: string): void =>
    edit(id, (card) =>
      card.map((each) =>
        each.name === property && (from === null || unescape(each.value) === from)
          ? { ...each, value: escape(to) }
          : each,
      ),
    );
  for (const person of people) create(person);
  return {
    groupWords: { one: 'group', within: 'in the group' },
    keepsEmptyGroups: false,
    contacts: () => names().map((id) => contactOf(id, read(id))),
    groups: () => [...new Set(names().flatMap((id) => groupsOf(read(id))))],
    add: (contact) => create(personOf(contact)),
    setTitle: (id, title) => replaceValue(id, 'TITLE', null, title),
    replaceEmail: (id, from, to) => replaceValue(id, 'EMAIL', from, to),
    addPhone: (id, phone) => insert(id, [`TEL:${escape(phone)}`]),
    remove: (id) => unlinkSync(join(folder, id)),
    setGroups,
    renameGroup: (from, to) => {
      for (const id of names()) {
        const groups = groupsOf(read(id));
        if (groups.includes(from))
          setGroups(
            id,
            groups.map((name) => (name === from ? to : name)),
          );
      }
    },
  };
};
