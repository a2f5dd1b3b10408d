/** Every provider, in the order of documents and questions. Imports no provider, so that help loads none. */
export const PROVIDER_NAMES = ['service', 'google', 'carddav'] as const;

export type ProviderName = (typeof PROVIDER_NAMES)[number];

/** The providers of a link without configured ones. */
export const USUAL_PROVIDERS = { left: 'google', right: 'service' } as const satisfies Record<
  'left' | 'right',
  ProviderName
>;
