import { expect, test } from 'vitest';
import { renderLogEvents } from '../../../config/docs/log-events.ts';
import { createEvents } from '../../../src/engine/events.ts';

test('the list has a line for every event, with its fields and which of them are personal', () => {
  const nothing = (): void => undefined;
  const events = createEvents(
    { debug: nothing, info: nothing, warn: nothing, error: nothing },
    { personalData: false },
  );
  const lines = renderLogEvents().split('\n');
  expect(lines).toHaveLength(Object.keys(events).length);
  expect(lines.find((line) => line.includes('`conflict settled`'))).toMatch(
    /`winner`, `google` \(personal\), `service`/u,
  );
  expect(lines.find((line) => line.includes('`link paused`'))).toMatch(
    /^- error \*\*`link paused`\*\* \(`link`, `run`, `side`, `reason`/u,
  );
});
