import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { HALF_TRANSITIONS } from '../../src/core/state/half-transitions.ts';
import { LINK_TRANSITIONS } from '../../src/core/state/link.ts';

const SPEC = readFileSync(join(import.meta.dirname, '../../src/engine/SPEC.md'), 'utf8');

/** Outcomes that are actions rather than states. SPEC.md writes them without code quotes. */
const DONE = ['observe', 'rest', 'forget'];

const cellOf = (state: string, outcome: string): string => {
  if (outcome === state || outcome === 'keep') return '·';
  return DONE.includes(outcome) ? outcome : `\`${outcome}\``;
};

test.each([...Object.entries(HALF_TRANSITIONS), ...Object.entries(LINK_TRANSITIONS)])(
  'SPEC.md has the row of the state %s as in the code',
  (state, row) => {
    const cells = Object.values(row).map((outcome) => cellOf(state, outcome));
    expect(SPEC).toContain(`| \`${state}\` | ${cells.join(' | ')} |`);
  },
);
