import axe from 'axe-core';
import type { BrowserContext, Page } from 'playwright-core';
import { sampled } from '../../support/extent.ts';

const SIZES = [
  { width: 360, height: 740 },
  { width: 1440, height: 900 },
];

/** Returns the accessibility rules that a page breaks, with the elements. */
const faultsOf = async (page: Page): Promise<readonly string[]> => {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => (globalThis as unknown as { axe: typeof axe }).axe.run());
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
};

const MOST_RELOADS = 3;

/** Looks at a page; again if the page reloaded itself in between because the state of the link changed. */
const onceLoaded = async <Seen>(
  page: Page,
  look: (page: Page) => Promise<Seen>,
  reloads = MOST_RELOADS,
): Promise<Seen> => {
  try {
    return await look(page);
  } catch (error) {
    const isReload = error instanceof Error && /context|navigat/iu.test(error.message);
    if (!isReload || reloads === 0) throw error;
    await page.waitForLoadState();
    return onceLoaded(page, look, reloads - 1);
  }
};

const isTooWide = (page: Page): Promise<boolean> =>
  page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth');

const VIEWS = (['light', 'dark'] as const).flatMap((colorScheme) => SIZES.map((size) => ({ colorScheme, size })));

/**
 * Returns the faults of the pages in light and dark, narrow and wide: broken rules of axe, and too wide content.
 * `npm test` opens each page in one of these combinations, and the next page in the next combination.
 */
export const lookAtAll = async (context: BrowserContext, paths: readonly string[]): Promise<readonly unknown[]> => {
  const page = await context.newPage();
  const faults: unknown[] = [];
  for (const [index, path] of paths.entries()) {
    for (const { colorScheme, size } of sampled(VIEWS, VIEWS.length, index)) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize(size);
      await page.goto(path);
      const found = await onceLoaded(page, faultsOf);
      if (found.length > 0 || (await onceLoaded(page, isTooWide))) faults.push([path, colorScheme, size.width, found]);
    }
  }
  await page.close();
  return faults;
};
