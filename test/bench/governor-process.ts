import { serve } from './child.ts';
import { MODELS, type ModelName } from '../support/limiter-models.ts';
import { drive, LIMIT, type Traffic, type TrafficResult } from './traffic.ts';

/** The input of one table cell, as plain data. */
export type Cell = Omit<Traffic, 'limiter'> & { readonly model: ModelName };

const run = ({ model, ...traffic }: Cell): Promise<TrafficResult> =>
  drive({ ...traffic, limiter: MODELS[model](traffic.limit ?? LIMIT) });

const handlers = { run };
export type GovernorProcess = typeof handlers;
serve(handlers);
