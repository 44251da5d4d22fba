// SPDX-License-Identifier: MIT
// Usage: node screenshots.mjs NPM-FOLDER REPORTS OUT   (REPORTS: graphs.html, two.html)
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { smallPng } from './small-png.mjs';

const [npm, reports, out] = process.argv.slice(2);
const { chromium } = createRequire(join(resolve(npm), 'package.json'))('playwright-core');
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
	args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'] });

async function shot(name, report, colorScheme, prepare) {
	const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, colorScheme, reducedMotion: 'reduce' });
	await page.goto(`file://${resolve(reports, `${report}.html`)}`);
	await page.waitForSelector('html[data-ready="true"]');
	await prepare(page);
	await page.mouse.move(0, 0);
	await page.waitForFunction(() => new Promise((done) => { requestAnimationFrame(() => requestAnimationFrame(() => done(true))); }));
	const png = smallPng(await page.screenshot({ caret: 'hide' }));
	writeFileSync(join(out, `report-${name}.png`), png);
	console.log(`report-${name}.png: ${png.length} bytes`);
	await page.close();
}
async function search(page, what) {
	await page.fill('#search', what);
	await page.waitForSelector('#results li[aria-selected="true"]');
	await page.keyboard.press('Enter');
}

await shot('timeline', 'graphs', 'light', async (page) => {
	await search(page, 'cuGraphLaunch #1');
	// The table below the drawing is filled when the view has come to rest.
	await page.waitForFunction(() => [...document.querySelectorAll('.timeline-view tbody tr')].some((row) => row.innerText.includes('doorbell 184')));
});
await shot('machine', 'graphs', 'dark', async (page) => {
	await page.click('#tab-machine');
	await page.locator('.edge.initiation').first().focus();
	await page.keyboard.press('Enter');
	await page.click('#inspector button:has-text("In the machine")');
	await page.click('button[aria-label="Zoom out"] >> visible=true');
	await page.evaluate(() => document.activeElement.blur());
});
await shot('two', 'two', 'light', async (page) => {
	await page.click('#tab-tables');
	await page.click('.choices button:has-text("Ioctls")');
	await page.waitForSelector('#panel-tables tbody tr');
	await page.evaluate(() => document.activeElement.blur());
});
await browser.close();
