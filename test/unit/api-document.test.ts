import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { API_FILE, apiDocument } from '../../config/api-document.ts';

test('the OpenAPI document of the HTTP API is current (node config/api-document.ts writes it)', () => {
  expect(readFileSync(API_FILE, 'utf8')).toBe(apiDocument());
});

test('no setting in the OpenAPI document is a file of a host', () => {
  expect(apiDocument()).not.toMatch(/"\w+File"/u);
});
