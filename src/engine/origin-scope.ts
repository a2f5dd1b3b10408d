import { hash } from 'node:crypto';
import { bySide, type Sides } from '../core/contact/side.ts';
import type { LinkContext } from './context.ts';

/** 96 bits: enough to tell accounts apart. */
const SCOPE_LENGTH = 16;

/**
 * What names each side's account in the origins that are left at the other side (R9): a short digest of the provider, its
 * address and the account.
 */
export const originScopes = async ({
  store,
  link,
  endpoints,
}: Pick<LinkContext, 'store' | 'link' | 'endpoints'>): Promise<Sides<string>> => {
  const { accounts } = await store.link(link);
  return bySide((side) => {
    const text = JSON.stringify([endpoints[side], accounts[side]]);
    return hash('sha256', text, 'base64url').slice(0, SCOPE_LENGTH);
  });
};
