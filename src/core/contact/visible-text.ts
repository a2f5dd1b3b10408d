/** Printable ASCII has no invisible characters and one spelling, and most texts are that. */
const PLAIN = /^[ -~]*$/u;

/**
 * Characters that print nothing: direction marks, soft hyphens, zero-width spaces, variation selectors. Not the joiner
 * between two emoji and the letters of a flag, which make another emoji of them.
 */
const INVISIBLE =
  /(?!(?<=[\p{ExtPict}\p{EMod}\uFE0F])\u200D(?=\p{ExtPict}))(?!(?<=\u{1F3F4}[\u{E0020}-\u{E007F}]*)[\u{E0020}-\u{E007F}])\p{DI}/gu;

const SPACES = /[\s\u0085]+/gu;

/** The text in Unicode NFC, without the characters that print nothing. */
export const visibleText = (text: string): string =>
  PLAIN.test(text) ? text : text.replace(INVISIBLE, '').normalize('NFC');

/**
 * Equal for two texts that a reader cannot tell apart: case, repeated spaces and invisible characters are ignored. Every
 * letter, digit and sign counts. A text that shows nothing is its own key.
 */
export const textKey = (text: string): string => (visibleText(text).replace(SPACES, ' ').trim() || text).toLowerCase();

const HOST_NAME = /^[\p{L}\p{M}\p{N}\p{DI}.\u3002\uFF0E\uFF61-]+$/u;

const asciiHost = (host: string): string | null =>
  HOST_NAME.test(host) ? (URL.parse(`http://${host}`)?.hostname ?? null) : null;

/**
 * Equal for the spellings of one host name: an international name has its ASCII form (`xn--`, UTS 46). Any other text in
 * lower case.
 */
export const hostKey = (host: string): string => {
  const visible = visibleText(host).trim();
  if (PLAIN.test(visible)) return visible.toLowerCase();
  // A joiner may be part of an international name.
  return asciiHost(host) ?? asciiHost(visible) ?? visible.toLowerCase();
};
