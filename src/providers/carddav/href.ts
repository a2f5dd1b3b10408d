/** Decodes a part of a URI. An invalid encoding is returned unchanged. */
export const decoded = (segment: string): string => {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
};

/**
 * Returns whether a segment, or what it decodes to, contains encoded bytes that are no UTF-8. Its charset is unknown, so it is its own
 * name.
 */
const isOpaque = (segment: string): boolean => {
  const text = decoded(segment);
  return text === segment ? /%[\da-f]{2}/iu.test(text) : isOpaque(text);
};

const nameOf = (segment: string): string =>
  isOpaque(segment) ? segment.replaceAll(/%[\da-f]{2}/giu, (byte) => byte.toUpperCase()) : decoded(segment);

/** Returns the path of an href with each segment decoded, so that different spellings of one path are equal. */
const pathSegments = (href: string, base: string): readonly string[] | null => {
  const url = URL.parse(href, base);
  return url === null
    ? null
    : url.pathname
        .split('/')
        .filter((segment) => segment !== '')
        .map(nameOf);
};

/** Returns whether two hrefs identify the same resource of a server, with or without a trailing slash. */
export const isSameHref = (one: string, other: string, base: string): boolean => {
  const [segments, others] = [pathSegments(one, base), pathSegments(other, base)];
  return segments !== null && others !== null && segments.join('/') === others.join('/');
};

/** Returns the id of a card: the last segment of its path, decoded. Null if it is not directly in the address book. */
export const idOf = (href: string, bookUrl: string): string | null => {
  const path = bookUrl.slice(bookUrl.indexOf('/', 'https://'.length));
  const name = href.startsWith(path) ? href.slice(path.length) : '';
  // Most names need no decoding.
  if (path.endsWith('/') && /^[\w~-][\w.~-]*$/u.test(name)) return name;
  const book = pathSegments(bookUrl, bookUrl) ?? [];
  const segments = pathSegments(href, bookUrl);
  if (segments === null || segments.length !== book.length + 1) return null;
  return book.every((segment, index) => segments[index] === segment) && !href.endsWith('/')
    ? (segments.at(-1) ?? null)
    : null;
};

/** Returns whether an href is directly in the address book: a card or a sub-collection. */
export const isMember = (href: string, bookUrl: string): boolean => idOf(href.replace(/\/+$/u, ''), bookUrl) !== null;

/** Returns the last segment of the path of a card. */
export const segmentOf = (id: string): string => {
  const encoded = encodeURIComponent(id);
  return isOpaque(id) ? encoded.replaceAll(/%25(?=[\dA-F]{2})/gu, '%') : encoded;
};

/** Returns the URL of a card. */
export const urlOf = (id: string, bookUrl: string): string => new URL(segmentOf(id), bookUrl).href;
