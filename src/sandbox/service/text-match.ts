import type { ServiceVariants } from './variants.ts';

/** Whether the search term `q` matches one of the texts, without case. */
export const matchesTerm = (term: string, texts: readonly (string | null)[], { qMatch }: ServiceVariants): boolean => {
  const wanted = term.toLowerCase();
  return texts.some((text) => {
    const found = (text ?? '').toLowerCase();
    switch (qMatch) {
      case 'substring':
        return found.includes(wanted);
      case 'prefix':
        return found.startsWith(wanted);
      case 'exact':
        return found === wanted;
    }
  });
};
