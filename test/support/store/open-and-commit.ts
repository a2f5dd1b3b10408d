import { openStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { putHalf } from './rows.ts';

const [path = '', link = ''] = process.argv.slice(2);
const store = openStore(path);
const token = (await store.acquireLease(link, 'owner', 0, 1)) ?? 0;
await store.commit(link, token, [putHalf('l1')]);
await store.close();
