import { posix } from 'node:path';
import { defineConfig, type OxlintOverride } from 'oxlint';
import { BORDERS, NAMES_PROVIDERS, PROVIDER_NAMES, type Border } from './config/borders.ts';

const DEEPEST_FOLDER = 3;

/** A target of the table as an import specifier written in a file of `folder`. */
const specifier = (folder: string, target: string): string => {
  const relative = posix.relative(folder, target);
  if (relative === '') return './**';
  return `${relative.startsWith('.') ? '' : './'}${relative}${target.endsWith('/') ? '/**' : ''}`;
};

/** What a file `depth` folders below a folder place may import from its own place; the last match decides. */
const ownFolder = (depth: number): string[] => [
  '!./**',
  ...Array.from({ length: depth }, (_, index) => `!${'../'.repeat(index + 1)}**`),
  `${'../'.repeat(depth + 1)}**`,
];

/** The whole list for one place: an override replaces the rule's earlier settings, it does not add to them. */
const restrictedImports = (border: Border, folder: string, own: readonly string[]) => {
  const types = border.types ?? [];
  const reachable = [...border.imports, ...types].map((target) => `!${specifier(folder, target)}`);
  const packages = border.pure ? border.packages : [...border.packages, 'node:*'];
  const openPackages = packages.flatMap((name) => [`!${name}`, `!${name}/**`]);
  const everythingElse = {
    group: ['**', ...openPackages, './**', '../**', ...own, ...reachable],
    message: `src/${border.place} may not import this (config/borders.ts).`,
  };
  // First, and no `group`: what a group opens with `!` nothing after it, and no other group, can close.
  const valuesOfTypes = types.map((target) => ({
    regex: `^${posix.relative(folder, target).replaceAll('.', '\\.')}`,
    allowTypeImports: true,
    message: `src/${border.place} may import only types from here (config/borders.ts).`,
  }));
  return { patterns: [...valuesOfTypes, everythingElse] };
};

const override = (border: Border, files: string, folder: string, own: readonly string[]): OxlintOverride => ({
  files: [files],
  rules: { 'eslint/no-restricted-imports': ['error', restrictedImports(border, folder, own)] },
});

/** A folder place needs one override for each depth of folders below it, since the specifiers differ. */
const borderOverrides = (border: Border): OxlintOverride[] => {
  const files = `src/${border.place}`;
  const folder = posix.dirname(border.place);
  if (border.place.endsWith('/*.ts')) return [override(border, files, folder, ['!./*.ts'])];
  if (/\.[jt]s$/u.test(border.place)) return [override(border, files, folder, [])];
  return Array.from({ length: DEEPEST_FOLDER + 1 }, (_, depth) =>
    override(border, `${files}${'*/'.repeat(depth)}*.ts`, border.place + 'x/'.repeat(depth), ownFolder(depth)),
  );
};

const IMPURE = 'The pure core takes time, randomness and answers as arguments.';
const IMPURE_GLOBALS = [
  'Date',
  'fetch',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'performance',
  'crypto',
  'process',
  'console',
];

const pureFolders = BORDERS.filter((border) => border.pure).map((border) => `src/${border.place}**`);

export default defineConfig({
  plugins: ['eslint', 'typescript', 'unicorn', 'oxc', 'import', 'node'],
  jsPlugins: ['./config/provider-names.ts'],
  options: { typeAware: true, denyWarnings: true, reportUnusedDisableDirectives: 'error' },
  categories: { correctness: 'error', suspicious: 'error' },
  ignorePatterns: ['node_modules/**', 'dist/**', 'migrations/**', 'coverage/**', 'data/**'],
  rules: {
    'eslint/complexity': ['error', { max: 12, variant: 'modified' }],
    'eslint/max-lines': ['error', { max: 500 }],
    'eslint/max-lines-per-function': ['error', { max: 60 }],
    'eslint/eqeqeq': 'error',
    'eslint/no-console': 'error',
    'eslint/no-var': 'error',
    'eslint/prefer-const': 'error',
    'import/no-cycle': 'error',
    'import/no-default-export': 'error',
    // It works by being loaded.
    'import/no-unassigned-import': ['error', { allow: ['**/require-node.js'] }],
    'node/no-process-env': 'error',
    'typescript/consistent-type-imports': 'error',
    'typescript/no-explicit-any': 'error',
    'typescript/no-floating-promises': 'error',
    'typescript/no-misused-promises': 'error',
    'typescript/no-non-null-assertion': 'error',
    'typescript/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
    'typescript/return-await': 'error',
    'typescript/only-throw-error': 'error',
    'unicorn/prefer-node-protocol': 'error',
    // Of the categories above, what fights the style of this code or repeats the compiler.
    'eslint/no-control-regex': 'off',
    'eslint/no-underscore-dangle': 'off',
    'import/no-named-as-default-member': 'off',
    'typescript/consistent-return': 'off',
    'typescript/no-misused-spread': ['error', { allow: ['string'] }],
    'typescript/no-unsafe-type-assertion': 'off',
    'unicorn/consistent-function-scoping': 'off',
    'unicorn/no-array-sort': 'off',
  },
  overrides: [
    ...BORDERS.flatMap(borderOverrides),
    {
      files: pureFolders,
      rules: {
        'eslint/no-restricted-globals': ['error', ...IMPURE_GLOBALS.map((name) => ({ name, message: IMPURE }))],
        'eslint/no-restricted-properties': ['error', { object: 'Math', property: 'random', message: IMPURE }],
      },
    },
    // Imports of types count, too: the direction of imports is the architecture.
    { files: ['src/**'], rules: { 'import/no-cycle': ['error', { ignoreTypes: false }] } },
    {
      files: ['src/**'],
      excludeFiles: NAMES_PROVIDERS.map((place) => `src/${place}**`),
      rules: { 'borders/no-provider-names': ['error', PROVIDER_NAMES] },
    },
    { files: ['src/app/config/config.ts', 'src/util/package.ts'], rules: { 'node/no-process-env': 'off' } },
    {
      files: ['*.config.ts', 'config/provider-names.ts'],
      rules: { 'import/no-default-export': 'off' },
    },
    {
      files: ['test/**'],
      rules: {
        'eslint/complexity': 'off',
        'eslint/max-lines': 'off',
        'eslint/max-lines-per-function': 'off',
        'node/no-process-env': 'off',
      },
    },
  ],
});
