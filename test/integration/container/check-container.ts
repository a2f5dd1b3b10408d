/**
 * Builds the image and runs it: the demo, a daemon without privileges against a sandbox, `init` with a volume, and
 * the compose files with Redis restarted. Docker does it where its engine answers; else Podman, on base images that are made of Debian's packages.
 * A missing program is reported; with CI=true that is a failure.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installForArm64 } from './arm64.ts';
import { certificatesFor, provideBaseImages } from './base-images.ts';
import { checkCompose } from './compose-check.ts';
import { ROOT } from './dockerfile.ts';
import { findEngine, succeed, type Engine } from './engine.ts';
import { runFromVolume } from './volume-check.ts';
import { build, inspectContents, inspectSize, runCommands, runDaemon } from './smoke.ts';

const say = (text: string): void => void process.stdout.write(`${text}\n`);

let passed = 0;
/** Does one part of the check and says how long it took. */
const step = async (name: string, work: () => Promise<string | void>): Promise<void> => {
  const fromMs = performance.now();
  const more = await work();
  passed += 1;
  say(`ok, ${((performance.now() - fromMs) / 1000).toFixed(0)} s: ${name}${more === undefined ? '' : ` (${more})`}`);
};

const tellMissing = (pieces: readonly string[]): void => {
  for (const piece of pieces) say(`missing: ${piece}`);
  if (process.env['CI'] === 'true') process.exitCode = 1;
};

const check = async (engine: Engine, scratch: string): Promise<void> => {
  const revision = await succeed('git', ['-C', ROOT, 'rev-parse', 'HEAD']);
  await step(`base images, with ${engine.name}`, () => provideBaseImages(engine, scratch));
  await step('the image is built', async () =>
    build(engine, await certificatesFor(engine, scratch), { revision, scratch }),
  );
  await step('everything native is there for arm64 too', () => installForArm64(scratch));
  await step('its size', () => inspectSize(engine));
  await step('it holds what it needs and no more', () => inspectContents(engine, revision));
  await step('the demo and other commands run in it', () => runCommands(engine));
  await step('a daemon without privileges works, and ends in time', () => runDaemon(engine));
  await step('init writes to the volume, and the published port serves the page', () => runFromVolume(engine));
  const { compose } = engine;
  if (compose === null) return tellMissing(['docker compose, or docker-compose 2: compose.yaml is not brought up']);
  await step('the compose files come up and survive restarts of Redis', () => checkCompose(engine, compose, scratch));
};

const scratch = await mkdtemp(join(tmpdir(), 'contact-sync-container-'));
try {
  const found = await findEngine(scratch);
  if ('missing' in found) tellMissing(found.missing);
  else {
    await using engine = found.engine;
    await check(engine, scratch);
    say(`${passed} passed, 0 failed`);
  }
} finally {
  await rm(scratch, { recursive: true, force: true });
}
