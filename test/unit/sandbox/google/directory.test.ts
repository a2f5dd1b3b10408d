import { describe, expect, test } from 'vitest';
import { directoryScope } from '../../../../src/sandbox/google/oauth-tokens.ts';
import { refusalOf, startSandbox, type Sandbox } from './support.ts';

const shared = { readMask: 'names', sources: ['DIRECTORY_SOURCE_TYPE_DOMAIN_PROFILE'] };

describe.each([
  ['listing', ({ api }: Sandbox) => api.people.listDirectoryPeople({ ...shared, requestSyncToken: true })],
  ['search', ({ api }: Sandbox) => api.people.searchDirectoryPeople({ ...shared, query: 'ada' })],
] as const)('a %s of the directory', (_name, call) => {
  test.each([
    ['FAILED_PRECONDITION', 400],
    ['PERMISSION_DENIED', 403],
  ] as const)('is refused to a private account as %s', async (directoryRefusal, status) => {
    await using sandbox = await startSandbox({ variants: { directoryRefusal } }, [directoryScope]);
    const message = 'Must be a G Suite domain user.';
    expect(await refusalOf(call(sandbox))).toEqual({
      status,
      message,
      error: { code: status, message, status: directoryRefusal },
    });
  });

  test('needs a scope of its own, uses up a read and meets planned faults', async () => {
    await using contacts = await startSandbox();
    expect((await refusalOf(call(contacts))).message).toContain('insufficient authentication scopes');
    await using sandbox = await startSandbox({ quotas: { readsPerMinute: 0, writesPerMinute: 0 } }, [directoryScope]);
    sandbox.emulator.addFault({ path: 'DirectoryPeople', effect: { kind: 'status', status: 503 } });
    expect(await refusalOf(call(sandbox))).toMatchObject({ status: 503 });
    expect(await refusalOf(call(sandbox))).toMatchObject({ status: 429 });
  });
});
