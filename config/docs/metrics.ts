import { METRICS, type Metric } from '../../src/daemon/server/metric-table.ts';
import { code, codes, table } from './markdown.ts';

/** A table with one row for each metric of our own. */
export const renderMetrics = (): string =>
  table(
    ['metric', 'type', 'labels', 'meaning'],
    Object.values<Metric>(METRICS).map(({ name, type, labels, help }) => [code(name), type, codes(labels), help]),
  );
