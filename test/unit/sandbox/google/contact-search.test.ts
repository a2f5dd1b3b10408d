import { describe, expect, test } from 'vitest';
import type { Person } from '../../../../src/sandbox/google/person-schema.ts';
import { namesOf, refusalOf, startSandbox, type Sandbox } from './support.ts';

const ada: Person = {
  names: [{ givenName: 'Ada', familyName: 'Foo-Lovelace' }],
  nicknames: [{ value: 'Countess of Code' }],
  emailAddresses: [{ value: 'first.last@engines.example' }],
  phoneNumbers: [{ value: '(830) 285-9851' }],
  organizations: [{ name: 'Analytical Engines', title: 'Programmer' }],
  biographies: [{ value: 'Wrote notes' }],
};

async function search({ api }: Sandbox, query: string, more: { pageSize?: number; readMask?: string } = {}) {
  const { data } = await api.people.searchContacts({ query, readMask: 'names', ...more });
  return (data.results ?? []).map(({ person }) => person ?? {});
}

async function sandboxWith(...people: Person[]): Promise<Sandbox> {
  const sandbox = await startSandbox();
  for (const person of people) sandbox.emulator.account.createPerson(person);
  await search(sandbox, '');
  return sandbox;
}

describe('a search of contacts', () => {
  test.each([
    ['a'],
    ['ADA F'],
    ['foo'],
    ['love'],
    ['countess of'],
    ['code'],
    ['first.l'],
    ['engines.example'],
    ['830285'],
    ['+1 830'],
    ['(830) 285-98'],
    ['analytical e'],
    ['programmer'],
  ])('finds "%s" at the start of a word', async (query) => {
    await using sandbox = await sandboxWith(ada, { names: [{ givenName: 'Bob' }] });
    expect(namesOf(await search(sandbox, query))).toEqual(['Ada']);
  });

  test.each([['da'], ['oo-l'], ['ada foo lovelace'], ['85-9'], ['notes'], ['ada x'], ['.']])(
    'returns no contact for "%s"',
    async (query) => {
      await using sandbox = await sandboxWith(ada);
      expect(await search(sandbox, query)).toEqual([]);
    },
  );

  test('returns 10 people by default, and at most 30', async () => {
    const people = Array.from({ length: 31 }, (_, index) => ({ names: [{ givenName: `Ada${index}` }] }));
    await using sandbox = await sandboxWith(...people);
    expect(await search(sandbox, 'ada')).toHaveLength(10);
    expect(await search(sandbox, 'ada', { pageSize: 2 })).toHaveLength(2);
    expect(await search(sandbox, 'ada', { pageSize: 1000 })).toHaveLength(30);
  });

  test('returns the fields of the mask, from the contact source unless the profile is requested', async () => {
    await using sandbox = await sandboxWith(ada);
    const [found] = await search(sandbox, 'ada', { readMask: 'emailAddresses,metadata' });
    expect(Object.keys(found ?? {})).toEqual(['resourceName', 'etag', 'metadata', 'emailAddresses']);
    sandbox.emulator.setVariants({ profileValues: 'linked' });
    expect((await search(sandbox, 'ada'))[0]?.names).toHaveLength(1);
    const sources = ['READ_SOURCE_TYPE_CONTACT', 'READ_SOURCE_TYPE_PROFILE'];
    const { data } = await sandbox.api.people.searchContacts({ query: 'ada', readMask: 'names', sources });
    expect(data.results?.[0]?.person?.names).toHaveLength(2);
  });

  test('returns the contacts as they were at the last request with an empty query', async () => {
    await using sandbox = await startSandbox();
    const { account } = sandbox.emulator;
    const name = account.createPerson({ names: [{ givenName: 'Ada' }] });
    expect(await search(sandbox, 'ada')).toEqual([]);
    expect(await search(sandbox, '')).toEqual([]);
    expect(await search(sandbox, 'ada')).toHaveLength(1);
    account.updatePerson(name, { names: [{ givenName: 'Bob' }] });
    expect(namesOf(await search(sandbox, 'ada'))).toEqual(['Ada']);
    await search(sandbox, '');
    expect(await search(sandbox, 'ada')).toEqual([]);
    expect(namesOf(await search(sandbox, 'bob'))).toEqual(['Bob']);
  });

  test('returns them as they are in that variant', async () => {
    await using sandbox = await startSandbox({ variants: { searchCache: 'fresh' } });
    sandbox.emulator.account.createPerson({ names: [{ givenName: 'Ada' }] });
    expect(await search(sandbox, 'ada')).toHaveLength(1);
  });

  test.each([
    [{ readMask: '' }, 'readMask mask is required.'],
    [{ readMask: 'salary' }, 'Invalid readMask mask path: "salary".'],
    [{ pageSize: -1 }, `Invalid value at 'pageSize'`],
  ])('is refused with %j', async (parameters, message) => {
    await using sandbox = await startSandbox();
    const refusal = await refusalOf(search(sandbox, 'ada', parameters));
    expect(refusal).toMatchObject({ status: 400, error: { status: 'INVALID_ARGUMENT' } });
    expect(refusal.message).toContain(message);
  });

  test('uses one read, and can have planned faults', async () => {
    await using sandbox = await startSandbox({ quotas: { readsPerMinute: 1, writesPerMinute: 1 } });
    sandbox.emulator.addFault({ path: 'searchContacts\\?.*query=ada', effect: { kind: 'status', status: 503 } });
    expect(await refusalOf(search(sandbox, 'ada'))).toMatchObject({ status: 503 });
    await search(sandbox, 'ada');
    expect(await refusalOf(search(sandbox, 'ada'))).toMatchObject({ status: 429 });
  });
});
