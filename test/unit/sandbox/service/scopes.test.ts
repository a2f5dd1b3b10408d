import { describe, expect, it } from 'vitest';
import { openService, type Service } from './harness.ts';

const USER = 'user:basic user:manage all:view all:manage';
const ACCOUNTS = 'connected-accounts:view connected-accounts:manage all:view all:manage';
const BUCKETS = 'buckets:view buckets:manage all:view all:manage';
const CONTACTS = 'contacts:view contacts:manage all:view all:manage';
const MEMBERSHIP = 'contacts:manage+buckets:manage all:manage';
const INTERACTIONS = 'interactions:view interactions:manage all:view all:manage';

/** The document's endpoint tables: method, path and the alternative scopes. */
const ROUTES: readonly (readonly [string, string, string])[] = [
  ['GET', '/v2/me', `user:login ${USER}`],
  ['PATCH', '/v2/me', 'user:manage all:manage'],
  ['GET', '/v2/me/connected-accounts', ACCOUNTS],
  ['GET', '/v2/me/connected-accounts/connected_account_1', ACCOUNTS],
  ['GET', '/v2/me/email-aliases', 'user:login'],
  ['GET', '/v2/me/notifications', USER],
  ['GET', '/v2/me/prompts', USER],
  ['PUT', '/v2/me/prompts/task_1/postpone', 'user:basic user:manage all:manage'],
  ['POST', '/v2/me/prompts/generate', USER],
  ['GET', '/v2/me/tasks', 'tasks:view tasks:manage all:view all:manage'],
  ['GET', '/v2/buckets', BUCKETS],
  ['POST', '/v2/buckets', 'buckets:manage all:manage'],
  ['GET', '/v2/buckets/bucket_1', BUCKETS],
  ['PATCH', '/v2/buckets/bucket_1', 'buckets:manage all:manage'],
  ['DELETE', '/v2/buckets/bucket_1', 'buckets:manage all:manage'],
  ['GET', '/v2/buckets/bucket_1/contacts', CONTACTS],
  ['POST', '/v2/buckets/bucket_1/contacts', MEMBERSHIP],
  ['DELETE', '/v2/buckets/bucket_1/contacts', MEMBERSHIP],
  ['GET', '/v2/contacts', CONTACTS],
  ['POST', '/v2/contacts', 'contacts:manage all:manage'],
  ['GET', '/v2/contacts/contact_1', CONTACTS],
  ['PATCH', '/v2/contacts/contact_1', 'contacts:manage all:manage'],
  ['DELETE', '/v2/contacts/contact_1', 'contacts:manage all:manage'],
  ['POST', '/v2/contacts/contact_1/merge', 'contacts:manage all:manage'],
  ['GET', '/v2/contacts/contact_1/buckets', BUCKETS],
  ['POST', '/v2/contacts/contact_1/buckets', MEMBERSHIP],
  ['PUT', '/v2/contacts/contact_1/buckets', MEMBERSHIP],
  ['DELETE', '/v2/contacts/contact_1/buckets', MEMBERSHIP],
  ['GET', '/v2/contacts/contact_1/interactions', INTERACTIONS],
  ['PATCH', '/v2/interactions/interaction_1', 'interactions:manage all:manage'],
];

const OTHER_SCOPES = ['notes:manage', 'message-templates:manage', 'contacts:manage', 'buckets:manage', 'all:view'];

const statusWith = async (service: Service, method: string, path: string, scopes: readonly string[]) =>
  (await service.send(method, path, undefined, service.emulator.issueToken(scopes))).status;

describe('scopes', () => {
  it.each(ROUTES)('%s %s accepts each alternative of its row and nothing less', async (method, path, row) => {
    await using service = await openService();
    const { account } = service.emulator;
    account.createContact({});
    account.createBucket({ name: 'Clients' });
    account.addInteraction('contact_1');
    const alternatives = row.split(' ');
    for (const alternative of alternatives) {
      expect(await statusWith(service, method, path, alternative.split('+')), alternative).not.toBe(403);
    }
    for (const scope of OTHER_SCOPES.filter((other) => !alternatives.includes(other))) {
      if (!alternatives.includes('user:login')) expect(await statusWith(service, method, path, [scope])).toBe(403);
    }
  });

  it('permit the contacts of a bucket as the variant specifies', async () => {
    await using service = await openService({ variants: { bucketContactsScope: 'both' } });
    service.emulator.account.createBucket({ name: 'Clients' });
    const path = '/v2/buckets/bucket_1/contacts';
    expect(await statusWith(service, 'GET', path, ['contacts:view'])).toBe(403);
    expect(await statusWith(service, 'GET', path, ['contacts:view', 'buckets:view'])).toBe(200);
  });
});

describe('tokens', () => {
  it('are required: 401 without one or with an unknown one', async () => {
    await using service = await openService();
    expect((await service.send('GET', '/v2/me', undefined, null)).status).toBe(401);
    expect((await service.send('GET', '/v2/me', undefined, 'made-up')).status).toBe(401);
  });

  it('return 403 once revoked, or as the variant specifies', async () => {
    await using service = await openService();
    const token = service.emulator.issueToken();
    expect((await service.send('GET', '/v2/me', undefined, token)).status).toBe(200);
    service.emulator.revokeToken(token);
    expect((await service.send('GET', '/v2/me', undefined, token)).status).toBe(403);
    service.emulator.setVariants({ revokedStatus: '401' });
    expect((await service.send('GET', '/v2/me', undefined, token)).status).toBe(401);
  });

  it('expire after an hour if the variant specifies it', async () => {
    await using service = await openService({ variants: { tokenLife: 'one-hour' } });
    service.time.nowMs += 60 * 60 * 1000 - 1;
    expect((await service.send('GET', '/v2/me')).status).toBe(200);
    service.time.nowMs += 1;
    expect((await service.send('GET', '/v2/me')).status).toBe(401);
  });

  it('return 402 while the account is disabled', async () => {
    await using service = await openService({ variants: { accountState: 'disabled' } });
    expect(await service.send('GET', '/v2/me')).toMatchObject({ status: 402, body: { errors: { cause: 'disabled' } } });
  });
});
