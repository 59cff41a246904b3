// Unpacks the Chromium from its package, once per version, and removes what only takes space. npm runs it after an install.
//
// The package's own unpacking accepts any existing version, restricts it to one user and has race conditions. This one
// writes to a temporary folder and renames it. Plain JavaScript, because the machine's own Node.js may run it. It never fails
// an install, because only browser checks need Chromium.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const folderWord = process.argv.find((word) => word.startsWith('--folder='));
// In a clone these are its own packages, otherwise those next to the installed Tocsin.
const beside = basename(dirname(root)) === 'node_modules' ? dirname(root) : join(root, 'node_modules');
const modules = resolve(folderWord?.slice('--folder='.length) ?? beside);
const source = join(modules, '@sparticuz', 'chromium');

/** Fonts of the package, for systems without any. */
const fontSettings = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`;

try {
  unpack();
  removeHeaders();
} catch (error) {
  console.error(`tocsin: Chromium could not be unpacked, so browser checks require an installed one: ${error.message}`);
}

function unpack() {
  if (process.platform !== 'linux' || process.arch !== 'x64' || !existsSync(source)) return;
  const { version } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
  const target = join(modules, '.tocsin', `chromium-${version}`);
  if (existsSync(target)) return;
  // A temporary name that is never looked up, and is removed in any case.
  const aside = join(modules, '.tocsin', `.aside-${version}-${process.pid}`);
  try {
    fill(aside);
    renameSync(aside, target);
    rmSync(join(source, 'bin'), { recursive: true, force: true });
  } catch (error) {
    // Another process was faster.
    if (!existsSync(target)) throw error;
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}

/** The headers of Node.js are for packages that are compiled, and a clone has none. Packages of others are left alone. */
function removeHeaders() {
  if (modules === dirname(root)) return;
  for (const name of readdirSync(modules)) {
    if (/^node-(?:darwin|linux|win)/.test(name))
      rmSync(join(modules, name, 'include'), { recursive: true, force: true });
  }
}

function fill(aside) {
  mkdirSync(join(aside, 'lib'), { recursive: true, mode: 0o755 });
  const bytes = (name) => brotliDecompressSync(readFileSync(join(source, 'bin', name)));
  const archive = (name, folder) => {
    const { status, stderr } = spawnSync('tar', ['-x', '-C', folder], { input: bytes(name) });
    if (status !== 0) throw new Error(`tar: ${stderr}`);
  };
  writeFileSync(join(aside, 'chromium'), bytes('chromium.br'));
  chmodSync(join(aside, 'chromium'), 0o755);
  archive('swiftshader.tar.br', aside);
  archive('fonts.tar.br', aside);
  archive('al2023.tar.br', aside);
  writeFileSync(join(aside, 'fonts.conf'), fontSettings);
}
