import { settingsOf } from '../../src/sandbox/emulators.ts';
import type { GoogleQuotas } from '../../src/sandbox/google/quotas.ts';
import { startGoogleEmulator } from '../../src/sandbox/google/server.ts';
import type { Person } from '../../src/sandbox/people/person.ts';
import { seedGoogle } from '../../src/sandbox/people/seed.ts';

/** Two Google accounts with these people, and the sides of a link between them. */
export const startTwoGoogles = async (
  people: { readonly left: readonly Person[]; readonly right: readonly Person[] },
  quotas: GoogleQuotas,
) => {
  await using starting = new AsyncDisposableStack();
  const start = async (side: 'left' | 'right', name: string) => {
    const emulator = starting.use(await startGoogleEmulator({ quotas, accountEmail: `${name}@account.example` }));
    seedGoogle(emulator.account, people[side]);
    const settings = settingsOf({ provider: 'google', server: emulator });
    return { account: emulator.account, section: { provider: 'google', name, ...settings } };
  };
  const [left, right] = [await start('left', 'private'), await start('right', 'work')];
  const running = starting.move();
  return {
    accounts: { left: left.account, right: right.account },
    sides: { left: left.section, right: right.section },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
};
