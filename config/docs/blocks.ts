import { renderCommandBlocks } from './commands.ts';
import { renderDocumentBlocks } from './json-documents.ts';
import { renderLogEvents } from './log-events.ts';
import { renderMetrics } from './metrics.ts';
import { renderSecretFiles, renderSettings } from './settings.ts';

/**
 * The generated blocks by name. To add one: write a function that returns Markdown, add a line here, put
 * `<!-- generated: NAME -->` and `<!-- end -->` into a Markdown file, and run `npm run docs`.
 */
export const BLOCKS: Readonly<Record<string, () => string>> = {
  ...(await renderCommandBlocks()),
  ...renderDocumentBlocks(),
  'log events': renderLogEvents,
  metrics: renderMetrics,
  'secret files': renderSecretFiles,
  settings: renderSettings,
};
