import { describeHistories } from './play-histories.ts';

describeHistories({ left: 'service', right: 'service' });
