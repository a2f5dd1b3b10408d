import { expect, test } from 'vitest';
import { lazyTracing } from '../../../src/app/tracing.ts';
import { systemClock } from '../../../src/clock.ts';
import { storeAlone } from '../../../src/config/store-alone.ts';
import { NO_TRACING } from '../../../src/trace/tracing.ts';
import { createEventLog } from '../../support/jobs/event-log.ts';

test('traces that cannot be opened cost a line of the log, and no run', async () => {
  const log = createEventLog();
  const config = { ...storeAlone('/nowhere'), otelExporterOtlpEndpoint: 'no address' };
  const tracing = lazyTracing(config, { clock: systemClock, events: log.events });
  expect(await tracing.open()).toBe(NO_TRACING);
  expect(await tracing.open()).toBe(NO_TRACING);
  await tracing.close();
  expect(log.lines).toEqual([
    { name: 'tracesLost', fields: { host: '', reason: expect.stringContaining('no address') } },
  ]);
});
