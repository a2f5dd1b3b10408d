import Database from 'better-sqlite3';
import { migrate } from '../../../src/store/sqlite/migrate.ts';

const [path = '', folder = ''] = process.argv.slice(2);
const client = new Database(path, { timeout: 10_000 });
process.stdout.write(`${migrate(client, path, folder)}\n`);
client.close();
