// A project with one of every construct that Tocsin has, deployed by the `checkly` command line in tests.
import { defineConfig } from 'checkly';

export default defineConfig({
  projectName: 'Shop',
  logicalId: 'shop',
  checks: { checkMatch: '**/*.check.ts', frequency: 10, locations: [], tags: ['cli'], runtimeId: '2026.10' },
});
