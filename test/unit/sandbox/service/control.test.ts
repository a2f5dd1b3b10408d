import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openService } from './harness.ts';

const tokenAnswer = z.object({ token: z.string() });

describe('control routes', () => {
  it('set faults and variants and clear faults', async () => {
    await using service = await openService();
    const fault = { path: '^/v2/me$', times: 2, action: { kind: 'status', status: 503 } };
    expect((await service.send('POST', '/__control/faults', fault)).status).toBe(200);
    expect((await service.send('GET', '/v2/me')).status).toBe(503);
    await service.send('DELETE', '/__control/faults');
    expect((await service.send('GET', '/v2/me')).status).toBe(200);
    const answer = await service.send('POST', '/__control/variants', { errorBody: 'empty' });
    expect(answer.body).toMatchObject({ errorBody: 'empty', bounds: 'inclusive' });
    expect((await service.send('GET', '/v2/contacts/contact_1')).body).toBe('');
  });

  it('return 400 for a fault or a variant that does not exist', async () => {
    await using service = await openService();
    expect((await service.send('POST', '/__control/faults', { action: { kind: 'flood' } })).status).toBe(400);
    expect((await service.send('POST', '/__control/variants', { colour: 'blue' })).status).toBe(400);
  });

  it('return the variants and the requests', async () => {
    await using service = await openService();
    expect((await service.send('GET', '/__control/variants')).body).toMatchObject({
      table: expect.arrayContaining([
        { name: 'bounds', about: expect.any(String), values: expect.arrayContaining(['exclusive']) },
      ]),
      current: { bounds: 'inclusive' },
    });
    await service.send('GET', '/v2/contacts?page=2');
    expect((await service.send('GET', '/__control/requests')).body).toMatchObject({
      requests: [{ method: 'GET', path: '/v2/contacts', query: 'page=2', status: 200, atMs: service.time.nowMs }],
      overLimit: 0,
    });
  });

  it('issue and revoke tokens, and change the rate limit', async () => {
    await using service = await openService();
    const { token } = tokenAnswer.parse((await service.send('POST', '/__control/tokens', {})).body);
    expect((await service.send('GET', '/v2/buckets', undefined, token)).status).toBe(200);
    await service.send('DELETE', '/__control/tokens', { token });
    expect((await service.send('GET', '/v2/buckets', undefined, token)).status).toBe(403);
    await service.send('POST', '/__control/rate-limit', { requests: 1, windowMs: 1000 });
    const { headers } = await service.send('GET', '/v2/me');
    expect(headers.get('x-rate-limit-limit')).toBe('1/second');
  });
});

describe('the emulator', () => {
  it('describes itself at its root and returns 404 for an unknown path', async () => {
    await using service = await openService();
    expect((await service.send('GET', '/')).body).toMatchObject({ sandbox: expect.any(String) });
    expect((await service.send('GET', '/v2/tasks/task_1')).status).toBe(404);
    expect((await service.send('GET', '/elsewhere')).status).toBe(404);
  });

  it('listens on the loopback address only', async () => {
    await using service = await openService();
    expect(new URL(service.emulator.url).hostname).toBe('127.0.0.1');
  });
});
