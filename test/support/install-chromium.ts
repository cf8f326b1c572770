import { findChromium, installChromium } from './chromium.ts'

/**
 * Installs Chromium where it is missing, once and before all suites: two workers that installed it at the same time
 * would wait for the same lock of apt, and a missing one is better told at the start than after ten minutes.
 */
export default function setUp(): void {
  installChromium()
  findChromium()
}
