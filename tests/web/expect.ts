// Assertions that wait.
import type { Locator } from 'playwright-core';

/** Waits until an element is visible. */
export async function expectVisible(locator: Locator, withinMs = 10_000): Promise<void> {
  await locator.waitFor({ state: 'visible', timeout: withinMs });
}

/** Waits until an element is gone. */
export async function expectHidden(locator: Locator, withinMs = 10_000): Promise<void> {
  await locator.waitFor({ state: 'hidden', timeout: withinMs });
}
