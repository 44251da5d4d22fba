// SPDX-License-Identifier: MIT
// Writes report.html: skeleton.html with the style sheet and the modules of src/ in it.
// Usage: node bundle.mjs NPM-FOLDER [--check]
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const [folder, option] = process.argv.slice(2);
const esbuild = createRequire(join(folder, 'package.json'))('esbuild');

const common = { bundle: true, minify: true, write: false, charset: 'utf8', legalComments: 'none',
	target: ['chrome123', 'firefox128', 'safari18'] };
const text = (entry, extra) => esbuild.buildSync({ ...common, ...extra,
	entryPoints: [join(here, entry)] }).outputFiles[0].text.trim();
const script = text('src/main.js', { format: 'iife' });
const style = text('style.css', {});
for (const [name, part] of [['script', script], ['style', style]]) {
	if (/<\/(script|style)|<!--/i.test(part)) {
		throw new Error(`bundle ${name}: it has the end of an element in it`);
	}
}

const hash = (part) => `'sha256-${createHash('sha256').update(part).digest('base64')}'`;
const parts = { SCRIPT: script, STYLE: style, SCRIPT_HASH: hash(script), STYLE_HASH: hash(style) };
const page = readFileSync(join(here, 'skeleton.html'), 'utf8')
	.replace(/@(SCRIPT|STYLE|SCRIPT_HASH|STYLE_HASH)@/g, (_, name) => parts[name]);
if (page.split('@DATA@').length !== 2) {
	throw new Error('bundle report.html: it must have the marker of the data once');
}

const target = join(here, 'report.html');
if (option === '--check') {
	if (readFileSync(target, 'utf8') !== page) {
		console.error('bundle: report.html differs from its sources: run viz/report/bundle');
		process.exit(1);
	}
} else {
	writeFileSync(target, page);
	console.log(`report.html: ${Buffer.byteLength(page)} bytes ` +
		`(script ${Buffer.byteLength(script)}, style ${Buffer.byteLength(style)})`);
}
