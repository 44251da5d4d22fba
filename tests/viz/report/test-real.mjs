// SPDX-License-Identifier: MIT
// Answers questions from reports of corpus traces as a reader would, in a few steps each.
// Usage: node test-real.mjs NPM-FOLDER FOLDER   (FOLDER: graphs.html, two.html)
import assert from 'node:assert/strict';
import { join, resolve } from 'node:path';
import { heading, run, search, startBrowser, tab, text } from './browser.mjs';

const [npm, folder] = process.argv.slice(2);
const browser = await startBrowser(npm);
const url = (name) => `file://${resolve(folder, `${name}.html`)}`;
const shot = (page, name) => page.screenshot({ path: join(folder, `${name}.png`) });
let passed = true;
const question = async (name, report, test) => {
	passed = await run(name, async () => {
		const page = await browser.open(url(report));
		assert.equal(await page.evaluate(() => document.documentElement.dataset.ready), 'true');
		await test(page);
		browser.checkClean(name);
		await page.context().close();
	}) && passed;
};

await question('which call wrote doorbell 14, and what did it submit', 'graphs', async (page) => {
	await shot(page, 'overview');
	// Events of the timeline are fewer than those recorded, which include ring entries and objects.
	assert.match(await text(page, '#panel-overview'), /2[\u202f,]?533\s+events of the timeline[^]*events recorded\s+3302/);
	await search(page, 'doorbell 14');
	const panel = await text(page, '#inspector');
	assert.match(panel, /in call\s+cuDevicePrimaryCtxRetain #1/);
	assert.match(panel, /semaphore-release\s+880\sB of commands, noticed after [\d.]+\sms \(\w+\)\s+bind HOPPER_COMPUTE_A, bind HOPPER_DMA_COPY_A, semaphore-release/);
	assert.match(panel, /0x5c000022/);
	// The timeline is at the doorbell's channel, with the call above: a click on the call selects it.
	const scroll = page.locator('.timeline-scroll');
	await page.waitForFunction(() => document.querySelector('.timeline-scroll').scrollTop > 0);
	const box = await scroll.boundingBox();
	await page.waitForFunction(() => new Promise((done) => { requestAnimationFrame(() => requestAnimationFrame(() => done(true))); }));
	await page.mouse.click(box.x + box.width / 2, box.y + 24 + 10);
	assert.equal(await heading(page), 'cuDevicePrimaryCtxRetain #1');
});
await question('where does the time of a graph launch go', 'graphs', async (page) => {
	await search(page, 'cuGraphLaunch #1');
	assert.equal(await heading(page), 'cuGraphLaunch #1');
	const panel = await text(page, '#inspector');
	assert.match(panel, /Where its time goes/i);
	assert.match(panel, /in the call itself/);
	assert(panel.search(/Its course/i) < panel.search(/Where its time goes/i), 'the course comes first');
	const parts = page.locator('#inspector .parts tbody td:nth-child(3)');
	assert((await parts.allInnerTexts()).every((cell) => /^[\d.]+\s\S?s$/.test(cell)), 'each part has a duration');
	assert.match(panel, /submits\s+1 doorbell/);
	assert.match(panel, /Its course[^]*W:fb[^]*doorbell 184[^]*returns/i);
	await shot(page, 'timeline');
	await page.click('#inspector button:has-text("All cuGraphLaunch calls")');
	await page.click('#inspector button:has-text("Open in the flame graph")');
	assert.match(await text(page, '.flame-view h2'), /Parts of cuGraphLaunch/);
	await shot(page, 'time');
});
await question('what is this edge', 'graphs', async (page) => {
	await tab(page, 'machine');
	await shot(page, 'machine');
	// The edge is clicked where no other one lies above it.
	const place = await page.evaluate(() => {
		const edge = document.querySelector('.edge.initiation');
		const path = edge.querySelector('.line');
		for (let part = 0.05; part < 1; part += 0.05) {
			const point = path.getPointAtLength(path.getTotalLength() * part).matrixTransform(path.getScreenCTM());
			if (edge.contains(document.elementFromPoint(point.x, point.y))) {
				return [point.x, point.y];
			}
		}
		return null;
	});
	assert(place, 'no part of the edge can be clicked');
	await page.mouse.click(...place);
	const panel = await text(page, '#inspector');
	assert.match(panel, /W:reg/);
	assert.match(panel, /Evidence: \d+ events? in 1 word/i);
	assert.match(panel, /In calls/i);
	await shot(page, 'edge');
});
await question('every word is read by every machine', 'graphs', async (page) => {
	await tab(page, 'machine');
	await page.selectOption('select[aria-label="Path of word"]', '0');
	const slider = page.locator('input[aria-label="k"]');
	for (let k = 0; k <= Number(await slider.getAttribute('max')); k++) {
		await slider.fill(String(k));
		const position = page.locator('input[aria-label="Position in the word"]');
		await position.fill(await position.getAttribute('max'));
		assert.doesNotMatch(await text(page, '.player .note'), /does not read/);
	}
});
await question('what differs between two sides', 'two', async (page) => {
	await tab(page, 'figures');
	assert((await text(page, '.difference')).length > 100);
	await tab(page, 'tables');
	const cells = page.locator('#panel-tables tbody td:first-child');
	assert(await cells.count() > 5);
	assert.deepEqual(await page.locator('#panel-tables th').evaluateAll((all) => all.map((head) => head.textContent.replace(/[▲▼]/g, '').trim())),
		['call', 'old', 'new', 'difference', 'change %']);
	await search(page, 'doorbell 3');
	assert.match(await text(page, '#inspector'), /trace\s+(old|new): /);
	assert.match(await text(page, '#inspector'), /in call\s+cu\w+ #\d+/);
	await tab(page, 'timeline');
	await shot(page, 'two');
});
await browser.close();
process.exit(passed ? 0 : 1);
