import { describe, expect, it } from 'vitest';
import { UnreadableError } from '../../../../../src/providers/errors.ts';
import { createAuthorizationApi } from '../../../../../src/providers/service/api/authorization.ts';
import { forever } from '../../../../contract/scenes/steps.ts';
import { failureOf, contactJson, one, startServer } from '../support.ts';

describe('an answer of a single route', () => {
  it('is unreadable if the resource has another shape', async () => {
    await using server = await startServer(() => ({ body: one({ name: 'no id' }) }));
    const error = await failureOf(server.api.buckets.update('bucket_1', { name: 'B' }, forever));
    expect(error).toBeInstanceOf(UnreadableError);
    expect(error).toMatchObject({ applied: 'unknown' });
  });

  it('that redirects to a merged contact is followed once, at the same service only', async () => {
    await using server = await startServer(({ path }) =>
      path.endsWith('_1')
        ? { status: 301, headers: { location: 'https://elsewhere.example/v2/contacts/contact_2?x=1' } }
        : { body: one(contactJson(2)) },
    );
    expect((await server.api.contacts.get('contact_1', forever)).id).toBe('contact_2');
    expect(server.calls()).toEqual(['GET /v2/contacts/contact_1', 'GET /v2/contacts/contact_2']);
  });
});

it('an error of the authorization never contains a secret', async () => {
  await using server = await startServer(({ body }) => ({
    status: 400,
    body: { error: `refused ${JSON.stringify(body)}` },
  }));
  const exchange = { clientId: 'client', clientSecret: 'hush', code: 'once', redirectUri: 'http://127.0.0.1' };
  const error = await failureOf(createAuthorizationApi(server.send).exchangeCode(exchange, forever));
  expect(error.message).not.toMatch(/hush|once/u);
});
