import { describeKillPoints } from './play-kill-points.ts';

describeKillPoints({ left: 'service', right: 'service' });
