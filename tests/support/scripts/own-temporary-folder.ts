// A temporary folder of one suite, because folders of other runs would be counted or removed.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';

/** Called in a suite: its tests have a folder of their own as TMPDIR, which is gone afterwards. */
export function useOwnTemporaryFolder(): void {
  const usual = process.env['TMPDIR'];
  before(() => {
    process.env['TMPDIR'] = mkdtempSync(join(tmpdir(), 'tsn-'));
  });
  after(() => {
    rmSync(tmpdir(), { recursive: true });
    if (usual === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = usual;
  });
}
