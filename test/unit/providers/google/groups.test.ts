import { describe, expect, test } from 'vitest';
import { forever } from '../../../contract/scenes/steps.ts';
import type { Reply } from '../scripted-server.ts';
import { apiError, startGoogle } from './support.ts';

const group = (id: string, name: string, etag = 'e1') => {
  return { resourceName: `contactGroups/${id}`, etag, name, formattedName: name, groupType: 'USER_CONTACT_GROUP' };
};
const system = { resourceName: 'contactGroups/myContacts', groupType: 'SYSTEM_CONTACT_GROUP', name: 'myContacts' };
const outdated = apiError(409, 'ABORTED', 'Contact group etag is outdated');

describe('a request for labels', () => {
  test('lists all pages of user labels, without system groups', async () => {
    await using google = await startGoogle(({ query }): Reply =>
      query.get('pageToken') === 'p2'
        ? { body: { contactGroups: [group('0b', 'Work')], nextSyncToken: 's' } }
        : { body: { contactGroups: [system, group('0a', 'Friends')], nextPageToken: 'p2', nextSyncToken: 's' } },
    );
    expect(await google.remote.listGroups(forever)).toEqual([
      { id: 'contactGroups/0a', name: 'Friends', version: 'e1' },
      { id: 'contactGroups/0b', name: 'Work', version: 'e1' },
    ]);
    expect(google.requests[0]?.query.get('pageSize')).toBe('1000');
    expect(google.requests[0]?.query.has('syncToken')).toBe(false);
  });

  test('that renames a label with an outdated etag reads the label again', async () => {
    await using google = await startGoogle(({ method, body }): Reply => {
      if (method === 'GET') return { body: group('0a', 'Other', 'e5') };
      return body.contactGroup.etag === 'e5' ? { body: group('0a', 'New', 'e6') } : outdated;
    });
    const current = { id: 'contactGroups/0a', name: 'Old', version: 'e1' };
    expect(await google.remote.renameGroup(current, 'New', forever)).toMatchObject({ name: 'New', version: 'e6' });
  });
});

describe('the account behind the token', () => {
  test.each([
    ['a 404', apiError(404, 'NOT_FOUND')],
    ['a 400', apiError(400, 'INVALID_ARGUMENT')],
    ['a missing scope', apiError(403, 'PERMISSION_DENIED', 'Request had insufficient authentication scopes.')],
  ])('is unknown after %s', async (_, reply) => {
    await using google = await startGoogle(() => reply);
    expect(await google.remote.identify(forever)).toBeNull();
  });

  test('is not returned after access was revoked: an error is thrown', async () => {
    await using google = await startGoogle(() => apiError(403, 'PERMISSION_DENIED', 'No permission'));
    await expect(google.remote.identify(forever)).rejects.toMatchObject({ kind: 'revoked' });
  });
});
