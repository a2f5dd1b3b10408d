import { describeKillPoints } from './play-kill-points.ts';

describeKillPoints({ left: 'google', right: 'carddav' });
