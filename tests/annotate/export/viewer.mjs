// SPDX-License-Identifier: MIT
// Opens exports in speedscope, which reads its own format, folded stacks and JSON trace events, and
// compares the list of frames that it shows with what ktail stats counts.
// Usage: node viewer.mjs KTAIL NPM-FOLDER TRACE FOLDER-FOR-SCREENSHOTS
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [ktail, npm, trace, folder] = process.argv.slice(2);
const require = createRequire(join(resolve(npm), 'package.json'));
const { chromium } = require('playwright-core');
const viewer = pathToFileURL(join(dirname(require.resolve('speedscope/package.json')), 'dist/release/index.html'));
const run = (args) => execFileSync(ktail, args, { maxBuffer: 1 << 30 });
const calls = JSON.parse(run(['stats', '-f', 'json', trace])).rows.filter((row) => row.calls > 0).map((row) => row.call);

mkdirSync(folder, { recursive: true });
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
	args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', '--allow-file-access-from-files'] });
try {
	for (const format of ['speedscope', 'folded', 'chrome']) {
		const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
		// A limit that only a hang reaches.
		page.setDefaultTimeout(120000);
		const problems = [];
		page.on('pageerror', (error) => problems.push(error.stack));
		page.on('dialog', (dialog) => {
			problems.push(dialog.message());
			dialog.dismiss();
		});
		// The viewer's own program passes a file in the same way (bin/cli.mjs).
		const script = join(resolve(folder), `${format}.js`);
		writeFileSync(script, `speedscope.loadFileFromBase64(${JSON.stringify(`x.${format === 'folded' ? 'txt' : 'json'}`)}, ` +
			`${JSON.stringify(run(['export', '-f', format, trace]).toString('base64'))})`);
		await page.goto(`${viewer.href}#localProfilePath=${script}`);
		await page.getByText('Sandwich').waitFor();
		await page.screenshot({ path: join(folder, `${format}.png`) });
		await page.getByText('Sandwich').click();
		await page.locator('tr', { hasText: calls[0] }).first().waitFor();
		const shown = await page.locator('body').innerText();
		// The list is drawn as far as it is visible; the calls that took longest come first.
		const found = calls.filter((call) => shown.includes(call));
		assert(found.length >= Math.min(5, calls.length), `${format}: the viewer shows ${found.join(' ')} of ${calls.join(' ')}`);
		await page.screenshot({ path: join(folder, `${format}-list.png`) });
		assert.deepEqual(problems, [], `${format}: errors of the viewer`);
		await page.close();
		console.log(`ok ${format}: ${found.length} calls in the viewer's list`);
	}
} finally {
	await browser.close();
}
