import { describeHistories } from './play-histories.ts';

describeHistories({ left: 'google', right: 'carddav' });
