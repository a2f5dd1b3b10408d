import { METRICS, type Metric } from '../../src/daemon/server/metric-table.ts';
import { renderCommandBlocks } from './commands.ts';
import { renderLogEvents } from './log-events.ts';
import { code } from './markdown.ts';
import { renderSettings } from './settings.ts';

const renderMetrics = (): string =>
  Object.values<Metric>(METRICS)
    .map(({ name, type, labels, help }) => `- ${code(name)} (${[type, ...labels.map(code)].join(', ')}): ${help}`)
    .join('\n');

/**
 * The generated blocks by name. To add one: write a function that returns Markdown, add a line here, put
 * `<!-- generated: NAME -->` and `<!-- end -->` into a Markdown file, and run `npm run docs`.
 */
export const BLOCKS: Readonly<Record<string, () => string>> = {
  ...(await renderCommandBlocks()),
  'log events': renderLogEvents,
  metrics: renderMetrics,
  settings: renderSettings,
};
