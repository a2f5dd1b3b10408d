import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { runCli } from './run-cli.ts';

const ENV = {
  DATA_DIR: '/proc/contact-sync/data',
  SERVICE_BASE_URL: 'http://127.0.0.1:1',
  SERVICE_ACCESS_TOKEN: 'token',
  GOOGLE_CLIENT_ID: 'id',
  GOOGLE_CLIENT_SECRET: 'secret',
  GOOGLE_REFRESH_TOKEN: 'token',
};

test
  .runIf(existsSync('/proc/self'))
  .each([[['status']], [['daemon']], [['init', '--yes', '--config', '/proc/x/y.yaml']]])(
  'if no directory can be created, %j reports that and ends with the exit code of an invalid configuration',
  async (args) => {
    const { code, stderr } = await runCli(args, ENV);
    expect(stderr).toContain('No directory can be made at /proc/');
    expect(code).toBe(2);
  },
);
