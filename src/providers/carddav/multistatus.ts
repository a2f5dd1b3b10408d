import { childOf, childrenOf, type XmlElement } from './xml.ts';

/** One response of a multistatus (RFC 4918, 14.24). */
export type DavResponse = {
  /** The path, not normalised. */
  readonly href: string;
  /** The status of the whole response; null where only its properties have one. */
  readonly status: number | null;
  /** The properties that were found. */
  readonly properties: readonly XmlElement[];
};

export type Multistatus = { readonly responses: readonly DavResponse[]; readonly syncToken: string | null };

/** Whether a status means that the resource does not exist any more. */
export const isGoneStatus = (status: number | null): boolean => status === 404 || status === 410;

const statusOf = (element: XmlElement | undefined): number | null => {
  const status = /\s(\d{3})(?:\s|$)/u.exec(element?.text.trim() ?? '')?.[1];
  return status === undefined ? null : Number(status);
};

const responseOf = (element: XmlElement): DavResponse => ({
  href: childOf(element, 'D:href')?.text.trim() ?? '',
  status: statusOf(childOf(element, 'D:status')),
  properties: childrenOf(element, 'D:propstat')
    .filter((propstat) => (statusOf(childOf(propstat, 'D:status')) ?? 200) === 200)
    .flatMap((propstat) => childOf(propstat, 'D:prop')?.children ?? []),
});

/** The multistatus of an answer; null where the answer is something else. */
export const multistatusOf = (root: XmlElement | null): Multistatus | null => {
  if (root?.name !== 'D:multistatus') return null;
  return {
    responses: childrenOf(root, 'D:response').map(responseOf),
    syncToken: childOf(root, 'D:sync-token')?.text.trim() || null,
  };
};

/** A property of a response that was found. */
export const propertyOf = ({ properties }: DavResponse, name: string): XmlElement | undefined =>
  properties.find((property) => property.name === name);

/** The ETag of a response as the server sent it; null for none. */
export const etagOf = (response: DavResponse): string | null => propertyOf(response, 'D:getetag')?.text.trim() || null;
