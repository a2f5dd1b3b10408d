import { afterAll, beforeAll, describe } from 'vitest';
import { findPostgres } from '../support/postgres.ts';

const postgres = await findPostgres();

/** Runs the described tests on a new PostgreSQL database. */
export const describeOnPostgres = (body: (store: string) => void): void => {
  describe.skipIf(postgres === null)('on PostgreSQL', () => {
    beforeAll(async () => {
      process.env['SIMULATION_DATABASE'] = await postgres?.createDatabase();
    });
    afterAll(async () => {
      delete process.env['SIMULATION_DATABASE'];
      await postgres?.close();
    });
    body('PostgreSQL');
  });
};
