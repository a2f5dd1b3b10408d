import axe from 'axe-core';
import type { BrowserContext, Page } from 'playwright-core';
import { sampled } from '../../support/extent.ts';

const SIZES = [
  { width: 360, height: 740 },
  { width: 1440, height: 900 },
];

/** The rules that a page breaks, with where. */
const faultsOf = async (page: Page): Promise<readonly string[]> => {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => (globalThis as unknown as { axe: typeof axe }).axe.run());
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
};

const isTooWide = (page: Page): Promise<boolean> =>
  page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth');

const LOOKS = (['light', 'dark'] as const).flatMap((colorScheme) => SIZES.map((size) => ({ colorScheme, size })));

/**
 * What is wrong with the pages in light and dark, narrow and wide: a broken rule of axe, or more width than there is.
 * `npm test` shows each page in one of these looks, the next page in the next one.
 */
export const lookAtAll = async (context: BrowserContext, paths: readonly string[]): Promise<readonly unknown[]> => {
  const page = await context.newPage();
  const faults: unknown[] = [];
  for (const [index, path] of paths.entries()) {
    for (const { colorScheme, size } of sampled(LOOKS, LOOKS.length, index)) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize(size);
      await page.goto(path);
      const found = await faultsOf(page);
      if (found.length > 0 || (await isTooWide(page))) faults.push([path, colorScheme, size.width, found]);
    }
  }
  await page.close();
  return faults;
};
