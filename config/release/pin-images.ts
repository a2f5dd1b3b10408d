/**
 * Names the images of the Dockerfile and of the compose file with Redis by their present digests as well as by their tags. Docker's
 * buildx asks their registry. To be run whenever they should be brought up to date: `npm run pin-images`.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { pinImages } from './pins.ts';

const digestOf = (image: string): string =>
  execFileSync('docker', ['buildx', 'imagetools', 'inspect', image, '--format', '{{.Manifest.Digest}}'], {
    encoding: 'utf8',
  }).trim();

for (const path of ['Dockerfile', 'config/compose.redis.yaml']) {
  writeFileSync(path, pinImages(readFileSync(path, 'utf8'), digestOf));
}
