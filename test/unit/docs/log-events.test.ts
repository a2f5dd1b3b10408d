import { expect, test } from 'vitest';
import { renderLogEvents } from '../../../config/docs/log-events.ts';
import { createEvents } from '../../../src/engine/events.ts';

test('the table has a row for every event, with its fields and which of them are personal', () => {
  const nothing = (): void => undefined;
  const events = createEvents(
    { debug: nothing, info: nothing, warn: nothing, error: nothing },
    { personalData: false },
  );
  const rows = renderLogEvents().split('\n').slice(2);
  expect(rows).toHaveLength(Object.keys(events).length);
  expect(rows.find((row) => row.includes('`conflict settled`'))).toMatch(/`winner`, `google` \(personal\), `service`/u);
  expect(rows.find((row) => row.includes('`link paused`'))).toMatch(
    /\| error \| .* \| `link`, `run`, `side`, `reason`/u,
  );
});
