import { expect, it } from 'vitest';
import { samplePeople } from '../../../src/sandbox/people/sample.ts';

it('the sample people have only domains that are reserved for examples', () => {
  const domains = samplePeople(60).flatMap(({ emails, websites }) => [
    ...emails.map(({ value }) => value.replace(/^.*@/u, '')),
    ...websites.map(({ value }) => value.replace(/^https?:\/\//u, '').replace(/\/.*$/u, '')),
  ]);
  expect(domains.length).toBeGreaterThan(55);
  const reserved = /(?:^|\.)(?:example\.(?:com|org|net)|[a-z-]+\.test)$/iu;
  expect(domains.filter((domain) => !reserved.test(domain))).toEqual([]);
});
