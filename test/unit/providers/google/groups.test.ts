import { describe, expect, test } from 'vitest';
import { apiError, NEVER, startGoogle, type Reply } from './support.ts';

const group = (id: string, name: string, etag = 'e1') => ({
  resourceName: `contactGroups/${id}`,
  etag,
  name,
  formattedName: name,
  groupType: 'USER_CONTACT_GROUP',
});
const system = { resourceName: 'contactGroups/myContacts', groupType: 'SYSTEM_CONTACT_GROUP', name: 'myContacts' };
const taken = apiError(409, 'ALREADY_EXISTS', 'Contact group name already exists');
const outdated = apiError(409, 'ABORTED', 'Contact group etag is outdated');

describe('labels', () => {
  test('all pages of user labels, no system groups', async () => {
    await using google = await startGoogle(({ query }): Reply =>
      query.get('pageToken') === 'p2'
        ? { body: { contactGroups: [group('0b', 'Work')], nextSyncToken: 's' } }
        : { body: { contactGroups: [system, group('0a', 'Friends')], nextPageToken: 'p2', nextSyncToken: 's' } },
    );
    expect(await google.remote.listGroups(NEVER)).toEqual([
      { id: 'contactGroups/0a', name: 'Friends', version: 'e1' },
      { id: 'contactGroups/0b', name: 'Work', version: 'e1' },
    ]);
    expect(google.requests[0]?.query.get('pageSize')).toBe('1000');
    expect(google.requests[0]?.query.has('syncToken')).toBe(false);
  });

  test('one label, or null where it is gone', async () => {
    await using google = await startGoogle(({ path }) =>
      path.endsWith('0a') ? { body: group('0a', 'Work') } : apiError(404, 'NOT_FOUND'),
    );
    expect(await google.remote.readGroup('contactGroups/0a', NEVER)).toMatchObject({ name: 'Work' });
    expect(await google.remote.readGroup('contactGroups/0b', NEVER)).toBeNull();
  });

  test('creating one that exists adopts it by name', async () => {
    await using google = await startGoogle(({ method }) =>
      method === 'POST' ? taken : { body: { contactGroups: [group('0a', 'Other'), group('0b', 'WORK')] } },
    );
    expect(await google.remote.createGroup('Work', NEVER)).toMatchObject({ id: 'contactGroups/0b' });
    await expect(google.remote.createGroup('Absent', NEVER)).rejects.toMatchObject({ kind: 'name-taken' });
  });

  test('renaming shows the etag and leaves everything else', async () => {
    await using google = await startGoogle(({ body }) => ({ body: group('0a', body.contactGroup.name, 'e2') }));
    const current = { id: 'contactGroups/0a', name: 'Old', version: 'e1' };
    expect(await google.remote.renameGroup(current, 'New', NEVER)).toEqual({ ...current, name: 'New', version: 'e2' });
    expect(google.requests[0]).toMatchObject({
      method: 'PUT',
      path: '/v1/contactGroups/0a',
      body: { contactGroup: { etag: 'e1', name: 'New' }, updateGroupFields: 'name' },
    });
  });

  test('renaming with an outdated etag reads once more', async () => {
    await using google = await startGoogle(({ method, body }): Reply => {
      if (method === 'GET') return { body: group('0a', 'Other', 'e5') };
      return body.contactGroup.etag === 'e5' ? { body: group('0a', 'New', 'e6') } : outdated;
    });
    const current = { id: 'contactGroups/0a', name: 'Old', version: 'e1' };
    expect(await google.remote.renameGroup(current, 'New', NEVER)).toMatchObject({ name: 'New', version: 'e6' });
  });

  test('renaming to a taken name says so', async () => {
    await using google = await startGoogle(() => taken);
    const current = { id: 'contactGroups/0a', name: 'Old', version: 'e1' };
    await expect(google.remote.renameGroup(current, 'New', NEVER)).rejects.toMatchObject({ kind: 'name-taken' });
  });

  test('deleting keeps the contacts, and one already gone counts as deleted', async () => {
    await using google = await startGoogle((_, count) => (count === 1 ? {} : apiError(404, 'NOT_FOUND')));
    await google.remote.deleteGroup('contactGroups/0a', NEVER);
    await google.remote.deleteGroup('contactGroups/0a', NEVER);
    expect(google.requests.map(({ method, query }) => [method, query.get('deleteContacts')])).toEqual([
      ['DELETE', 'false'],
      ['DELETE', 'false'],
    ]);
  });
});

describe('the account behind the token', () => {
  test('is known by its resource name', async () => {
    await using google = await startGoogle(() => ({ body: { resourceName: 'people/117', etag: 'x' } }));
    expect(await google.remote.identify(NEVER)).toBe('people/117');
    expect(google.requests[0]?.query.get('personFields')).toBe('metadata');
  });

  test.each([
    ['a 404', apiError(404, 'NOT_FOUND')],
    ['a 400', apiError(400, 'INVALID_ARGUMENT')],
    ['a missing scope', apiError(403, 'PERMISSION_DENIED', 'Request had insufficient authentication scopes.')],
  ])('is unknown after %s', async (_, reply) => {
    await using google = await startGoogle(() => reply);
    expect(await google.remote.identify(NEVER)).toBeNull();
  });

  test('access taken back is thrown', async () => {
    await using google = await startGoogle(() =>
      apiError(403, 'PERMISSION_DENIED', 'The caller does not have permission'),
    );
    await expect(google.remote.identify(NEVER)).rejects.toMatchObject({ kind: 'revoked' });
  });
});
