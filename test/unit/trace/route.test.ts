import { expect, test } from 'vitest';
import { templateOf } from '../../../src/trace/route.ts';

test.each([
  ['/v2/contacts', '/v2/contacts'],
  ['/v2/contacts/contact_12', '/v2/contacts/{id}'],
  ['/v2/contacts/contact_12/merge', '/v2/contacts/{id}/merge'],
  ['/v2/me/connected-accounts/7', '/v2/me/connected-accounts/{id}'],
  ['/v1/people/c1234567890:updateContact', '/v1/people/{id}:updateContact'],
  ['/v1/people/me/connections', '/v1/people/me/connections'],
  ['/v1/people:batchCreateContacts', '/v1/people:batchCreateContacts'],
  ['/v1/contactGroups/4a1b2c3d4e5f/members:modify', '/v1/contactGroups/{id}/members:modify'],
  ['/oauth2/token', '/oauth2/token'],
  ['/tenant-42/v2/contacts', '/{id}/v2/contacts'],
  ['/v2/contacts/ada%40example.org', '/v2/contacts/{id}'],
  ['/v2/contacts/Ada', '/v2/contacts/{id}'],
  ['/v2/contacts/abcdefghijklmnopqrstuvwxyz', '/v2/contacts/{id}'],
  ['/', '/'],
])('%s is %s', (path, template) => {
  expect(templateOf(path)).toBe(template);
});
