import { expect, test } from 'vitest';
import { connectionError } from '../../../../src/providers/carddav/failure.ts';

test('an https address whose server answers in plain HTTP is a permanent error that names the setting', () => {
  const cause = Object.assign(new Error('x'), { code: 'ERR_SSL_WRONG_VERSION_NUMBER' });
  const error = connectionError({ remote: 'the server', route: 'PROPFIND', isRead: true }, cause);
  expect(error).toMatchObject({ retry: 'never', applied: 'no' });
  expect(error.message).toBe('the server answered PROPFIND in plain HTTP, not HTTPS: write http:// in CARDDAV_URL');
});
