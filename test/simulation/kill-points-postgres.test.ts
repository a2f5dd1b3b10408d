import { describeOnPostgres } from './on-postgres.ts';
import { describeKillPoints } from './play-kill-points.ts';

describeOnPostgres((store) => describeKillPoints({ left: 'google', right: 'service' }, store));
