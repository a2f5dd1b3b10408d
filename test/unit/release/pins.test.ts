import { expect, test } from 'vitest';
import { pinImages, withoutDigests } from '../../../config/release/pins.ts';

const digest = (letter: string): string => `sha256:${letter.repeat(64)}`;

test('every image with a tag is pinned, once asked for, in place of its former digest', () => {
  const asked: string[] = [];
  const digestOf = (image: string): string => {
    asked.push(image);
    return digest('b');
  };
  const dockerfile = `FROM node:24-slim AS build\nCOPY --from=build /a ./b\nFROM node:24-slim@${digest('a')}\n`;
  expect(pinImages(dockerfile, digestOf)).toBe(
    `FROM node:24-slim@${digest('b')} AS build\nCOPY --from=build /a ./b\nFROM node:24-slim@${digest('b')}\n`,
  );
  expect(asked).toEqual(['node:24-slim']);
});

test('in compose.yaml the image that is built here has no tag, and is left as it is', () => {
  const compose = 'services:\n  a:\n    image: contact-sync\n  b:\n    image: redis:7-bookworm\n';
  expect(pinImages(compose, () => digest('c'))).toBe(compose.replace('redis:7-bookworm', `$&@${digest('c')}`));
});

test('a value that is no digest is refused', () => {
  expect(() => pinImages('FROM node:24\n', () => '')).toThrow(/no digest of node:24/u);
});

test('the names of images contain no digests', () => {
  expect(withoutDigests(`FROM node:24@${digest('a')} AS one\nFROM node:24\n`)).toBe(
    'FROM node:24 AS one\nFROM node:24\n',
  );
});
