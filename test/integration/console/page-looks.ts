import axe from 'axe-core';
import type { BrowserContext, Page } from 'playwright-core';
import { sampled } from '../../support/extent.ts';

const SIZES = [
  { width: 360, height: 740 },
  { width: 1440, height: 900 },
];

const faultsOf = async (page: Page): Promise<readonly string[]> => {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => (globalThis as unknown as { axe: typeof axe }).axe.run());
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
};

const isTooWide = (page: Page): Promise<boolean> =>
  page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth');

const VIEWS = (['light', 'dark'] as const).flatMap((colorScheme) => SIZES.map((size) => ({ colorScheme, size })));

type View = (typeof VIEWS)[number];

const openOnce = async (context: BrowserContext, path: string, { colorScheme, size }: View): Promise<Page> => {
  const page = await context.newPage();
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize(size);
  let isOpened = false;
  await page.route('**/*', async (route) => {
    const isReload = isOpened && route.request().isNavigationRequest();
    isOpened ||= route.request().isNavigationRequest();
    return isReload ? route.fulfill({ status: 204 }) : route.fallback();
  });
  await page.goto(path);
  return page;
};

/**
 * Returns the faults of the pages in light and dark, narrow and wide: broken rules of axe, and too wide content.
 * `npm test` opens each page in one of these combinations, and the next page in the next combination.
 */
export const lookAtAll = async (context: BrowserContext, paths: readonly string[]): Promise<readonly unknown[]> => {
  const faults: unknown[] = [];
  for (const [index, path] of paths.entries()) {
    for (const view of sampled(VIEWS, VIEWS.length, index)) {
      const page = await openOnce(context, path, view);
      const found = await faultsOf(page);
      if (found.length > 0 || (await isTooWide(page))) faults.push([path, view.colorScheme, view.size.width, found]);
      // A request may still be on its way.
      await page.unrouteAll({ behavior: 'ignoreErrors' });
      await page.close();
    }
  }
  return faults;
};
