import type { Sides, SideWords } from '../../src/core/contact/side.ts';

/** The words of a link whose sides are named after their providers. */
export const SIDE_WORDS: Sides<SideWords> = {
  left: { name: 'google', title: 'Google', place: 'Google' },
  right: { name: 'service', title: 'Service', place: 'the service' },
};

/** The words of a link between two accounts of one provider. */
export const TWIN_WORDS: Sides<SideWords> = {
  left: { name: 'private', title: 'Google (private)', place: 'Google (private)' },
  right: { name: 'work', title: 'Google (work)', place: 'Google (work)' },
};
