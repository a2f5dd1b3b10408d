import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../src/app/config/config.ts';
import { seconds, type Table } from './table.ts';

const TIMES = 5;

const CONFIG = `
service: { baseUrl: 'https://service.test' }
google: { clientId: client, clientSecret: secret }
`;
const linkOf = (index: number): string => `
syncInterval: 10m
left: { provider: google, refreshToken: refresh-${index} }
right: { provider: service, accessToken: access-${index} }
`;

/** Reads a configuration whose links are in files of their own: at start and after each SIGHUP, in a process that has warmed up. */
export const benchLinkFiles = (links: number): Table => {
  const directory = mkdtempSync(join(tmpdir(), 'contact-sync-bench-'));
  try {
    const configPath = join(directory, 'contact-sync.yaml');
    mkdirSync(join(directory, 'links'));
    writeFileSync(configPath, CONFIG);
    for (let index = 0; index < links; index += 1) {
      writeFileSync(join(directory, 'links', `link${index}.yaml`), linkOf(index));
    }
    const durationsMs = Array.from({ length: TIMES }, () => {
      const startedAtMs = performance.now();
      const { links: read, faultyLinks } = loadConfig({ env: {}, configPath, cwd: directory });
      if (read.length !== links || faultyLinks.length > 0) throw new Error('Not every file is a valid link.');
      return performance.now() - startedAtMs;
    });
    const [first = 0, ...later] = durationsMs;
    return {
      title: `5c. Links in files of their own: ${links} files`,
      head: ['', 'measured', 'bound'],
      rows: [
        ['first read of a process', seconds(first), '1 s'],
        ['later reads (SIGHUP), the slowest', seconds(Math.max(...later)), '1 s'],
      ],
    };
  } finally {
    rmSync(directory, { recursive: true });
  }
};
