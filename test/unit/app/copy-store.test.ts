import { expect, test } from 'vitest';
import { copyBetween } from '../../../src/app/copy-store.ts';
import { systemClock } from '../../../src/util/clock.ts';

const EMPTY = 'sqlite::memory:';

test.each(['mysql://x', 'sqlite:', '', 'postgres://user:password@127.0.0.1:99999/x', 'postgres://user:pass word@'])(
  'a copy from %j, which is not a store, returns an unknown source',
  async (url) => {
    expect(await copyBetween(url, EMPTY, systemClock)).toEqual({ unknown: 'from' });
  },
);
