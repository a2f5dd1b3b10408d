import { describe, expect, test } from 'vitest';
import { convertAsCyrus, convertAsSabre } from '../../../support/carddav/converters.ts';
import type { FakeSettings } from '../../../support/carddav/fake-server.ts';
import {
  cardWith,
  changesOf,
  creation,
  cursorOf,
  forever,
  joining,
  openServer,
  pagesOf,
  WHOLE,
  type Opened,
  recordAt,
  recordsOf,
  valueOf,
  writeTitle,
} from './support.ts';

const cardOf = (version: string, ...lines: readonly string[]): string =>
  cardWith(version, 'UID:uid-a', 'FN:Ada', 'N:;Ada;;;', ...lines);

const PHOTO_3 = 'PHOTO;ENCODING=b;TYPE=JPEG:/9j/4AAQSkZJRgABAQEASABIAAD';
const PHOTO_4 = 'PHOTO:data:image/jpeg;base64,/9j/4AAQSkZJRgABAQEASABIAAD';

const CARDS = [
  ['3.0 without converted lines', cardOf('3.0')],
  ['4.0 without converted lines', cardOf('4.0')],
  ['3.0 with a photo', cardOf('3.0', PHOTO_3, 'EMAIL;TYPE=PREF:ada@a.example', 'item1.X-ABDATE:1835-07-08')],
  ['4.0 with a photo', cardOf('4.0', PHOTO_4, 'EMAIL;PREF=1:ada@a.example', 'ANNIVERSARY:18350708', 'KIND:individual')],
] as const;

const SERVERS = [
  ['Cyrus', { converts: convertAsCyrus }],
  ['SabreDAV 4', { converts: convertAsSabre }],
  ['Radicale', {}],
] as const;

const openBook = (settings: Partial<FakeSettings>): Promise<Opened> =>
  openServer({ versions: ['3.0', '4.0'], ...settings });

const titled = (card: string): string => card.replace('END:VCARD', 'TITLE:Countess\r\nEND:VCARD');

describe.each(SERVERS)('on a server that converts cards as %s does', (_server, manner) => {
  test.each(CARDS)('R10: no edit or change of categories changes another line of a card of %s', async (_card, card) => {
    await using opened = await openBook(manner);
    opened.server.put('a.vcf', card);
    const remote = opened.connect();
    const first = await pagesOf(remote, WHOLE);
    const [record = expect.fail('the card is not listed')] = recordsOf(first);
    const written = valueOf(await writeTitle(remote, record));
    expect(opened.server.text('a.vcf')).toBe(titled(card));
    // The feed returns the record of the answer.
    const [after] = changesOf(await pagesOf(opened.connect(), { mode: 'changes', cursor: cursorOf(first) }));
    expect(after).toMatchObject({ record: written });
    expect(await remote.changeMembership([joining('a', ['category:VIP'])], forever)).toMatchObject([{ ok: true }]);
    expect(opened.server.text('a.vcf')).toBe(titled(card).replace('END:VCARD', 'CATEGORIES:VIP\r\nEND:VCARD'));
  });

  test.each(['3.0', '4.0'])('R10: a member is added to a group card of version %s', async (version) => {
    await using opened = await openBook(manner);
    const prefix = version === '4.0' ? '' : 'X-ADDRESSBOOKSERVER-';
    const member = `${prefix}MEMBER`;
    const group = cardOf(version, `${prefix}KIND:group`, `${member}:urn:uuid:elsewhere`).replace('uid-a', 'uid-g');
    opened.server.put('g.vcf', group);
    opened.server.put('a.vcf', cardOf('3.0'));
    const results = await opened.connect().changeMembership([joining('a', ['g.vcf'])], forever);
    expect(results).toEqual([{ key: 'a', ok: true, value: ['g.vcf'] }]);
    expect(opened.server.text('g.vcf')).toBe(group.replace('END:VCARD', `${member}:urn:uuid:uid-a\r\nEND:VCARD`));
  });

  test('R10: a second edit of a card, also by a process that has not read it, keeps its version', async () => {
    await using opened = await openBook(manner);
    opened.server.put('a.vcf', cardOf('4.0', PHOTO_4));
    const remote = opened.connect();
    const first = valueOf(await writeTitle(remote, await recordAt(remote, 'a.vcf'), 'Baroness'));
    valueOf(await writeTitle(remote, first, 'Duchess'));
    const other = opened.connect();
    valueOf(await writeTitle(other, await recordAt(other, 'a.vcf')));
    expect(opened.server.text('a.vcf')).toBe(titled(cardOf('4.0', PHOTO_4)));
  });

  test('a new card has version 3.0', async () => {
    await using opened = await openBook(manner);
    const made = valueOf(await opened.connect().create([creation('people/1', { firstName: 'Ada' })], forever));
    expect(opened.server.text(made.id)).toContain('VERSION:3.0');
  });
});

const refusing = (words: string) => ({
  intercept: (_: unknown, body: string) => (body.includes(words) ? { status: 403 } : null),
});
const padded = (text: string, version: string) => convertAsSabre(text.replace('N:;', 'N:;  '), version);

test.each([
  ['the stored length is that of neither form', { converts: padded }],
  ['no length is reported', { converts: convertAsSabre, reportsLength: false }],
  ['version 4.0 cannot be read', { converts: convertAsSabre, ...refusing('version="4.0"') }],
  ['both forms have the stored length', { converts: convertAsCyrus, ...refusing('name="VERSION"') }],
])('R15: a card that is returned only in a converted form is not written: %s', async (_, manner) => {
  await using opened = await openBook(manner);
  opened.server.put('a.vcf', cardOf('4.0'));
  const remote = opened.connect();
  const [result] = await writeTitle(remote, await recordAt(remote, 'a.vcf'));
  expect(result).toMatchObject({ ok: false, error: { kind: 'invalid', applied: 'no' } });
  expect(opened.server.text('a.vcf')).toBe(cardOf('4.0'));
});

test('a record is made of the stored form of a card, because a conversion may drop values', async () => {
  const converts = (text: string, version: string): string =>
    convertAsSabre(text, version).replace(version === '3.0' ? /^TITLE:.*\r\n/mu : /^$/u, '');
  await using opened = await openBook({ converts });
  opened.server.put('a.vcf', cardOf('4.0', 'TITLE:Countess'));
  expect((await recordAt(opened.connect(), 'a.vcf')).contact.title).toBe('Countess');
});

test('an address book that takes only version 4.0 is read and written in it', async () => {
  await using opened = await openServer({ versions: ['4.0'], converts: convertAsSabre });
  opened.server.put('a.vcf', cardOf('4.0', PHOTO_4));
  const remote = opened.connect();
  valueOf(await writeTitle(remote, await recordAt(remote, 'a.vcf')));
  expect(opened.server.text('a.vcf')).toBe(titled(cardOf('4.0', PHOTO_4)));
});

test('a listing of cards of version 3.0 reads each of them once', async () => {
  await using opened = await openBook({ converts: convertAsSabre });
  opened.server.put('a.vcf', cardOf('3.0', PHOTO_3));
  await pagesOf(opened.connect(), WHOLE);
  expect(opened.server.requests.filter(({ body }) => body.includes('multiget'))).toHaveLength(1);
});
