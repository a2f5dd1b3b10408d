import { expect, test } from 'vitest';
import type { FeedPage } from '../../../../src/core/contact/requests.ts';
import type { KnownRows } from '../../../../src/providers/remote.ts';
import { found } from '../../../support/carddav/fake-server.ts';
import { cardNamed, changesOf, openServer, pagesOf } from './support.ts';

const BOOK = '/ada/contacts/';
const multistatus = (rows: string): string =>
  `<d:multistatus xmlns:d="DAV:" xmlns:card="urn:ietf:params:xml:ns:carddav">${rows}<d:sync-token>1</d:sync-token></d:multistatus>`;

/** Opens a server whose ETags count the versions of one card, as those of SOGo do. */
const openCounting = async () => {
  const cards = new Map<string, { readonly text: string; readonly edits: number }>();
  const opened = await openServer({
    intercept: (_, body) => {
      const names = [...cards].filter(
        ([name]) => body.includes('sync-collection') || body.includes(`${name}</D:href>`),
      );
      if (!/sync-collection|multiget/u.test(body)) return null;
      const rows = names.map(([name, { text, edits }]) =>
        found(
          `${BOOK}${name}`,
          `<d:getetag>"gcs0000000${edits}"</d:getetag><card:address-data>${text}</card:address-data>`,
        ),
      );
      return { status: 207, headers: { 'content-type': 'application/xml' }, body: multistatus(rows.join('')) };
    },
  });
  const put = (name: string, text: string): void => {
    cards.set(name, { text, edits: (cards.get(name)?.edits ?? -1) + 1 });
  };
  return { ...opened, put };
};

/** The rows that are stored after these pages: each id with its own digest. */
const storedAfter = (pages: readonly FeedPage[]): KnownRows => {
  const stored = new Map(
    changesOf(pages).flatMap((each) => (each.kind === 'upsert' ? [[each.record.id, each.record.digest]] : [])),
  );
  return (rows) =>
    Promise.resolve(new Set(rows.filter(({ id, digest }) => stored.get(id) === digest).map(({ digest }) => digest)));
};

test('R1: a new or edited card is read by a whole listing although another card has an equal ETag', async () => {
  await using opened = await openCounting();
  const remote = opened.connect();
  opened.put('a.vcf', cardNamed('Ann'));
  opened.put('b.vcf', cardNamed('Bea'));
  opened.put('b.vcf', cardNamed('Bea'));
  const first = await pagesOf(remote, { mode: 'whole', resume: null });
  opened.put('a.vcf', cardNamed('Ann', 'TITLE:Cook'));
  opened.put('c.vcf', cardNamed('Cid'));
  opened.put('c.vcf', cardNamed('Cid'));
  const next = await pagesOf(remote, { mode: 'whole', resume: null, known: storedAfter(first) });
  expect(changesOf(next)).toMatchObject([
    { kind: 'upsert', record: { id: 'a.vcf', contact: { title: 'Cook' } } },
    { kind: 'upsert', record: { id: 'c.vcf', contact: { firstName: 'Cid' } } },
  ]);
  expect(next.flatMap(({ unchanged }) => unchanged)).toEqual(['b.vcf']);
});
