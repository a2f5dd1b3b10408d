import { expect } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { readSides } from '../compare-sides.ts';

/** Edits one contact as the user of each side would. */
export const editBothSides = (sandbox: Sandbox, mark: string): void => {
  const person = sandbox.google.account.people().at(-1);
  // Somebody else: what is tested is not how conflicts are settled.
  const contact = sandbox.service.account.contacts().find((one) => one.last_name !== person?.names?.[0]?.familyName);
  sandbox.service.account.updateContact(contact?.id ?? '', { company: `Company ${mark}` });
  sandbox.google.account.updatePerson(person?.resourceName ?? '', {
    biographies: [],
    organizations: [{ title: mark }],
  });
};

/** Waits until both edits have arrived on the other side, and the sides are equal. */
export const untilEqual = async (sandbox: Sandbox, mark: string): Promise<void> => {
  await expect
    .poll(() => {
      const { google, service } = readSides(sandbox);
      const arrived = google.some(({ company }) => company === `Company ${mark}`);
      return (
        arrived && service.some(({ title }) => title === mark) && JSON.stringify(google) === JSON.stringify(service)
      );
    })
    .toBe(true);
};
