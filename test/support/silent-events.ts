import { createEvents } from '../../src/app/events.ts';
import { createLogger } from '../../src/util/logger.ts';

/** Events that are not logged. */
export const silentEvents = () =>
  createEvents(createLogger({ level: 'silent', format: 'json', destination: process.stderr }), { personalData: false });
