import { openStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { putHalf } from './rows.ts';

// Commits the same number to two rows until this process or its parent is ended, and prints every tenth number.
const [path = ''] = process.argv.slice(2);
const store = openStore(path);
const token = (await store.acquireLease('default', 'writer', 0, Number.MAX_SAFE_INTEGER)) ?? 0;
const parent = process.ppid;
for (let number = 1; process.ppid === parent; number += 1) {
  await store.commit('default', token, [putHalf('l1', { absences: number }), putHalf('l2', { absences: number })]);
  if (number % 10 === 0) process.stdout.write(`${number}\n`);
}
