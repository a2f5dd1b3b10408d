import type { Config } from './config.ts';

/** What opens the store in a directory, without a link: to look at it while the configuration cannot be used. */
export const storeAlone = (dataDir: string): Config => ({
  file: null,
  dataDir,
  isUsualDataDir: false,
  databaseUrl: null,
  redisUrl: null,
  credentialsKey: null,
  credentialsKeyOld: null,
  retentionMs: null,
  concurrency: 1,
  listen: null,
  isListenOptional: true,
  consoleToken: null,
  consoleReadonly: false,
  apiToken: null,
  hostedLinkHosts: [],
  notifyUrl: null,
  notifySecret: null,
  notifyFormat: 'json',
  logLevel: 'info',
  logFormat: 'json',
  logPersonalData: false,
  links: [],
  faultyLinks: [],
});
