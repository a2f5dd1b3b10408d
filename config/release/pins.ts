const BASE = /^(?<before>FROM |\s+image: )(?<image>[\w./-]+:[\w.-]+)(?:@sha256:[0-9a-f]{64})?(?=\s|$)/gmu;
const DIGEST = /^sha256:[0-9a-f]{64}$/u;

/**
 * A Dockerfile or compose file whose images with a tag are named by their digests too, in place of any that they had.
 *
 * @throws {Error} where an image's digest is none.
 */
export const pinImages = (text: string, digestOf: (image: string) => string): string => {
  const digests = new Map<string, string>();
  return text.replaceAll(BASE, (_, before: string, image: string) => {
    const digest = digests.get(image) ?? digestOf(image);
    if (!DIGEST.test(digest)) throw new Error(`The registry gave no digest of ${image} but "${digest}".`);
    digests.set(image, digest);
    return `${before}${image}@${digest}`;
  });
};

/** A text whose images are named by their tags alone. */
export const withoutDigests = (text: string): string => text.replaceAll(/@sha256:[0-9a-f]{64}/gu, '');
