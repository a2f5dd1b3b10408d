import { describe, expect, it } from 'vitest';
import { openService } from './harness.ts';

const create = { data: { first_name: 'Ann' } };

describe('faults', () => {
  it('return a status and Retry-After, once, for the requests that match', async () => {
    await using service = await openService();
    service.emulator.addFault({
      method: 'POST',
      path: '^/v2/contacts$',
      action: { kind: 'status', status: 503, retryAfter: '7' },
    });
    expect((await service.send('GET', '/v2/contacts')).status).toBe(200);
    const refused = await service.send('POST', '/v2/contacts', create);
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('7');
    expect(refused.headers.get('x-rate-limit-remaining')).toBe('498');
    expect(service.emulator.account.contacts()).toHaveLength(0);
    expect((await service.send('POST', '/v2/contacts', create)).status).toBe(200);
  });

  it('skip some requests first and occur a number of times', async () => {
    await using service = await openService();
    service.emulator.addFault({ path: /contacts/, skip: 1, times: 2, action: { kind: 'status', status: 500 } });
    const statuses: number[] = [];
    for (let count = 0; count < 4; count += 1) statuses.push((await service.send('GET', '/v2/contacts')).status);
    expect(statuses).toEqual([200, 500, 500, 200]);
  });

  it('return the HTML page of a proxy', async () => {
    await using service = await openService();
    service.emulator.addFault({ action: { kind: 'html' } });
    const refused = await service.send('GET', '/v2/contacts');
    expect(refused.status).toBe(502);
    expect(refused.headers.get('content-type')).toBe('text/html');
    expect(refused.body).toContain('<h1>502</h1>');
  });

  it('cut the connection before the request is applied', async () => {
    await using service = await openService();
    service.emulator.addFault({ action: { kind: 'reset-before' } });
    await expect(service.send('POST', '/v2/contacts', create)).rejects.toThrow();
    expect(service.emulator.account.contacts()).toHaveLength(0);
    expect(service.emulator.requests).toMatchObject([{ method: 'POST', status: null, fault: 'reset-before' }]);
  });

  it('cut the connection after the request is applied', async () => {
    await using service = await openService();
    service.emulator.addFault({ action: { kind: 'reset-after' } });
    await expect(service.send('POST', '/v2/contacts', create)).rejects.toThrow();
    expect(service.emulator.account.contacts()).toHaveLength(1);
  });

  it('cut the body in the middle', async () => {
    await using service = await openService();
    service.emulator.addFault({ action: { kind: 'truncate' } });
    const response = await fetch(`${service.emulator.url}/v2/me`, {
      headers: { authorization: `Bearer ${service.emulator.issueToken()}` },
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('x-rate-limit-remaining')).toBe('499');
    await expect(response.text()).rejects.toThrow();
  });

  it('delay a request, which is then applied', async () => {
    await using service = await openService();
    service.emulator.addFault({ action: { kind: 'delay', delayMs: 1 } });
    expect((await service.send('POST', '/v2/contacts', create)).status).toBe(200);
    expect(service.emulator.requests).toMatchObject([{ status: 200, fault: 'delay' }]);
  });

  it('delay a request for the specified time, but do not prevent the emulator from closing', async () => {
    const service = await openService();
    service.emulator.addFault({ action: { kind: 'delay', delayMs: 600_000 } });
    const cutOff = expect(service.send('POST', '/v2/contacts', create)).rejects.toThrow();
    while (service.emulator.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(service.emulator.requests).toMatchObject([{ status: null }]);
    await service.emulator.close();
    await cutOff;
  });

  it('that skip a request leave it to the next fault', async () => {
    await using service = await openService();
    service.emulator.addFault({ skip: 1, action: { kind: 'status', status: 500 } });
    service.emulator.addFault({ action: { kind: 'status', status: 503 } });
    expect((await service.send('GET', '/v2/contacts')).status).toBe(503);
    expect((await service.send('GET', '/v2/contacts')).status).toBe(500);
  });

  it('end once cleared', async () => {
    await using service = await openService();
    service.emulator.addFault({ action: { kind: 'html' } });
    service.emulator.clearFaults();
    expect((await service.send('GET', '/v2/contacts')).status).toBe(200);
  });

  it('affect the authorization endpoints too', async () => {
    await using service = await openService();
    service.emulator.addFault({ path: '^/oauth2/token$', action: { kind: 'status', status: 500 } });
    expect((await service.send('POST', '/oauth2/token', {})).status).toBe(500);
  });
});
