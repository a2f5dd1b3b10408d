import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const UNIT = join(import.meta.dirname, '../../../config/deploy/contact-sync.service');
/** Of the tenths that systemd-analyze counts. */
const MOST_EXPOSURE = 20;

const analyze = (...args: readonly string[]) => promisify(execFile)('systemd-analyze', [...args, '--no-pager', UNIT]);
const version = await promisify(execFile)('systemd-analyze', ['--version']).then(
  ({ stdout }) => Number(/^systemd (\d+)/u.exec(stdout)?.[1]),
  () => 0,
);

// A unit's file is judged without a running systemd from version 250 on.
test.skipIf(version < 250)('the unit has a low exposure', async () => {
  const { stdout } = await analyze('security', '--offline=true', `--threshold=${MOST_EXPOSURE}`);
  expect(stdout).toMatch(/Overall exposure level for contact-sync\.service: 1\.\d/u);
});
