/** Every provider, in the order of documents and questions. Imports no provider, so that help loads none. */
export const PROVIDER_NAMES = ['service', 'google', 'carddav'] as const;

export type ProviderName = (typeof PROVIDER_NAMES)[number];
