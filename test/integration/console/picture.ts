import { join } from 'node:path';
import type { Page } from 'playwright-core';

const PICTURES = join(import.meta.dirname, '../../../config/screenshots');

export const picture = async (page: Page, name: string): Promise<void> => {
  if (process.env['SCREENSHOTS'] === undefined) return;
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const size of [
      { width: 390, height: 844 },
      { width: 1440, height: 1000 },
    ]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize(size);
      await page.screenshot({ path: join(PICTURES, `${name}-${size.width}-${colorScheme}.png`) });
    }
  }
};
