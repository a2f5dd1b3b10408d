import { PLAIN_MANNERS } from '../support/memory/manners.ts';
import { DEFAULT_PLAYERS, type History, type RunStep } from './history.ts';

/** A run to which nothing happens but what is given. */
export const run = (given: Partial<RunStep> = {}): RunStep => ({
  before: [],
  gapMs: 0,
  full: false,
  meanwhile: [],
  faults: [],
  crash: null,
  salt: 0,
  ...given,
});

/** A history between two sides of plain manners but for what is given. */
export const history = (phases: History['phases'], given: Partial<Omit<History, 'phases'>> = {}): History => ({
  players: DEFAULT_PLAYERS,
  manners: { left: PLAIN_MANNERS, right: PLAIN_MANNERS },
  conflicts: 'newest',
  deleteCount: 50,
  skewMs: 0,
  lagMs: 0,
  ...given,
  phases,
});
