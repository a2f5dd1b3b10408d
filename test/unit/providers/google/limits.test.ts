import { Response } from 'undici';
import { expect, test } from 'vitest';
import { readWithin } from '../../../../src/providers/google/client.ts';
import { USUAL_MAPPING } from '../../../../src/providers/google/fields.ts';
import { classifyGoogleRequest } from '../../../../src/providers/google/limits.ts';
import { systemClock } from '../../../../src/util/clock.ts';

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

test('[R14] a listing requests every list that contains a contact field, and a changed query has another hash', () => {
  expect(USUAL_MAPPING.personFields).toBe(
    'metadata,names,organizations,emailAddresses,phoneNumbers,addresses,urls,memberships,clientData',
  );
  expect(USUAL_MAPPING.templateHash).toBe('b15d1d4490983f34');
});

test('a character that arrives in pieces is decoded as one, and the answer keeps its status and headers', async () => {
  const bytes = new TextEncoder().encode('{"name":"Zoë 🙂"}');
  const cuts = Array.from(bytes, (byte) => new Uint8Array([byte]));
  const answer = new Response(ReadableStream.from(cuts), { status: 403, headers: { 'retry-after': '5' } });
  const read = await readWithin(answer, systemClock);
  expect(await read.text()).toBe('{"name":"Zoë 🙂"}');
  expect([read.status, read.headers.get('retry-after')]).toEqual([403, '5']);
});

test('an answer whose status allows no body has an empty text', async () => {
  const read = await readWithin(new Response(null, { status: 204 }), systemClock);
  expect(await read.text()).toBe('');
});
