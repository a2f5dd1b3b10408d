import { expect, test } from 'vitest';
import { openService } from './service/harness.ts';

test('faults are applied in order, each to so many matching requests after those that it skips, until cleared', async () => {
  await using service = await openService();
  const list = async (): Promise<number> => (await service.send('GET', '/v2/contacts?order=id')).status;
  service.emulator.addFault({ path: /contacts/u, skip: 1, times: 2, action: { kind: 'status', status: 500 } });
  service.emulator.addFault({ path: 'order=id', action: { kind: 'status', status: 503 } });
  const statuses: number[] = [];
  for (let count = 0; count < 4; count += 1) statuses.push(await list());
  expect(statuses).toEqual([503, 500, 500, 200]);
  service.emulator.addFault({ times: 9, action: { kind: 'html' } });
  service.emulator.clearFaults();
  expect(await list()).toBe(200);
});
