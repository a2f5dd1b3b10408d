import type { MembershipRequest } from '../../../../src/core/contact/requests.ts';
import { expect, test } from 'vitest';
import { forever } from '../../../contract/scenes/steps.ts';
import { apiError, startGoogle } from './support.ts';

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
