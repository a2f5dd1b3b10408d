import { ALTERNATIVES, type AlternativeName } from './blind-pacers.ts';
import { serve } from './child.ts';
import { MODELS, type ModelName } from './rate-models.ts';
import { drive, LIMIT, ownGates, type Traffic, type TrafficResult } from './traffic.ts';

/** The input of one table cell, as plain data. Without an alternative, the program's own gates send the requests. */
export type Cell = Omit<Traffic, 'limiter' | 'pacers'> & {
  readonly model: ModelName;
  readonly alternative?: AlternativeName;
};

const run = ({ model, alternative, ...traffic }: Cell): Promise<TrafficResult> =>
  drive({
    ...traffic,
    limiter: MODELS[model](traffic.limit ?? LIMIT),
    pacers: alternative ? ALTERNATIVES[alternative] : ownGates,
  });

const handlers = { run };
export type GovernorProcess = typeof handlers;
serve(handlers);
