/**
 * Bundles the program into `dist`: one file for each entry point of package.json, so that Node opens few files at its start. Removes
 * the type declarations that no entry point imports, and adds the licenses and the JSON Schema of the configuration file.
 */
import { existsSync, globSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { configSchema } from './config-schema.ts';
import { rolldown, type OutputChunk, type Plugin } from 'rolldown';

const ROOT = join(import.meta.dirname, '..');

/** By their path in `dist`, without an ending. */
const ENTRY_POINTS = ['main', 'sandbox/sandbox'];

/** Packages outside of the bundle: a native module, and packages that few commands need. */
const INSTALLED = ['better-sqlite3', 'bullmq', 'ioredis', 'pg', 'prom-client'];

const isInstalled = (id: string): boolean => INSTALLED.some((name) => id === name || id.startsWith(`${name}/`));

/**
 * Bundles modules that the sources load as CommonJS. In a bundle their ES modules can be used, of which unused parts are dropped.
 */
const bundledCommonJs: Plugin = {
  name: 'bundled-common-js',
  transform: {
    filter: { id: /(?:store[/\\]\w+[/\\]drizzle|contact[/\\]load-libphonenumber)\.ts$/u },
    handler: (code) =>
      code
        .replaceAll(/export const (\{[^}]+\}) =\s+require\(('[^']+')\)[^;]*;/gu, 'export $1 from $2;')
        .replace('const require = createRequire(import.meta.url);', ''),
  },
};

/** V8 stores a text that is not Latin-1 with two bytes a character. Names and lines stay, for stack traces. */
const LEAN_TEXT = {
  comments: false,
  minify: { compress: false, mangle: false, codegen: { removeWhitespace: false, asciiOnly: true } },
} as const;

const LICENSE_FILE = /^(?:licen[cs]e|notice)(?:\.|$)/iu;

/** The license texts of the packages of which something is in the chunks. */
const licensesOf = (chunks: readonly OutputChunk[]): string => {
  const names = chunks.flatMap(({ moduleIds }) =>
    moduleIds.flatMap((id) => /.*[/\\](node_modules[/\\](?:@[^/\\]+[/\\])?[^/\\]+)/u.exec(id)?.[1] ?? []),
  );
  return [...new Set(names)]
    .toSorted()
    .map((name) => {
      const folder = join(ROOT, name);
      const files = existsSync(folder) ? readdirSync(folder).filter((file) => LICENSE_FILE.test(file)) : [];
      return [name.replace(/^node_modules./u, ''), ...files.map((file) => readFileSync(join(folder, file), 'utf8'))];
    })
    .map((texts) => texts.join('\n\n'))
    .join(`\n${'-'.repeat(80)}\n`);
};

/** Bundles entry points, by their paths in the folder that they are written to, into files with that ending. */
export const bundle = async (
  input: Readonly<Record<string, string>>,
  dir: string,
  ending = 'js',
): Promise<readonly OutputChunk[]> => {
  const build = await rolldown({
    input: { ...input },
    cwd: ROOT,
    platform: 'node',
    external: isInstalled,
    plugins: [bundledCommonJs],
  });
  const { output } = await build.write({
    dir,
    format: 'esm',
    entryFileNames: `[name].${ending}`,
    chunkFileNames: `chunks/[name]-[hash].${ending}`,
    ...LEAN_TEXT,
  });
  await build.close();
  return output.filter((each) => each.type === 'chunk');
};

/** The declaration file and all that it imports, directly or through others. */
const withImports = (file: string, found = new Set<string>()): ReadonlySet<string> => {
  if (found.has(file) || !existsSync(file)) return found;
  found.add(file);
  for (const [, path = ''] of readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*\(?['"](\.[^'"]+)['"]/gu)) {
    withImports(join(dirname(file), path.replace(/\.(?:js|ts)$/u, '.d.ts')), found);
  }
  return found;
};

const removeUnusedDeclarations = (dist: string): void => {
  const used = new Set(ENTRY_POINTS.flatMap((name) => [...withImports(join(dist, `${name}.d.ts`))]));
  for (const file of globSync(join(dist, '**/*.d.ts'))) if (!used.has(file)) rmSync(file);
};

if (import.meta.main) {
  const dist = join(ROOT, 'dist');
  removeUnusedDeclarations(dist);
  const input = Object.fromEntries(ENTRY_POINTS.map((name) => [name, join(ROOT, 'src', `${name}.ts`)]));
  writeFileSync(join(dist, 'contact-sync.schema.json'), configSchema());
  writeFileSync(join(dist, 'LICENSES.txt'), licensesOf(await bundle(input, dist)));
}
