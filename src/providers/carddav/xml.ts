import { SaxesParser } from 'saxes';

/** An element of an answer. */
export type XmlElement = {
  /** The local name behind a prefix for its namespace: `D:href`; of any other namespace, `{namespace}name`. */
  readonly name: string;
  readonly children: readonly XmlElement[];
  /** The attributes by their local names. */
  readonly attributes: Readonly<Record<string, string>>;
  /** The element's own text. */
  readonly text: string;
};

const PREFIXES: Readonly<Record<string, string>> = {
  'DAV:': 'D:',
  'urn:ietf:params:xml:ns:carddav': 'C:',
  'http://calendarserver.org/ns/': 'CS:',
};

/** The namespaces of a request's root element. */
export const NAMESPACES =
  'xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:carddav" xmlns:CS="http://calendarserver.org/ns/"';

const DEEPEST = 64;

type OpenElement = Omit<XmlElement, 'children' | 'text'> & { readonly children: XmlElement[]; text: string };

/**
 * Parses a document. Entities that the document defines are not expanded.
 *
 * @throws Error for a document that is not well-formed or too deep.
 */
export const parseXml = (text: string): XmlElement => {
  const parser = new SaxesParser({ xmlns: true });
  const open: OpenElement[] = [{ name: '', attributes: {}, children: [], text: '' }];
  const append = (part: string): void => {
    const last = open.at(-1);
    if (last !== undefined) last.text += part;
  };
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ local, uri, attributes: given }) => {
    if (open.length > DEEPEST) throw new Error(`the document has more than ${DEEPEST} levels`);
    const attributes = Object.fromEntries(Object.values(given).map((each) => [each.local, each.value]));
    open.push({ name: `${PREFIXES[uri] ?? `{${uri}}`}${local}`, attributes, children: [], text: '' });
  });
  parser.on('text', append);
  parser.on('cdata', append);
  parser.on('closetag', () => {
    const element = open.pop();
    if (element !== undefined) open.at(-1)?.children.push(element);
  });
  parser.write(text).close();
  const root = open[0]?.children[0];
  if (root === undefined) throw new Error('the document is empty');
  return root;
};

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** A text as content or attribute of a request. */
export const xmlText = (text: string): string => text.replaceAll(/[&<>"]/gu, (sign) => ESCAPES[sign] ?? sign);

/** The first child of that name. */
export const childOf = (element: XmlElement | undefined, name: string): XmlElement | undefined =>
  element?.children.find((child) => child.name === name);

/** All children of that name. */
export const childrenOf = (element: XmlElement | undefined, name: string): readonly XmlElement[] =>
  element?.children.filter((child) => child.name === name) ?? [];

/** Whether the element or one within it has the name. */
export const contains = (element: XmlElement, name: string): boolean =>
  element.name === name || element.children.some((child) => contains(child, name));
