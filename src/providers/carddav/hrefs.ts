/** Decodes a part of a URI; one that is not encoded well stays as it is. */
export const decoded = (segment: string): string => {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
};

/** The path of an href with each segment decoded, so that two spellings of one path are equal. */
const pathSegments = (href: string, base: string): readonly string[] | null => {
  const url = URL.parse(href, base);
  return url === null
    ? null
    : url.pathname
        .split('/')
        .filter((segment) => segment !== '')
        .map(decoded);
};

/** Whether two hrefs name the same resource of a server, with or without a slash at the end. */
export const isSameHref = (one: string, other: string, base: string): boolean => {
  const [segments, others] = [pathSegments(one, base), pathSegments(other, base)];
  return segments !== null && others !== null && segments.join('/') === others.join('/');
};

/** The id of a card: the last segment of its path, decoded. Null for anything that is not directly in the address book. */
export const idOf = (href: string, bookUrl: string): string | null => {
  const book = pathSegments(bookUrl, bookUrl) ?? [];
  const segments = pathSegments(href, bookUrl);
  if (segments === null || segments.length !== book.length + 1) return null;
  return book.every((segment, index) => segments[index] === segment) && !href.endsWith('/')
    ? (segments.at(-1) ?? null)
    : null;
};

/** The URL of a card. */
export const urlOf = (id: string, bookUrl: string): string => new URL(encodeURIComponent(id), bookUrl).href;
