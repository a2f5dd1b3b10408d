import { expect, test } from 'vitest';
import { classifyGoogleRequest } from '../../../../src/providers/google/limits.ts';
import { forever } from '../../../contract/scenes/steps.ts';
import type { Reply } from '../scripted-server.ts';
import { apiError, creation, person, startGoogle, startTokens } from './support.ts';

const limited = (headers: Record<string, string> = {}): Reply => ({ ...apiError(429, 'RESOURCE_EXHAUSTED'), headers });
const created: Reply = { body: { createdPeople: [{ person: person(1) }] } };

test('a retry is never made by the client library, neither of an API request nor of a token request', async () => {
  await using google = await startGoogle(
    () => apiError(403, 'PERMISSION_DENIED'),
    (count) => (count === 1 ? { status: 503, body: 'x' } : { body: { access_token: 'a', expires_in: 3599 } }),
  );
  await expect(google.remote.deleteGroup('contactGroups/0a', forever)).rejects.toMatchObject({ kind: 'revoked' });
  expect(google.tokenRequests).toHaveLength(2);
  expect(google.requests).toHaveLength(1);
  // The remote waits once between the token requests, and the client library never waits.
  expect(google.clock.sleepsMs).toEqual([250]);
});

const GROUPS = { body: { contactGroups: [{ resourceName: 'contactGroups/myContacts' }] } };

test('a retry of a read follows each failure until the time limit, and none before Retry-After', async () => {
  await using google = await startGoogle(() => limited());
  await expect(google.remote.listGroups(forever)).rejects.toMatchObject({ kind: 'limited' });
  expect(google.clock.sleepsMs).toEqual([5_000, 10_000, 20_000, 40_000]);
  expect(google.remote.requestCount()).toBe(6);
  await using later = await startGoogle((_, count) => (count === 1 ? limited({ 'retry-after': '33' }) : GROUPS));
  await later.remote.listGroups(forever);
  expect(later.clock.sleepsMs).toEqual([33_000]);
});

test('the access token is renewed once if it is refused, and the request is repeated', async () => {
  await using google = await startGoogle(({ authorization }) =>
    authorization === 'Bearer token-1' ? apiError(401, 'UNAUTHENTICATED') : created,
  );
  expect(await google.remote.create([creation(1)], forever)).toMatchObject([{ ok: true }]);
  expect(google.requests.map(({ authorization }) => authorization)).toEqual(['Bearer token-1', 'Bearer token-2']);
});

test('the access token leaves a write certainly not applied if the token endpoint fails', async () => {
  await using google = await startTokens(() => ({ status: 500 }));
  const [result] = await google.remote.delete(['people/c1'], forever);
  expect(result).toMatchObject({ ok: false, error: { kind: 'unavailable', applied: 'no' } });
});

test('an aborted signal ends the wait for an access token', async () => {
  const controller = new AbortController();
  const reason = new Error('stop');
  await using google = await startTokens(() => {
    controller.abort(reason);
    return Promise.withResolvers<Reply>().promise;
  });
  await expect(google.remote.create([creation(1)], controller.signal)).rejects.toBe(reason);
});

test('writes of one account never overlap', async () => {
  let [inProgress, maxInProgress] = [0, 0];
  await using google = await startGoogle(async () => {
    inProgress += 1;
    // Long enough, in turns of the event loop, for an overlapping request to arrive.
    for (let turn = 0; turn < 2_000; turn += 1) {
      maxInProgress = Math.max(maxInProgress, inProgress);
      await new Promise((resolve) => setImmediate(resolve));
    }
    inProgress -= 1;
    return {};
  });
  await Promise.all(['1', '2', '3', '4'].map((id) => google.remote.delete([`people/c${id}`], forever)));
  expect([maxInProgress, google.requests.length]).toEqual([1, 4]);
});

test.each([
  ['GET', '/v1/people/me/connections?pageSize=1000', ['read']],
  ['GET', '/v1/people:batchGet?resourceNames=people%2Fc1', ['read']],
  ['GET', '/v1/people/c1', ['read']],
  ['GET', '/v1/contactGroups?pageSize=1000', ['read']],
  ['POST', '/v1/people:batchUpdateContacts', ['read', 'write']],
  ['PATCH', '/prefix/v1/people/c1:updateContact?updatePersonFields=names', ['read', 'write']],
  ['POST', '/v1/people:batchCreateContacts', ['read', 'write']],
  ['POST', '/v1/people:batchDeleteContacts', ['write']],
  ['POST', '/v1/contactGroups/0a/members:modify', ['write']],
  ['PUT', '/v1/contactGroups/0a', ['write']],
  ['POST', '/token', []],
  ['POST', '/oauth2/v1/token', []],
])('%s %s counts against %j', (method, path, quotas) => {
  expect(classifyGoogleRequest(method, path)).toEqual(quotas);
});
