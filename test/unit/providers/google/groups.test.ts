import { expect, test } from 'vitest';
import type { MembershipRequest } from '../../../../src/core/contact/requests.ts';
import { forever } from '../../../contract/scenes/steps.ts';
import type { RemoteError } from '../../../../src/providers/errors.ts';
import type { Reply } from '../scripted-server.ts';
import { apiError, startGoogle } from './support.ts';

const group = (id: string, name: string, etag = 'e1') => {
  return { resourceName: `contactGroups/${id}`, etag, name, formattedName: name, groupType: 'USER_CONTACT_GROUP' };
};
const system = { resourceName: 'contactGroups/myContacts', groupType: 'SYSTEM_CONTACT_GROUP', name: 'myContacts' };
const outdated = apiError(409, 'ABORTED', 'Contact group etag is outdated');

test('a request for labels lists all pages of user labels, without system groups', async () => {
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

test('a request for labels that renames a label with an outdated etag reads the label again', async () => {
  await using google = await startGoogle(({ method, body }): Reply => {
    if (method === 'GET') return { body: group('0a', 'Other', 'e5') };
    return body.contactGroup.etag === 'e5' ? { body: group('0a', 'New', 'e6') } : outdated;
  });
  const current = { id: 'contactGroups/0a', name: 'Old', version: 'e1' };
  expect(await google.remote.renameGroup(current, 'New', forever)).toMatchObject({ name: 'New', version: 'e6' });
});

const NO_SCOPE = 'Request had insufficient authentication scopes.';

test.each([
  ['unknown after a 404', apiError(404, 'NOT_FOUND'), null],
  ['unknown after a 400', apiError(400, 'INVALID_ARGUMENT'), null],
  ['unknown without its scope', apiError(403, 'PERMISSION_DENIED', NO_SCOPE), null],
  ['an error after access was revoked', apiError(403, 'PERMISSION_DENIED', 'No permission'), 'revoked'],
])('the account behind the token is %s', async (_, reply, outcome) => {
  await using google = await startGoogle(() => reply);
  expect(await google.remote.identify(forever).catch(({ kind }: RemoteError) => kind)).toBe(outcome);
});

const [A, B, C] = ['contactGroups/0a', 'contactGroups/0b', 'contactGroups/0c'] as const;

const request = (number: number, fields: Partial<MembershipRequest>): MembershipRequest => {
  return { key: `k${number}`, id: `people/c${number}`, add: [], remove: [], knownGroupIds: [], ...fields };
};

test('a request contains at most 1000 members', async () => {
  await using google = await startGoogle(() => ({}));
  const batch = Array.from({ length: 1001 }, (_, index) => request(index, { add: [A] }));
  await google.remote.changeMembership(batch, forever);
  expect(google.requests.map(({ body }) => body.resourceNamesToAdd.length)).toEqual([1000, 1]);
});

test('with a deleted label an addition fails as invalid, not as a missing contact, and a removal succeeds', async () => {
  await using google = await startGoogle(() => apiError(404, 'NOT_FOUND'));
  const batch = [request(1, { add: [A] }), request(2, { remove: [A], knownGroupIds: [A] })];
  const [added, removed] = await google.remote.changeMembership(batch, forever);
  expect(added).toMatchObject({ ok: false, error: { kind: 'invalid' } });
  expect(removed).toMatchObject({ ok: true, value: [] });
});

test('[R9, R16] when the credential is refused, completed items keep their results and partly sent items are unknown', async () => {
  await using google = await startGoogle(({ path }) => (path.includes(A) ? {} : apiError(401, 'UNAUTHENTICATED')));
  const batch = [[A], [A, B], [B], [C]].map((add, index) => request(index + 1, { add }));
  const results = await google.remote.changeMembership(batch, forever);
  expect(results).toMatchObject([
    { key: 'k1', ok: true },
    { key: 'k2', ok: false, error: { applied: 'unknown' } },
    { key: 'k3', ok: false, error: { kind: 'unauthenticated', applied: 'no' } },
  ]);
  expect(google.requests.some(({ path }) => path.includes(C))).toBe(false);
});

test.each([
  ['applied', {}, 'unknown'],
  ['refused', apiError(400, 'INVALID_ARGUMENT'), 'no'],
  ['answered without the contact', { body: { notFoundResourceNames: ['people/c1'] } }, 'no'],
])(
  '[R9] a refused label leaves a change of membership open only if another label was %s',
  async (_, reply, applied) => {
    await using google = await startGoogle(({ path }) =>
      path.includes(A) ? reply : apiError(400, 'INVALID_ARGUMENT'),
    );
    const results = await google.remote.changeMembership([request(1, { add: [A, B] })], forever);
    expect(results).toMatchObject([{ key: 'k1', ok: false, error: { applied } }]);
  },
);
