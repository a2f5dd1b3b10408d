import type { App } from '../../app/app.ts';
import type { Sides } from '../../core/contact/side.ts';

/** The data that only the page of a link needs. */
export type Overview = {
  readonly contacts: Sides<number>;
  readonly accounts: Sides<string | null>;
};

/** Reads the overview of a link from the store. */
export const readOverview = async ({ store }: Pick<App, 'store'>, link: string): Promise<Overview> => {
  const { accounts } = await store.link(link);
  const { present } = await store.counts(link);
  return { contacts: present, accounts };
};
