import { expect, test } from 'vitest';
import {
  customFieldValues,
  customText,
  learn,
  type Definitions,
} from '../../../../src/providers/service/custom-fields.ts';

const carried = (id: string, value: string | null) => ({ field: { id, name: 'Budget' }, value });

test('R10: of two custom fields of one name, the one that is read is written, and the other stays', () => {
  const held = [carried('cf1', '300'), carried('cf2', '900')];
  const definitions: Definitions = new Map();
  learn(definitions, new Set(['budget']), held);
  expect(customText(held, 'Budget')).toBe('300');
  const values = customFieldValues(held, new Map([['Budget', '400']]), definitions) ?? [];
  expect(values).toEqual([
    { field: { id: 'cf1' }, value: '400' },
    { field: { id: 'cf2' }, value: '900' },
  ]);
});
