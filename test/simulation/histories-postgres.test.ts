import { describeOnPostgres } from './on-postgres.ts';
import { describeHistories } from './play-histories.ts';

describeOnPostgres((store) => describeHistories({ left: 'google', right: 'service' }, { store, histories: 40 }));
