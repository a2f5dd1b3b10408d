import { expect, test } from 'vitest';
import { classifyGoogleRequest } from '../../../../src/providers/google/limits.ts';

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
