import { dirname, join } from 'node:path';
import { HOSTED_TABLES, copiedKey, type CopiedRow, type CopiedTable, type HostedTable, type RowStore } from './copy.ts';
import type { RowBatch } from './copy.ts';
import { readTokenRows, writeTokenRows } from './credentials.ts';
import { CredentialsError, StoreError } from './errors.ts';

const isHosted = (table: CopiedTable): table is HostedTable => table in HOSTED_TABLES;

const byKey =
  (table: HostedTable) =>
  (one: CopiedRow, other: CopiedRow): number => {
    const key = (row: CopiedRow): Buffer =>
      Buffer.from(
        copiedKey(HOSTED_TABLES[table])
          .map((name) => String(row[name]))
          .join('\u0000'),
      );
    return Buffer.compare(key(one), key(other));
  };

/** Says of the file what it says of itself: it is a part of the store here. */
const asStoreError = (error: unknown): never => {
  throw error instanceof CredentialsError ? new StoreError(error.message, { cause: error }) : error;
};

const readRows = async (path: string, table: HostedTable): Promise<readonly CopiedRow[]> => {
  const { salt, tokens } = await readTokenRows(path).catch(asStoreError);
  if (table === 'hosting') return salt === null ? [] : [{ id: 1, salt }];
  return table === 'credentials' ? tokens.toSorted(byKey(table)) : [];
};

/** Settings that a database keeps are of no use beside SQLite, which serves the links of the configuration file alone. */
const refuseSettings = (rows: readonly CopiedRow[], path: string): void => {
  if (rows.length === 0) return;
  const names = rows.map(({ name }) => String(name)).join(', ');
  throw new StoreError(`The source keeps the settings of links itself, which ${path} cannot: ${names}.`, {
    remedy: 'Add them to the configuration file, then remove them there: contact-sync links remove NAME.',
  });
};

/** The rows of a database file, with those of the tokens in the file `credentials.json` beside it. */
export const withTokenFile = (database: RowStore, path: string): RowStore => {
  const file = join(dirname(path), 'credentials.json');
  return {
    ...database,
    rows: async function* (table) {
      if (!isHosted(table)) {
        yield* database.rows(table);
        return;
      }
      const rows = await readRows(file, table);
      if (rows.length > 0) yield rows;
    },
    add: async (batches) => {
      let salt: string | null = null;
      const tokens: { readonly link: string; readonly side: string; readonly sealedJson: string }[] = [];
      const ofStore = async function* (): AsyncGenerator<RowBatch> {
        for await (const { table, rows } of batches()) {
          if (!isHosted(table)) yield { table, rows };
          else if (table === 'linkSettings') refuseSettings(rows, path);
          else if (table === 'hosting') salt = String(rows[0]?.['salt']);
          else {
            for (const { link, side, sealedJson } of rows)
              tokens.push({ link: String(link), side: String(side), sealedJson: String(sealedJson) });
          }
        }
        // Before the rows of the database count: where the file cannot be written, none of them do.
        await writeTokenRows(file, { salt, tokens }).catch(asStoreError);
      };
      await database.add(ofStore);
    },
  };
};
