import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { BORDERS } from '../../config/borders.ts';

const root = join(import.meta.dirname, '../..');
const IMPORTS = 'eslint(no-restricted-imports)';
const GLOBALS = 'eslint(no-restricted-globals)';
const NAMES = 'borders(no-provider-names)';

/** The specifiers of each file, separated by white space. */
type ImportsByFile = Readonly<Record<string, string>>;

/** The imports that each file must not make. */
const forbiddenImports: ImportsByFile = {
  'util/planted.ts': '../core/contact/contact.ts undici',
  'util/require-node.js': 'zod',
  'core/planted.ts': '../store/store.ts zod',
  'core/apply/planted.ts': '../../engine/execute/send.ts ../../providers/remote.ts node:crypto',
  'core/state/planted.ts': 'node:fs ../../engine/run.ts ../../store/store.ts',
  'core/view/planted.ts': '../../engine/history/undo.ts',
  'core/contact/planted.ts': '../reconcile/plan.ts ../../util/clock.ts node:fs fs zod',
  'core/contact/deep/planted.ts': '../../../store/store.ts',
  'core/contact/stored.ts': '../../store/store.ts',
  'core/contact/load-libphonenumber.ts': './keys.ts',
  'core/reconcile/planted.ts': `
    ../../engine/run.ts ../state/half-transitions.ts ../../providers/remote.ts node:crypto libphonenumber-js`,
  'net/planted.ts': '../providers/errors.ts ../core/contact/contact.ts ioredis',
  'net/redis-limiter.ts': 'undici',
  'store/planted.ts': `
    ../core/reconcile/plan.ts ../core/reconcile/decision.ts ../core/state/half-transitions.ts ../providers/remote.ts pino
    drizzle-orm`,
  'store/sql/planted.ts': '../sqlite/core/reconcile/plan.ts',
  'store/sqlite/planted.ts': '../../core/reconcile/plan.ts',
  'store/postgres/planted.ts': '../../core/reconcile/plan.ts better-sqlite3',
  'providers/planted.ts': './google/client.ts ../core/reconcile/plan.ts ../store/store.ts @googleapis/people',
  'providers/registry.ts': './google/client.ts',
  'providers/carddav/planted.ts': '../google/client.ts',
  'providers/google/planted.ts': 'saxes ../service/mapper.ts ../../store/store.ts ../../app/config/config.ts',
  'providers/service/planted.ts': '../google/client.ts google-auth-library',
  'providers/service/api/planted.ts': '../../engine/run.ts',
  'engine/planted.ts': `
    ./history/undo.ts ../providers/google/client.ts ../providers/service/api/client.ts ../providers/registry.ts
    ../providers/provider.ts ../store/sqlite/database.ts ../net/governor.ts ../app/config/config.ts
    ../daemon/daemon.ts drizzle-orm drizzle-orm/better-sqlite3 better-sqlite3 bullmq undici
    ../../test/support/count-reporter.ts`,
  'app/events.ts': '../store/store.ts',
  'engine/execute/planted.ts': '../history/net/governor.ts',
  'engine/history/planted.ts': '../../store/sqlite/providers/registry.ts',
  'app/planted.ts': `
    ../sandbox/sandbox.ts ../daemon/daemon.ts ../cli/program.ts ../providers/google/google-remote.ts undici`,
  'app/config/planted.ts': '../../engine/run.ts ../app.ts ../../providers/google/settings.ts ../../net/gate.ts pino',
  'daemon/daemon.ts': './server/http-server.ts',
  'daemon/jobs/planted.ts': `
    ../../providers/google/client.ts ../../providers/registry.ts ../../store/sqlite/database.ts ../../app/app.ts
    ../server/door.ts commander`,
  'daemon/links/planted.ts': '../console/console.ts bullmq',
  'daemon/notify/planted.ts': '../../store/sqlite/database.ts ../../app/app.ts undici',
  'daemon/notify/next-notification.ts': './webhook.ts node:crypto',
  'daemon/console/planted.ts': `
    ../../app/app.ts ../../cli/sync/plan.ts ../../store/sqlite/database.ts ../server/door.ts`,
  'daemon/server/planted.ts': `
    ../console/desk.ts ../../app/app.ts ../../cli/daemon/health.ts ../../sandbox/http-server.ts
    ../../store/sqlite/database.ts bullmq`,
  'cli/planted.ts': `
    ../sandbox/sandbox.ts ../providers/google/auth.ts ../app/links.ts ../store/sqlite/database.ts @googleapis/people
    ioredis fast-string-width`,
  'cli/data/planted.ts': '../../store/sqlite/database.ts',
  'cli/terminal/planted.ts': '../../app/app.ts commander',
  'cli/setup/planted.ts': `
    ../../store/sqlite/database.ts ../../store/vault.ts ../../net/transport.ts ../../providers/google/client.ts
    ../../providers/google/authorization.ts`,
  'cli/sandbox/planted.ts': '../../store/sqlite/database.ts',
  'cli/demo/demo.ts': '../../net/governor.ts',
  'sandbox/planted.ts': '../core/contact/contact.ts ../util/clock.ts undici',
  'sandbox/service/planted.ts': '../../net/governor.ts',
  'main.ts': './app/app.ts commander',
};

/** One line that the linter must refuse, with the name of the rule. */
const forbiddenCode: readonly (readonly [file: string, code: string, rule: string])[] = [
  ['core/contact/planted.ts', 'Date.now();', GLOBALS],
  ['core/reconcile/planted.ts', 'new Date();', GLOBALS],
  ['core/reconcile/planted.ts', "void fetch('http://x.test/');", GLOBALS],
  ['core/reconcile/planted.ts', 'setTimeout(() => {}, 1);', GLOBALS],
  ['core/contact/planted.ts', 'Math.random();', 'eslint(no-restricted-properties)'],
  ['engine/planted.ts', "void process.env['HOME'];", 'node(no-process-env)'],
  ['engine/planted.ts', 'Promise.resolve(1);', 'typescript(no-floating-promises)'],
  ['engine/planted.ts', '[1].forEach(async (n) => { await Promise.resolve(n); });', 'typescript(no-misused-promises)'],
  [
    'engine/planted.ts',
    "((a: 'x' | 'y'): void => { switch (a) { case 'x': throw a; } })('y');",
    'typescript(switch-exhaustiveness-check)',
  ],
  ['engine/planted.ts', '((a: any): unknown => a)(1);', 'typescript(no-explicit-any)'],
  ['engine/planted.ts', '((a: string | null): string => a!)(null);', 'typescript(no-non-null-assertion)'],
  ['engine/planted.ts', "console.log('x');", 'eslint(no-console)'],
  ['engine/planted.ts', 'export default 1;', 'import(no-default-export)'],
  ['engine/cycle.ts', "import { other } from './cycle-other.ts';", 'import(no-cycle)'],
  ['engine/planted.ts', "export const isGoogle = (side: string): boolean => side === 'google';", NAMES],
  ['core/reconcile/planted.ts', "export const loser = { winner: 'service' };", NAMES],
  ['core/contact/planted.ts', "export type Place = 'google';", NAMES],
  ['store/planted.ts', "export const bySide = { 'service': 1 };", NAMES],
  ['app/planted.ts', "export const first = ['google'];", NAMES],
  ['net/planted.ts', "export const gate = 'service';", NAMES],
  ['app/events.ts', "export const name = 'google';", NAMES],
];

type Source = readonly [file: string, code: string];

const pairsOf = (imports: ImportsByFile): readonly Source[] =>
  Object.entries(imports).flatMap(([file, specifiers]) =>
    specifiers
      .trim()
      .split(/\s+/u)
      .map((specifier): Source => [file, specifier]),
  );

const importing = ([file, specifier]: Source, index: number): Source => [
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
  ...pairsOf(forbiddenImports).map(importing),
  ...forbiddenCode.map(([file, code]): Source => [file, code]),
  ['engine/long-file.ts', '\n'.repeat(500)],
  ['engine/long-function.ts', longFunction],
  ['engine/cycle.ts', 'export const one = other;'],
  ['engine/cycle-other.ts', "export { one as other } from './cycle.ts';"],
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

test.each(pairsOf(forbiddenImports).map((entry, index) => [...entry, index] as const))(
  'src/%s may not import %s',
  (file, specifier, index) => {
    const [, code] = importing([file, specifier], index);
    expect(found).toContain(`src/${file}:${lineOf(file, code)} ${IMPORTS}`);
  },
);

test.each(forbiddenCode)('src/%s may not contain %s: %s', (file, code, rule) => {
  expect(found).toContain(`src/${file}:${lineOf(file, code)} ${rule}`);
});

test('files over 500 lines and functions over 60 lines are refused', () => {
  expect(found).toContainEqual(expect.stringMatching(/^src\/engine\/long-file\.ts:.* eslint\(max-lines\)$/u));
  expect(found).toContain('src/engine/long-function.ts:1 eslint(max-lines-per-function)');
});

test('every file of src has a border, and every border a planted violation', async () => {
  const entries = await readdir(join(root, 'src'), { withFileTypes: true, recursive: true });
  const files = entries.flatMap(({ name, parentPath }) => {
    return /\.[jt]s$/u.test(name) ? [relative(join(root, 'src'), join(parentPath, name))] : [];
  });
  const holds = ({ place }: (typeof BORDERS)[number], file: string): boolean =>
    file === place || (place.endsWith('/') ? file.startsWith(place) : `${dirname(file)}/*.ts` === place);
  expect(files.filter((file) => !BORDERS.some((border) => holds(border, file)))).toEqual([]);
  expect(BORDERS.filter((border) => !Object.keys(forbiddenImports).some((file) => holds(border, file)))).toEqual([]);
});
