import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { BORDERS } from '../../config/borders.ts';

const root = join(import.meta.dirname, '../..');
const IMPORTS = 'eslint(no-restricted-imports)';
const GLOBALS = 'eslint(no-restricted-globals)';
const NAMES = 'borders(no-provider-names)';

/** One import that each place must not make. */
const forbiddenImports: readonly (readonly [file: string, specifier: string])[] = [
  ['contact/planted.ts', '../reconcile/plan.ts'],
  ['contact/planted.ts', '../clock.ts'],
  ['contact/planted.ts', 'node:fs'],
  ['contact/planted.ts', 'fs'],
  ['contact/planted.ts', 'zod'],
  ['contact/deep/planted.ts', '../../store/store.ts'],
  ['contact/stored.ts', '../store/store.ts'],
  ['contact/numbering-plans.ts', './keys.ts'],
  ['reconcile/planted.ts', '../sync/run.ts'],
  ['reconcile/planted.ts', '../providers/remote.ts'],
  ['reconcile/planted.ts', 'node:crypto'],
  ['reconcile/planted.ts', 'libphonenumber-js'],
  ['http/planted.ts', '../providers/errors.ts'],
  ['http/planted.ts', '../contact/contact.ts'],
  ['http/planted.ts', 'ioredis'],
  ['http/redis-ring.ts', 'undici'],
  ['providers/planted.ts', './google/client.ts'],
  ['providers/planted.ts', '../reconcile/plan.ts'],
  ['providers/planted.ts', '@googleapis/people'],
  ['providers/registry.ts', './google/client.ts'],
  ['providers/carddav/planted.ts', '../google/client.ts'],
  ['providers/google/planted.ts', 'saxes'],
  ['providers/google/planted.ts', '../service/client.ts'],
  ['providers/google/planted.ts', '../../store/store.ts'],
  ['providers/google/planted.ts', '../../config/config.ts'],
  ['providers/google/planted.ts', '../../config/sources.ts'],
  ['providers/service/planted.ts', '../google/client.ts'],
  ['providers/service/planted.ts', 'google-auth-library'],
  ['providers/service/api/planted.ts', '../../google/client.ts'],
  ['providers/service/api/planted.ts', '../../../sync/run.ts'],
  ['cli/forget/planted.ts', '../../store/sqlite/database.ts'],
  ['store/planted.ts', '../reconcile/plan.ts'],
  ['store/planted.ts', '../reconcile/decision.ts'],
  ['store/planted.ts', '../providers/remote.ts'],
  ['store/planted.ts', 'pino'],
  ['store/planted.ts', 'drizzle-orm'],
  ['store/sql/planted.ts', '../sqlite/database.ts'],
  ['store/sqlite/planted.ts', '../../reconcile/plan.ts'],
  ['store/postgres/planted.ts', '../../reconcile/plan.ts'],
  ['store/postgres/planted.ts', 'better-sqlite3'],
  ['sync/apply/planted.ts', '../execute/batch.ts'],
  ['sync/apply/planted.ts', 'node:crypto'],
  ['sync/state/planted.ts', 'node:fs'],
  ['sync/state/planted.ts', '../run.ts'],
  ['sync/state/planted.ts', '../../store/store.ts'],
  ['sync/planted.ts', '../history/undo.ts'],
  ['notify/planted.ts', '../store/sqlite/database.ts'],
  ['notify/planted.ts', '../config/config.ts'],
  ['notify/planted.ts', 'undici'],
  ['notify/news.ts', './webhook.ts'],
  ['notify/news.ts', 'node:crypto'],
  ['view/planted.ts', '../sync/run.ts'],
  ['view/planted.ts', '../history/undo.ts'],
  ['history/planted.ts', '../store/sqlite/database.ts'],
  ['history/planted.ts', '../providers/remote.ts'],
  ['sync/planted.ts', '../providers/google/client.ts'],
  ['sync/planted.ts', '../providers/service/api/client.ts'],
  ['sync/planted.ts', '../store/sqlite/database.ts'],
  ['sync/planted.ts', '../http/governor.ts'],
  ['sync/planted.ts', '../config/config.ts'],
  ['sync/planted.ts', '../providers/registry.ts'],
  ['sync/planted.ts', '../providers/provider.ts'],
  ['sync/planted.ts', 'drizzle-orm'],
  ['sync/planted.ts', 'drizzle-orm/better-sqlite3'],
  ['sync/planted.ts', 'better-sqlite3'],
  ['sync/planted.ts', 'bullmq'],
  ['sync/planted.ts', 'undici'],
  ['jobs/planted.ts', '../providers/google/client.ts'],
  ['jobs/planted.ts', '../store/sqlite/database.ts'],
  ['jobs/planted.ts', '../app/app.ts'],
  ['jobs/planted.ts', '../providers/registry.ts'],
  ['jobs/planted.ts', 'commander'],
  ['jobs/planted.ts', '../listen/door.ts'],
  ['console/planted.ts', '../app/app.ts'],
  ['console/planted.ts', '../cli/plan.ts'],
  ['console/planted.ts', '../store/sqlite/database.ts'],
  ['console/planted.ts', '../listen/door.ts'],
  ['listen/planted.ts', '../console/desk.ts'],
  ['listen/planted.ts', '../app/app.ts'],
  ['listen/planted.ts', '../cli/health.ts'],
  ['listen/planted.ts', '../sandbox/control-door.ts'],
  ['listen/planted.ts', '../store/sqlite/database.ts'],
  ['listen/planted.ts', 'bullmq'],
  ['cli/planted.ts', '../sandbox/sandbox.ts'],
  ['cli/planted.ts', '../providers/google/auth.ts'],
  ['cli/planted.ts', '../app/links.ts'],
  ['cli/planted.ts', '../notify/webhook.ts'],
  ['cli/planted.ts', '../store/sqlite/database.ts'],
  ['cli/planted.ts', '@googleapis/people'],
  ['cli/planted.ts', 'ioredis'],
  ['cli/sandbox/planted.ts', '../../store/sqlite/database.ts'],
  ['cli/demo/demo.ts', '../../http/governor.ts'],
  ['sandbox/planted.ts', '../contact/contact.ts'],
  ['sandbox/planted.ts', '../clock.ts'],
  ['sandbox/service/planted.ts', '../../http/governor.ts'],
  ['sandbox/planted.ts', 'undici'],
  ['clock.ts', './contact/contact.ts'],
  ['config/planted.ts', '../sync/run.ts'],
  ['config/planted.ts', '../providers/google/settings.ts'],
  ['config/planted.ts', '../http/gate.ts'],
  ['config/planted.ts', 'pino'],
  ['config/config-error.ts', './sources.ts'],
  ['config/secret.ts', './config.ts'],
  ['config/values.ts', './sides.ts'],
  ['config/values.ts', '../providers/registry.ts'],
  ['loopback.ts', './logger.ts'],
  ['make-directory.ts', './logger.ts'],
  ['regular-file.ts', './logger.ts'],
  ['ownership.ts', './logger.ts'],
  ['package-root.ts', './logger.ts'],
  ['compile-cache.ts', './logger.ts'],
  ['printable.ts', './logger.ts'],
  ['read-body.ts', './logger.ts'],
  ['redis-trouble.ts', './logger.ts'],
  ['logger.ts', './config/config.ts'],
  ['logger.ts', 'yaml'],
  ['events.ts', './store/store.ts'],
  ['app/planted.ts', '../sandbox/sandbox.ts'],
  ['app/planted.ts', '../cli/program.ts'],
  ['app/planted.ts', '../providers/google/google-remote.ts'],
  ['app/planted.ts', 'undici'],
  ['cli/connect/planted.ts', '../../store/sqlite/database.ts'],
  ['cli/connect/planted.ts', '../../http/transport.ts'],
  ['cli/connect/planted.ts', '../../providers/google/client.ts'],
  ['cli/doctor/planted.ts', '../../providers/google/authorization.ts'],
  ['cli/doctor/planted.ts', '../../store/vault.ts'],
  ['cli/init/planted.ts', '../../store/vault.ts'],
  ['require-node.js', 'zod'],
  ['main.ts', './app/app.ts'],
  ['main.ts', 'commander'],
  ['sync/planted.ts', '../../test/support/count-reporter.ts'],
];

const allowedImports: readonly (readonly [file: string, specifier: string])[] = [
  ['contact/clean.ts', 'libphonenumber-js'],
  ['contact/clean.ts', 'libphonenumber-js/min'],
  ['contact/deep/clean.ts', '../contact.ts'],
  ['reconcile/clean.ts', '../contact/contact.ts'],
  ['http/clean.ts', '../clock.ts'],
  ['http/clean.ts', 'node:http'],
  ['providers/google/clean.ts', '../remote.ts'],
  ['providers/google/clean.ts', '../../contact/contact.ts'],
  ['providers/google/clean.ts', '@googleapis/people'],
  ['providers/service/api/clean.ts', '../mapper.ts'],
  ['providers/service/api/clean.ts', '../../errors.ts'],
  ['store/clean.ts', '../reconcile/operation.ts'],
  ['store/sqlite/clean.ts', 'drizzle-orm/sqlite-core'],
  ['history/clean.ts', '../sync/run.ts'],
  ['sync/clean.ts', '../store/store.ts'],
  ['sync/clean.ts', '../providers/remote.ts'],
  ['jobs/clean.ts', 'bullmq'],
  ['listen/clean.ts', '../jobs/check-health.ts'],
  ['listen/clean.ts', 'prom-client'],
  ['providers/registry.ts', './google/provider.ts'],
  ['providers/google/clean.ts', '../../config/values.ts'],
  ['config/clean.ts', '../providers/registry.ts'],
  ['cli/clean.ts', '../app/app.ts'],
  ['cli/connect/clean.ts', '../../providers/sign-in.ts'],
  ['cli/connect/clean.ts', '../../store/vault.ts'],
  ['app/clean.ts', '../providers/registry.ts'],
  ['app/clean.ts', '../store/vault.ts'],
  ['sandbox/service/clean.ts', '../server.ts'],
  ['sandbox/clean.ts', 'hono'],
];

/** One line that the linter must refuse, with the name of the rule. */
const forbiddenCode: readonly (readonly [file: string, code: string, rule: string])[] = [
  ['contact/planted.ts', 'Date.now();', GLOBALS],
  ['reconcile/planted.ts', 'new Date();', GLOBALS],
  ['reconcile/planted.ts', "void fetch('http://x.test/');", GLOBALS],
  ['reconcile/planted.ts', 'setTimeout(() => {}, 1);', GLOBALS],
  ['contact/planted.ts', 'Math.random();', 'eslint(no-restricted-properties)'],
  ['sync/planted.ts', "void process.env['HOME'];", 'node(no-process-env)'],
  ['sync/planted.ts', 'Promise.resolve(1);', 'typescript(no-floating-promises)'],
  ['sync/planted.ts', '[1].forEach(async (n) => { await Promise.resolve(n); });', 'typescript(no-misused-promises)'],
  [
    'sync/planted.ts',
    "((a: 'x' | 'y'): void => { switch (a) { case 'x': throw a; } })('y');",
    'typescript(switch-exhaustiveness-check)',
  ],
  ['sync/planted.ts', '((a: any): unknown => a)(1);', 'typescript(no-explicit-any)'],
  ['sync/planted.ts', '((a: string | null): string => a!)(null);', 'typescript(no-non-null-assertion)'],
  ['sync/planted.ts', "console.log('x');", 'eslint(no-console)'],
  ['sync/planted.ts', 'export default 1;', 'import(no-default-export)'],
  ['sync/cycle.ts', "import { other } from './cycle-other.ts';", 'import(no-cycle)'],
  ['sync/planted.ts', "export const isGoogle = (side: string): boolean => side === 'google';", NAMES],
  ['reconcile/planted.ts', "export const loser = { winner: 'service' };", NAMES],
  ['contact/planted.ts', "export type Place = 'google';", NAMES],
  ['store/planted.ts', "export const bySide = { 'service': 1 };", NAMES],
  ['jobs/planted.ts', 'export const side = `google`;', NAMES],
  ['app/planted.ts', "export const first = ['google'];", NAMES],
  ['http/planted.ts', "export const gate = 'service';", NAMES],
  ['events.ts', "export const name = 'google';", NAMES],
];

const allowedCode: readonly (readonly [file: string, code: string])[] = [
  ['config/config.ts', 'export const home = process.env;'],
  ['config/clean.ts', "export const usual = { left: 'google', right: 'service' };"],
  ['cli/clean.ts', "export const example = 'google';"],
  ['providers/service/clean.ts', "export const name = 'service';"],
  ['sandbox/clean.ts', "export const emulates = 'google';"],
  ['sync/clean.ts', "export const words = 'the service is googled';"],
  ['sync/clean.ts', 'export const later = (now: number): number => now + 1;'],
  ['providers/google/clean.ts', 'export const parse = (text: string): number => Date.parse(text);'],
  ['store/clean.ts', "import type { Decision } from '../reconcile/decision.ts';"],
  ['store/clean.ts', 'export type D = Decision;'],
];

type Source = readonly [file: string, code: string];

const importing = ([file, specifier]: readonly [string, string], index: number): Source => [
  file,
  `import * as planted${index} from '${specifier}'; export { planted${index} };`,
];

const Report = z.object({
  diagnostics: z.array(
    z.object({
      code: z.string(),
      filename: z.string(),
      labels: z.array(z.object({ span: z.object({ line: z.number() }) })),
    }),
  ),
});

/** Lints the sources, each one line of its file, in a tree that holds a copy of the linter's settings. */
const lint = async (tree: string, sources: readonly Source[]) => {
  for (const name of ['oxlint.config.ts', 'config', 'package.json', 'tsconfig.json']) {
    await cp(join(root, name), join(tree, name), { recursive: true });
  }
  await symlink(join(root, 'node_modules'), join(tree, 'node_modules'));
  for (const [file, lines] of Map.groupBy(sources, (source) => source[0])) {
    await mkdir(dirname(join(tree, 'src', file)), { recursive: true });
    await writeFile(join(tree, 'src', file), `${lines.map(([, code]) => code).join('\n')}\n`);
  }
  const oxlint = join(root, 'node_modules/.bin/oxlint');
  return new Promise<{ exitCode: number; found: string[] }>((resolve) => {
    execFile(oxlint, ['--format', 'json', 'src'], { cwd: tree }, (error, stdout) => {
      const { diagnostics } = Report.parse(JSON.parse(stdout));
      const found = diagnostics.map(({ filename, labels, code }) => `${filename}:${labels[0]?.span.line} ${code}`);
      resolve({ exitCode: error ? 1 : 0, found });
    });
  });
};

const longFunction = `export const long = (): void => {${'\n'.repeat(60)}};`;
const planted: readonly Source[] = [
  ...forbiddenImports.map(importing),
  ...forbiddenCode.map(([file, code]): Source => [file, code]),
  ['sync/long-file.ts', '\n'.repeat(500)],
  ['sync/long-function.ts', longFunction],
  ['sync/cycle.ts', 'export const one = other;'],
  ['sync/cycle-other.ts', "export { one as other } from './cycle.ts';"],
];
const lineOf = (file: string, code: string): number =>
  planted.filter((source) => source[0] === file).findIndex((source) => source[1] === code) + 1;

let trees: string;
let exitCode: number;
let found: string[];

beforeAll(async () => {
  trees = await mkdtemp(join(tmpdir(), 'contact-sync-borders-'));
  await mkdir(join(trees, 'planted'));
  ({ exitCode, found } = await lint(join(trees, 'planted'), planted));
});
afterAll(() => rm(trees, { recursive: true, force: true }));

test('planted violations make the linter fail', () => {
  expect(exitCode).not.toBe(0);
});

test.each(forbiddenImports.map((entry, index) => [...entry, index] as const))(
  'src/%s may not import %s',
  (file, specifier, index) => {
    const [, code] = importing([file, specifier], index);
    expect(found).toContain(`src/${file}:${lineOf(file, code)} ${IMPORTS}`);
  },
);

test.each(forbiddenCode)('src/%s may not hold %s: %s', (file, code, rule) => {
  expect(found).toContain(`src/${file}:${lineOf(file, code)} ${rule}`);
});

test('files over 500 lines and functions over 60 lines are refused', () => {
  expect(found).toContainEqual(expect.stringMatching(/^src\/sync\/long-file\.ts:.* eslint\(max-lines\)$/u));
  expect(found).toContain('src/sync/long-function.ts:1 eslint(max-lines-per-function)');
});

test('what the borders allow passes', async () => {
  await mkdir(join(trees, 'clean'));
  const clean = await lint(join(trees, 'clean'), [...allowedImports.map(importing), ...allowedCode]);
  expect(clean).toEqual({ exitCode: 0, found: [] });
});

test('every folder and file of src has its border, and every border a planted violation', async () => {
  const entries = await readdir(join(root, 'src'), { withFileTypes: true });
  const code = entries.map(({ name }) => name).filter((name) => !name.endsWith('.md'));
  const rooms = new Set(BORDERS.map(({ place }) => place.split('/')[0]));
  expect(code.filter((name) => !rooms.has(name))).toEqual([]);

  const guarded = ({ place }: (typeof BORDERS)[number]): boolean =>
    forbiddenImports.some(([file]) => file === place || file.replace(/[^/]+$/u, '') === place.replace('*.ts', ''));
  expect(BORDERS.filter((border) => !guarded(border))).toEqual([]);
});
