import { expect } from 'vitest';
import type { ServiceVariants } from '../../../src/sandbox/service/variants.ts';
import type { LinkConfig } from '../../../src/app/config/link-config.ts';
import type { RunResult } from '../../../src/engine/run.ts';
import { googleId, person, serviceId } from '../../support/linked-people.ts';
import { startLinkedSandbox, type LinkedSandbox } from '../../support/linked-sandbox.ts';

/** A linked sandbox with people at Google, of which nothing was synced yet. */
export const startWith = (
  names: readonly string[],
  variables: Readonly<Record<string, string>>,
  service: Partial<ServiceVariants> = {},
): Promise<LinkedSandbox> =>
  startLinkedSandbox({ variants: { service }, google: names.map((name) => person(name)), service: [] }, variables);

/** One run of the same link with other settings. */
export const syncWith = async (
  linked: LinkedSandbox,
  variables: Readonly<Record<string, string>>,
  link: Partial<LinkConfig> = {},
): Promise<RunResult> => {
  const result = await linked.reopened(variables, (program) => program.sync({ link }));
  expect(result.error).toBeNull();
  linked.clock.advance(60_000);
  return result;
};

const NONE = { created: 0, updated: 0, deleted: 0 };
export const NOTHING_WRITTEN = { left: NONE, right: NONE };

/** The id of the contact of that first name at each side. */
export const idsOf = (linked: LinkedSandbox, name: string) => ({
  google: googleId(linked, name),
  service: serviceId(linked, name),
});

export const atGoogle = (linked: LinkedSandbox, name: string) =>
  linked.sandbox.google.account.people().find((each) => each.names?.[0]?.givenName === name) ?? {};

export const atService = (linked: LinkedSandbox, name: string) => {
  const found = linked.sandbox.service.account.contacts().find((each) => each.first_name === name);
  if (found === undefined) throw new Error(`The service has nobody called ${name}.`);
  return found;
};
