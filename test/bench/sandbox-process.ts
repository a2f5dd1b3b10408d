import { samplePeople } from '../../src/sandbox/people/sample.ts';
import { startSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts';
import { createMovableClock } from '../support/clocks.ts';
import { serve } from './child.ts';

/** The number of requests to each emulator. */
export type Asked = { readonly google: number; readonly service: number };

const clock = createMovableClock();
let sandbox: Sandbox | null = null;
let counted = { google: 0, service: 0 };
const running = (): Sandbox => {
  if (sandbox === null) throw new Error('The sandbox is not started.');
  return sandbox;
};

const countGoogle = (): number => running().google.requests.length;

const WIDE = { requests: 600_000, windowMs: 60_000 };
const WIDE_QUOTAS = { readsPerMinute: 600_000, writesPerMinute: 600_000 };

type Start = { readonly count: number; readonly filled: 'google' | 'service' | 'both' | 'none' };

const start = async ({ count, filled }: Start): Promise<Record<string, string>> => {
  const people = samplePeople(count);
  sandbox = await startSandbox({
    google: filled === 'google' || filled === 'both' ? people : [],
    service: filled === 'service' || filled === 'both' ? people : [],
    googleQuotas: WIDE_QUOTAS,
    clock,
    serviceRateLimit: WIDE,
  });
  return sandbox.environment();
};

/** Changes the title of every `step`-th contact of Google, and the company of every `step`-th one of the service. */
const edit = (step: number): void => {
  const { google, service } = running();
  for (const [index, person] of google.account.people().entries()) {
    if (index % step !== 0) continue;
    const [first] = person.organizations ?? [];
    const organizations = [{ ...first, title: `Title ${index}` }];
    google.account.updatePerson(person.resourceName ?? '', { organizations });
  }
  for (const [index, contact] of service.account.contacts().entries()) {
    if (index % step !== 1) continue;
    service.account.updateContact(contact.id, { company: `Company ${index}` });
  }
};

/** Returns the number of requests since the last call. */
const asked = (): Asked => {
  const { service } = running();
  const now = { google: countGoogle(), service: service.requests.length };
  const since = { google: now.google - counted.google, service: now.service - counted.service };
  counted = now;
  return since;
};

const groups = (): number =>
  Math.max(running().google.account.groups().length, running().service.account.buckets().length);

const handlers = { start, edit, groups, asked, advance: (byMs: number): void => clock.advance(byMs) };
export type SandboxProcess = typeof handlers;
serve(handlers);
