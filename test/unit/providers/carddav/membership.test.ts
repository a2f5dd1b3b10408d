import { expect, test } from 'vitest';
import type { MembershipRequest } from '../../../../src/core/contact/requests.ts';
import { cardNamed, cardWith, changesOf, forever, groupCard, openCards, pagesOf, WHOLE } from './support.ts';

const change = (name: string, add: readonly string[], remove: readonly string[]): MembershipRequest => {
  return { key: name, id: `${name}.vcf`, add, remove, knownGroupIds: null };
};

const withoutUid = (name: string): string => cardWith('3.0', `FN:${name}`, `N:;${name};;;`);

const membersIn = (text: string | null): readonly string[] =>
  [...(text ?? '').matchAll(/MEMBER:(?:urn:uuid:)?(.*)\r/gu)].map(([, uid = '']) => uid);

test('R15: only a contact without a UID is refused if several contacts join a group card', async () => {
  await using opened = await openCards({
    a: cardNamed('A'),
    b: withoutUid('B'),
    c: cardNamed('C'),
    g: groupCard('Friends', 'uid-C'),
  });
  const results = await opened.remote.changeMembership(
    [change('a', ['g.vcf'], []), change('b', ['g.vcf'], []), change('c', [], ['g.vcf'])],
    forever,
  );
  expect(results).toMatchObject([
    { key: 'a', ok: true, value: ['g.vcf'] },
    { key: 'b', ok: false, error: { kind: 'invalid' } },
    { key: 'c', ok: true, value: [] },
  ]);
  expect(membersIn(opened.server.text('g.vcf'))).toEqual(['uid-A']);
});

test('R11: a contact without a UID is no member of a group card with an empty member', async () => {
  for (const member of ['', 'urn:uuid:']) {
    await using opened = await openCards({
      b: withoutUid('B'),
      g: cardNamed('Friends', 'X-ADDRESSBOOKSERVER-KIND:group', `X-ADDRESSBOOKSERVER-MEMBER:${member}`),
    });
    const { remote, server } = opened;
    expect(changesOf(await pagesOf(remote, WHOLE))).toMatchObject([{ record: { id: 'b.vcf', groupIds: [] } }]);
    const former = server.text('g.vcf');
    expect(await remote.changeMembership([change('b', [], ['g.vcf'])], forever)).toMatchObject([{ ok: true }]);
    expect(server.text('g.vcf')).toBe(former);
  }
});

test('R11: a contact whose UID another contact has, too, leaves a group card only together with it', async () => {
  await using opened = await openCards({
    a: cardNamed('A').replace('uid-A', 'URN:UUID:UID-same'),
    b: cardNamed('B').replace('uid-B', 'uid-same'),
    c: cardNamed('C'),
    g: groupCard('Friends', 'uid-same', 'uid-C'),
  });
  const { remote, server } = opened;
  const [one, two] = await remote.changeMembership([change('a', [], ['g.vcf']), change('c', [], ['g.vcf'])], forever);
  expect(one).toMatchObject({ ok: false, error: { kind: 'invalid', applied: 'no' } });
  expect(one).toMatchObject({ error: { message: expect.stringContaining('same UID') } });
  expect(two).toMatchObject({ ok: true, value: [] });
  expect(membersIn(server.text('g.vcf'))).toEqual(['uid-same']);
  const both = await remote.changeMembership([change('a', [], ['g.vcf']), change('b', [], ['g.vcf'])], forever);
  expect(both).toMatchObject([{ ok: true }, { ok: true }]);
  expect(membersIn(server.text('g.vcf'))).toEqual([]);
});
