import { describe, expect, test } from 'vitest';
import { ConfigError } from '../../../../src/util/config-error.ts';
import { outcomeOf } from '../../../../src/daemon/jobs/outcome.ts';
import {
  CursorExpiredError,
  DisabledError,
  FullError,
  InvalidError,
  LimitedError,
  NotFoundError,
  RevokedError,
  UnauthenticatedError,
  UnavailableError,
  UnreadableError,
  type RemoteErrorOptions,
} from '../../../../src/providers/errors.ts';
import { HaltError, LeaseError, StoppedError } from '../../../../src/engine/context.ts';

const at = (options: Partial<RemoteErrorOptions> = {}): RemoteErrorOptions => {
  return { status: null, route: 'GET /v2/contacts', applied: 'no', ...options };
};

describe('each way in which a run can end has one outcome', () => {
  test.each([
    ['no error', null, 'completed'],
    ['a halt', new HaltError({ reason: 'mass-deletion', message: 'Too much.' } as never), 'halted'],
    ['a revoked permission', new RevokedError('x', at()), 'paused'],
    ['a refused token', new UnauthenticatedError('x', at()), 'paused'],
    ['a disabled account', new DisabledError('x', at()), 'paused'],
    ['no credential at all', new ConfigError([]), 'paused'],
    ['a remote that is down', new UnavailableError('x', at()), 'unavailable'],
    ['a limit exceeded', new LimitedError('x', at()), 'unavailable'],
    ['a truncated response', new UnreadableError('x', at()), 'unavailable'],
    ['a lease held by another process', new LeaseError('a', 'busy'), 'busy'],
    ['a lease lost to another process', new LeaseError('a', 'lost'), 'busy'],
    ['the program stopped', new StoppedError(), 'stopped'],
    ['something not found', new NotFoundError('x', at()), 'failed'],
    ['something refused', new InvalidError('x', at()), 'failed'],
    ['a full account', new FullError('x', at()), 'failed'],
    ['a cursor expired twice', new CursorExpiredError('x', at()), 'failed'],
    ['anything else', new TypeError('x'), 'failed'],
    ['a thrown value that is not an error', 'x', 'failed'],
  ])('%s', (_name, error, ending) => {
    const outcome = outcomeOf(error, 1, 0.5);
    expect(outcome.ending).toBe(ending);
    expect(outcome.retryInMs !== null).toBe(ending === 'unavailable' || ending === 'busy');
  });
});

describe('the time before another attempt', () => {
  const delay = (failures: number, random: number, retryAfterMs: number | null = null): number | null =>
    outcomeOf(new UnavailableError('x', at({ retryAfterMs })), failures, random).retryInMs;

  test('doubles from 15 s, and half of it is random', () => {
    expect([1, 2, 3].map((failures) => delay(failures, 0))).toEqual([7_500, 15_000, 30_000]);
    expect([1, 2, 3].map((failures) => delay(failures, 0.999_999))).toEqual([15_000, 30_000, 60_000]);
  });

  test('never exceeds ten minutes without a Retry-After', () => {
    expect(delay(500, 0.999_999)).toBe(600_000);
  });

  test('is never less than the Retry-After of the remote', () => {
    expect(delay(1, 0, 3_600_000)).toBe(3_600_000);
    expect(delay(3, 0, 1_000)).toBe(30_000);
  });

  test('is at most an hour, whatever the Retry-After of the remote', () => {
    expect(delay(1, 0, 1_795_456_800_000)).toBe(3_600_000);
  });
});
