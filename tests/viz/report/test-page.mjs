// SPDX-License-Identifier: MIT
// Opens viz/report/report.html with made data in Chromium and uses it as a person would: every
// view, by mouse and by keyboard. No view may log an error, ask the network or run a name.
// Usage: node test-page.mjs NPM-FOLDER TEMPLATE FOLDER-FOR-SCREENSHOTS [TEST]
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { deflateSync } from 'node:zlib';
import { heading, run as report, search, startBrowser, tab, text } from './browser.mjs';
import { makeData, makeMany, makeTwo, NASTY } from './make-data.mjs';

const [npm, templatePath, folder, only] = process.argv.slice(2);
const template = readFileSync(templatePath, 'utf8');
const escape = (json) => json.replace(/[<>&\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
mkdirSync(folder, { recursive: true });

function write(name, text) {
	const path = resolve(folder, `${name}.html`);
	writeFileSync(path, template.split('@DATA@').join(text));
	return `file://${path}`;
}
const small = makeData(900);
const pages = {
	plain: write('plain', escape(JSON.stringify(small))),
	packed: write('packed', JSON.stringify({ deflate: deflateSync(JSON.stringify(small)).toString('base64') })),
	large: write('large', JSON.stringify({ deflate: deflateSync(JSON.stringify(makeData(100000))).toString('base64') })),
	two: write('two', escape(JSON.stringify(makeTwo(600)))),
	many: write('many', escape(JSON.stringify(makeMany(600)))),
	damaged: write('damaged', '{"deflate":"AAAA"}'),
	other: write('other', '{"format":"something/9"}'),
};
// A file:// page of an old report: no machine, no tables, one event.
const bare = { ...makeData(1), machines: [], tables: [], sizes: [], distilled: null, difference: undefined, words: [] };
bare.letters = [];
pages.bare = write('bare', escape(JSON.stringify(bare)));

const browser = await startBrowser(npm);
const { open, checkClean } = browser;

const tests = {
	async overview(page) {
		assert.equal(await page.evaluate(() => document.documentElement.dataset.ready), 'true');
		const body = await text(page, '#panel-overview');
		assert.match(body, /This file holds the events of 1 trace/);
		assert.match(body, /⚠ 3 events of process 4711/);
		assert.match(await page.title(), /ktail report/);
		await page.click('.top button:has-text("cuGraphLaunch")');
		assert.equal(await heading(page), 'cuGraphLaunch');
		assert.match(await text(page, '#inspector'), /Where its time goes/i);
		assert.match(await text(page, '#inspector'), /Course of 90 of 90 calls[^]*returns/i);
	},

	async names(page) {
		for (const name of ['machine', 'timeline', 'time', 'tables', 'figures']) {
			await tab(page, name);
		}
		await page.waitForFunction(() => document.querySelector('.timeline-view tbody tr'));
		assert.equal(await page.evaluate(() => globalThis.broken), undefined);
		assert.equal(await page.locator('img[src="x"]').count(), 0);
		const html = await page.evaluate(() => document.body.innerHTML);
		assert(!/[\u001b\u202e\u2067\u061c\u200b]/.test(html), 'a control character is in the page');
		assert.match(await text(page, 'h1'), /<\/script><img src=x .*\\x1b\[31m\\u202e/);
		await search(page, NASTY.slice(0, 12));
		assert.match(await heading(page), /<\/script>/);
	},

	async machine(page) {
		await tab(page, 'machine');
		const states = () => page.locator('.state').count();
		const before = await states();
		assert.equal(before, small.machines[1].states.length);
		await page.locator('input[aria-label="k"]').focus();
		await page.keyboard.press('ArrowRight');
		assert.equal(await states(), small.machines[2].states.length);
		await page.keyboard.press('ArrowLeft');
		assert.equal(await states(), before);
		// The curve: a click picks the machine of the nearest k that is carried.
		const curve = await page.locator('.machine-view .curve svg').boundingBox();
		await page.mouse.click(curve.x + 31, curve.y + 30);
		assert.match(await text(page, '.side output'), /^1/);
		await page.locator('input[aria-label="k"]').fill('1');
		// Detail: fewer steps hide edges, but the initial state stays.
		const visible = () => page.locator('.edge:not(.hidden)').count();
		const all = await visible();
		await page.locator('input[aria-label="Detail"]').fill('1');
		assert(await visible() < all);
		assert(await page.locator('.state.initial:not(.hidden)').count() === 1);
		await page.locator('input[aria-label="Detail"]').fill('4');
		assert.equal(await visible(), all);
		assert(await page.locator('.edge.initiation').count() > 0);
		// Search and step.
		await page.fill('input[aria-label="Search the machine"]', 'W:reg');
		const hits = await page.locator('.edge.hit').count();
		assert(hits > 0);
		await page.locator('input[aria-label="Search the machine"]').press('Enter');
		assert.equal(await heading(page), 'W:reg');
		const panel = await text(page, '#inspector');
		assert.match(panel, /write doorbell/);
		assert.match(panel, /initiation point/);
		assert.match(panel, /In calls/i);
		assert.match(panel, /Evidence: [\d\u202f]+ events? in \d words?/i);
		// The evidence leads to its event, and back.
		await page.locator('#inspector .table tbody button').first().click();
		assert.match(await heading(page), /^doorbell \d+$/);
		await page.click('#inspector button:has-text("Back")');
		assert.equal(await heading(page), 'W:reg');
		await page.fill('input[aria-label="Search the machine"]', '');
		// A click on a state; zoom and pan change the transform.
		const transform = () => page.evaluate(() => document.querySelector('svg.machine > g').getAttribute('transform'));
		const old = await transform();
		await page.click('button[aria-label="Zoom in"] >> visible=true');
		await page.waitForFunction((was) => document.querySelector('svg.machine > g').getAttribute('transform') !== was, old);
		await page.click('.zoom button:has-text("Whole")');
		await page.locator('.state[data-state="2"] rect').first().click();
		assert.equal(await heading(page), 'State 2');
		assert.match(await text(page, '#inspector'), /Ways in/i);
		const box = await page.locator('svg.machine').boundingBox();
		const panned = await transform();
		await page.mouse.move(box.x + 20, box.y + box.height - 80);
		await page.mouse.down();
		await page.mouse.move(box.x + 120, box.y + box.height - 120, { steps: 4 });
		await page.mouse.up();
		await page.waitForFunction((was) => document.querySelector('svg.machine > g').getAttribute('transform') !== was, panned);
		assert.equal(await heading(page), 'State 2', 'a drag selects nothing');
	},

	// An edge is selected by its label, by its line, and beside its line at any scale.
	async edges(page) {
		await tab(page, 'machine');
		for (const zoom of ['Zoom out', 'Zoom in']) {
			const before = await page.locator('svg.machine > g').getAttribute('transform');
			await page.click(`.zoom button[aria-label="${zoom}"]`);
			await page.waitForFunction((was) => document.querySelector('svg.machine > g').getAttribute('transform') !== was, before);
			const places = await page.evaluate(() => {
				const found = { label: null, line: null, beside: null };
				for (const edge of document.querySelectorAll('.edge')) {
					const line = edge.querySelector('.line');
					const at = (part) => line.getPointAtLength(line.getTotalLength() * part).matrixTransform(line.getScreenCTM());
					const text = edge.querySelector('text:not(.mark)').getBoundingClientRect();
					const label = { x: text.x + text.width / 2, y: text.y + text.height / 2 };
					const own = ({ x, y }, kind) => {
						const all = document.elementsFromPoint(x, y);
						return edge.contains(all[0]) && all.filter((e) => e.matches('.edge :not(.target)')).every((e) => edge.contains(e)) && all.some((e) => e.matches(kind));
					};
					const take = (name, point, kind) => {
						if (!found[name] && own(point, kind)) {
							found[name] = [point.x, point.y, edge.dataset.line];
						}
					};
					take('label', label, '.edge text');
					for (let part = 0.1; part < 0.9; part += 0.1) {
						const a = at(part), b = at(part + 0.01);
						const length = Math.hypot(b.x - a.x, b.y - a.y) || 1;
						take('line', a, '.line');
						take('beside', { x: a.x + 7 * (b.y - a.y) / length, y: a.y - 7 * (b.x - a.x) / length }, '.target');
					}
				}
				return found;
			});
			for (const [name, place] of Object.entries(places)) {
				assert(place, `${zoom}: no edge can be clicked by its ${name}`);
				await page.keyboard.press('Escape');
				await page.mouse.click(place[0], place[1]);
				assert.equal(await page.locator('.edge.chosen').getAttribute('data-line'), place[2], `${zoom}: ${name}`);
			}
		}
		// A line that lies below the target of another edge is the one that is selected.
		const wrong = await page.evaluate(() => {
			const below = [];
			for (const edge of document.querySelectorAll('.edge')) {
				const line = edge.querySelector('.line');
				for (let part = 0.1; part < 0.9; part += 0.1) {
					const { x, y } = line.getPointAtLength(line.getTotalLength() * part).matrixTransform(line.getScreenCTM());
					const all = document.elementsFromPoint(x, y);
					if (all[0]?.matches('.target') && all.find((e) => e.matches('.edge :not(.target)')) === line && !edge.contains(all[0])) {
						all[0].dispatchEvent(new MouseEvent('click', { bubbles: true, clientX: x, clientY: y }));
						below.push(edge.matches('.chosen'));
					}
				}
			}
			return below;
		});
		assert(wrong.length > 0);
		assert(wrong.every(Boolean), 'the target of another edge was selected');
	},

	async phases(page) {
		await tab(page, 'machine');
		await page.locator('input[aria-label="Detail"]').fill('0');
		const machine = small.machines[1];
		const phases = new Set(machine.states.map((s) => s.phase));
		assert.equal(await page.locator('.state').count(), phases.size);
		const ways = new Set(machine.transitions.map(([from, to]) => `${machine.states[from].phase} ${machine.states[to].phase}`));
		assert.equal(await page.locator('.edge.way').count(), ways.size);
		const times = await page.locator('.edge.way').evaluateAll((all) => all.map((way) => Number(/taken ([\d\u202f]+)/.exec(way.getAttribute('aria-label'))[1].replace(/\u202f/g, ''))));
		assert.equal(times.reduce((a, b) => a + b), machine.transitions.reduce((sum, t) => sum + t[3], 0));
		await page.locator('[data-phase="USE"] rect').first().click();
		assert.equal(await heading(page), 'use');
		assert.match(await text(page, '#inspector'), /poll for completion/);
		// By keyboard from a phase to a way out of it; a word's path goes over the phases.
		await page.locator('[data-phase="USE"]').focus();
		await page.keyboard.press('ArrowRight');
		await page.keyboard.press('Enter');
		assert.match(await heading(page), /^(From|Within) /);
		await page.selectOption('select[aria-label="Path of word"]', '0');
		assert(await page.locator('.edge.way.path').count() > 0);
		await page.selectOption('select[aria-label="Path of word"]', '');
		// All transitions as a table.
		await page.click('.zoom button:has-text("Table")');
		assert.match(await text(page, '.machine-table .total'), new RegExp(`^${machine.transitions.length} transitions`));
		await page.locator('.machine-table tbody button').first().click();
		assert.match(await text(page, '#inspector .kind'), /transition/i);
		await page.click('.zoom button:has-text("Table")');
		assert(await page.locator('.machine-table').isHidden());
	},

	async play(page) {
		await tab(page, 'machine');
		await page.selectOption('select[aria-label="Path of word"]', '0');
		assert(await page.locator('.edge.path').count() > 0);
		await page.locator('input[aria-label="Position in the word"]').fill('3');
		assert.match(await text(page, '.player .note'), /letter 4 of/);
		// Nothing lies over the buttons.
		await page.click('.zoom button[aria-label="Zoom out"]');
		assert.equal(await page.locator('.token').getAttribute('visibility'), 'visible');
		await page.click('.player button:has-text("Select event")');
		const first = await heading(page);
		await page.selectOption('select[aria-label="Pace"]', 'letters');
		await page.click('.play');
		await page.waitForFunction(() => Number(document.querySelector('input[aria-label="Position in the word"]').value) > 5);
		await page.click('.play');
		assert.equal(await text(page, '.play'), 'Play');
		assert.equal(await heading(page), first, 'play does not change the selection');
		await page.selectOption('select[aria-label="Path of word"]', '');
		assert.equal(await page.locator('.edge.path').count(), 0);
	},

	async timeline(page) {
		await tab(page, 'timeline');
		await page.waitForFunction(() => document.querySelectorAll('.timeline-view tbody tr').length > 20);
		const span = () => text(page, '.timeline-view output.span');
		const whole = await span();
		const canvas = page.locator('canvas.timeline');
		const box = await canvas.boundingBox();
		await page.mouse.move(box.x + box.width / 2, box.y + 30);
		await page.mouse.wheel(0, -600);
		await page.waitForFunction((was) => document.querySelector('output.span').innerText !== was, whole);
		// Keyboard: the next event, zoom to it, all again.
		await canvas.focus();
		await page.keyboard.press('n');
		const event = await heading(page);
		await page.keyboard.press('Enter');
		await page.keyboard.press('n');
		assert.notEqual(await page.evaluate(() => document.querySelector('#inspector li[aria-current]').innerText), event);
		await page.keyboard.press('0');
		assert.equal(await span(), whole);
		// Search for a doorbell: which call wrote it, and what it submitted.
		await search(page, 'doorbell 14');
		assert.equal(await heading(page), 'doorbell 14');
		const panel = await text(page, '#inspector');
		assert.match(panel, /in call\s+(cuGraphLaunch|cuMemcpyHtoD_v2) #\d+/);
		assert.match(panel, /What it submitted/i);
		assert.match(panel, /(launch vecAdd|copy)/);
		assert.match(panel, /noticed after [\d.]+\sµs \(read\)/);
		assert.doesNotMatch(panel, /completed/);
		assert.match(panel, /letter\s+W:reg/);
		// The table lists what is in view; a row selects.
		await page.waitForFunction(() => [...document.querySelectorAll('.timeline-view tbody tr')].some((row) => row.innerText.includes('doorbell 14')));
		await page.locator('.timeline-view tbody tr', { hasText: 'cuGraphLaunch' }).first().locator('button').click();
		assert.match(await heading(page), /^cuGraphLaunch #\d+$/);
		assert.match(await text(page, '#inspector'), /Its doorbells/i);
		// A kind that is switched off is not listed.
		await page.click('.toggles button:has-text("API calls")');
		await page.waitForFunction(() => ![...document.querySelectorAll('.timeline-view tbody td:nth-child(2)')].some((cell) => cell.innerText === 'call'));
		await page.click('.toggles button:has-text("API calls")');
		// A click on the canvas selects what is drawn there: the zoomed call fills the middle of its row.
		await page.keyboard.press('Escape');
		assert.equal(await heading(page), 'Nothing selected');
		await canvas.evaluate((element) => { document.getElementById('panels').scrollTop = 0; element.parentElement.scrollTop = 0; });
		const now = await canvas.boundingBox();
		await page.mouse.click(now.x + 168 + (now.width - 168) / 2, now.y + 24 + 20 + 8);
		assert.match(await heading(page), /^cu/);
		// The map moves the view.
		const here = await span();
		const map = await page.locator('canvas.minimap').boundingBox();
		await page.mouse.click(map.x + 200, map.y + 10);
		assert.notEqual(await span(), here);
		assert.match(await canvas.getAttribute('aria-describedby'), /timeline-keys/);
	},

	async everywhere(page) {
		await search(page, 'doorbell 1');
		assert.match(await text(page, '#inspector'), /20018000 deadbeef/);
		await page.click('#inspector button:has-text("In the machine")');
		assert.equal(await page.locator('.edge.chosen').count(), 1);
		await page.click('#inspector dd button:has-text("→")');
		assert.equal(await heading(page), 'W:reg');
		await search(page, 'state 3');
		assert.equal(await heading(page), 'State 3');
		await search(page, 'cuGraphLaunch #2');
		assert.equal(await heading(page), 'cuGraphLaunch #2');
		await search(page, '0x5c000021');
		assert.equal(await heading(page), '0x5c000021');
		await page.locator('#inspector .requests button').first().click();
		assert.match(await text(page, '#inspector .kind'), /request/i);
		await page.fill('#search', 'no such name');
		assert.match(await text(page, '#results'), /Nothing found/);
		await page.keyboard.press('Escape');
		assert(await page.locator('#results').isHidden());
	},

	async tables(page) {
		await tab(page, 'tables');
		const column = (n) => page.locator(`#panel-tables tbody td:nth-child(${n})`).allInnerTexts();
		await page.click('#panel-tables th:has-text("calls") button');
		assert.deepEqual(await column(2), ['12', '4', '2', '1']);
		assert.equal(await page.locator('#panel-tables th:has-text("calls")').first().getAttribute('aria-sort'), 'descending');
		await page.locator('#panel-tables th button:has-text("calls")').press('Enter');
		assert.deepEqual(await column(2), ['1', '2', '4', '12']);
		assert.match(await text(page, '#panel-tables tfoot'), /total/);
		assert.deepEqual((await column(4)).at(-1), '60.00');
		await page.fill('#panel-tables input[type="search"]', 'cuMem');
		assert.equal((await column(1)).length, 2);
		await page.click('#panel-tables button:has-text("Copy as CSV")');
		await page.waitForFunction(() => document.getElementById('status').textContent.startsWith('Copied'));
		assert.equal(await page.evaluate(() => navigator.clipboard.readText()),
			'call,calls,total [ns],share,api\n"\'=cuMemFree,""v2""",2,,0,driver\ncuMemAlloc_v2,4,912345,3000,driver\n');
		assert.equal(await page.locator('#panel-tables th:has-text("api")').count(), 0);
		await page.click('#panel-tables button:has-text("All columns")');
		assert.equal(await page.locator('#panel-tables th:has-text("api")').count(), 1);
		await page.fill('#panel-tables input[type="search"]', '');
		await page.locator('#panel-tables tbody button', { hasText: 'cuGraphLaunch' }).click();
		assert.equal(await heading(page), 'cuGraphLaunch');
		await page.click('.choices button:has-text("Channels")');
		await page.locator('#panel-tables tbody button').first().click();
		assert.equal(await text(page, '#inspector .kind'), 'CHANNEL');
	},

	async time(page) {
		await tab(page, 'time');
		const widest = await text(page, '.flame .frame >> nth=1');
		assert.match(widest, /^cu/);
		await page.locator('.flame .frame', { hasText: 'cuGraphLaunch' }).first().click();
		assert.match(await text(page, '.flame-view h2'), /Parts of cuGraphLaunch/);
		assert.equal(await heading(page), 'cuGraphLaunch');
		assert.match(await text(page, '.flame-view tbody'), /in the call itself/);
		await page.selectOption('select[aria-label="Width is"]', 'doorbells');
		assert(await page.locator('.flame .frame.fill-doorbell').count() > 0);
		await page.selectOption('select[aria-label="Width is"]', 'bytes');
		await page.click('.crumbs button');
		await page.selectOption('select[aria-label="Width is"]', 'time');
		await page.fill('input[aria-label="Highlight in the flame graph"]', 'ioctl');
		await page.fill('input[aria-label="Highlight in the flame graph"]', 'RM_CONTROL');
		assert(await page.locator('.flame .frame.hit').count() > 0);
		await page.locator('.flame .frame').first().focus();
		await page.keyboard.press('ArrowRight');
		await page.keyboard.press('Enter');
		assert.doesNotMatch(await text(page, '.flame-view h2'), /all threads/);
	},

	async figures(page) {
		await tab(page, 'figures');
		assert.match(await text(page, '.difference'), /W:reg follows W:sys/);
		const image = page.locator('#panel-figures figure.paper img').first();
		await page.waitForFunction(() => document.querySelector('#panel-figures figure.paper img').naturalWidth > 0);
		assert((await image.getAttribute('alt')).length > 10);
		assert.equal(await page.evaluate(() => globalThis.broken), undefined, 'a script in a figure ran');
		assert.match(await text(page, '#panel-figures'), /the first plateau/);
	},

	// The focus stays where the keyboard is used, although lists are drawn anew.
	async focus(page) {
		const focused = () => page.evaluate(() => document.activeElement.getAttribute('aria-label') ?? document.activeElement.id);
		await tab(page, 'timeline');
		await page.waitForFunction(() => document.querySelector('.timeline-view .pager button'));
		await page.locator('.timeline-view .pager button').last().focus();
		await page.keyboard.press('Enter');
		assert.match(await text(page, '.timeline-view .pager'), /page 2/);
		assert.equal(await focused(), 'Next page');
		await page.locator('.timeline-view .pager button').first().focus();
		await page.keyboard.press('Enter');
		assert.equal(await focused(), 'Next page', 'there is no page before the first');
		await tab(page, 'time');
		await page.locator('.flame .frame').nth(1).focus();
		const name = await focused();
		await page.keyboard.press('Enter');
		assert.equal((await focused()).split(',')[0], name.split(',')[0]);
		await search(page, 'doorbell 14');
		await page.locator('#inspector dd button').first().focus();
		await page.keyboard.press('Enter');
		assert.equal(await focused(), 'Selection');
		assert.match(await text(page, '#status'), /^Selected call cu/);
	},

	async keyboard(page) {
		await page.keyboard.press('Tab');
		assert.equal(await page.evaluate(() => document.activeElement.className), 'skip');
		await page.keyboard.press('/');
		assert.equal(await page.evaluate(() => document.activeElement.id), 'search');
		await page.keyboard.press('Tab');
		assert.equal(await page.evaluate(() => document.activeElement.id), 'tab-overview');
		await page.keyboard.press('ArrowRight');
		assert.equal(await page.evaluate(() => document.activeElement.id), 'tab-machine');
		assert.equal(await page.locator('[role="tab"][aria-selected="true"]').count(), 1);
		await page.locator('svg.machine').focus();
		await page.keyboard.press('Enter');
		assert.equal(await page.evaluate(() => document.activeElement.dataset.state), '0');
		await page.keyboard.press('ArrowRight');
		assert.notEqual(await page.evaluate(() => document.activeElement.dataset.line), undefined);
		await page.keyboard.press('Enter');
		assert.match(await text(page, '#inspector .kind'), /transition/i);
		await page.keyboard.press('ArrowDown');
		assert.notEqual(await page.evaluate(() => document.activeElement.dataset.state), undefined);
		await page.keyboard.press('Alt+3');
		assert(await page.locator('#panel-timeline').isVisible());
		// Every control has a name; landmarks are there once.
		for (const name of ['machine', 'timeline', 'time', 'tables', 'figures']) {
			await tab(page, name);
		}
		const nameless = await page.evaluate(() => [...document.querySelectorAll('button, input, select, canvas, img, [role="button"], svg[tabindex]')]
			.filter((element) => !(element.getAttribute('aria-label') || element.textContent.trim() || element.alt || element.closest('label')))
			.map((element) => element.outerHTML.slice(0, 120)));
		assert.deepEqual(nameless, []);
		for (const landmark of ['header', 'main', 'aside', 'nav#tabs', 'h1', '[role="search"]']) {
			assert.equal(await page.locator(`body > ${landmark}, #body > ${landmark}, #head ${landmark}`).count(), 1, landmark);
		}
		const ids = await page.evaluate(() => [...document.querySelectorAll('[id]')].map((element) => element.id));
		assert.equal(new Set(ids).size, ids.length, 'an id occurs twice');
	},
};

// What is drawn must be readable: text against what is under it, by WCAG 2's formula.
async function contrast(page) {
	return page.evaluate(() => {
		const parse = (text) => text.match(/[\d.]+/g).map(Number);
		const light = ([r, g, b]) => [r, g, b].map((c) => c / 255).map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
			.reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
		const under = (element) => {
			for (let up = element; up; up = up.parentElement) {
				const colour = parse(getComputedStyle(up).backgroundColor);
				if (colour.length === 3 || colour[3] === 1) {
					return colour;
				}
			}
			return [255, 255, 255];
		};
		const poor = [];
		for (const element of document.querySelectorAll('p, b, dt, dd, h1, h2, h3, td, button, small, li, .unit')) {
			if (element.offsetParent && element.textContent.trim() && !element.disabled) {
				const a = light(parse(getComputedStyle(element).color)), b = light(under(element));
				const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
				if (ratio < 4.5) {
					poor.push(`${element.tagName} ${element.className} ${element.textContent.slice(0, 30)} ${ratio.toFixed(2)}`);
				}
			}
		}
		return poor;
	});
}

const failed = [];
async function run(name, test) {
	if ((!only || name.includes(only)) && !await report(name, test)) {
		failed.push(name);
	}
}

for (const [name, test] of Object.entries(tests)) {
	await run(name, async () => {
		const page = await open(name.length % 2 ? pages.plain : pages.packed);
		await test(page);
		checkClean(name);
		await page.context().close();
	});
}
for (const colorScheme of ['light', 'dark']) {
	await run(colorScheme, async () => {
		const page = await open(pages.packed, { colorScheme });
		const paper = await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
		assert.equal(paper === 'rgb(255, 255, 255)', colorScheme === 'light');
		await search(page, 'doorbell 14');
		for (const name of ['overview', 'machine', 'timeline', 'time', 'tables', 'figures']) {
			await tab(page, name);
			await page.waitForFunction(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true)))));
			assert.deepEqual(await contrast(page), [], name);
			await page.screenshot({ path: join(folder, `${name}-${colorScheme}.png`) });
		}
		// The canvas is drawn in the colours of the scheme.
		await tab(page, 'timeline');
		await page.waitForFunction(() => {
			const canvas = document.querySelector('canvas.timeline');
			const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
			return data.some((value, i) => i % 4 === 3 && value > 0);
		});
		checkClean(colorScheme);
		await page.context().close();
	});
}
await run('narrow', async () => {
	const page = await open(pages.packed, { viewport: { width: 420, height: 800 } });
	for (const name of ['machine', 'timeline', 'time', 'tables', 'figures', 'overview']) {
		await tab(page, name);
		assert(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth + 1), `${name} is wider than the window`);
	}
	checkClean('narrow');
	await page.context().close();
});
await run('bare', async () => {
	const page = await open(pages.bare);
	for (const name of ['machine', 'timeline', 'time', 'tables', 'figures']) {
		await tab(page, name);
	}
	assert.match(await text(page, '#panel-machine'.replace('machine', 'figures')), /no figures/);
	checkClean('bare');
	await page.context().close();
});
await run('two', async () => {
	const page = await open(pages.two);
	const body = await text(page, '#panel-overview');
	assert.match(body, /old: graphs\s+new: newer/);
	assert.match(body, /⚠ old: graphs: lost: 3 events of process 4711/);
	assert.match(body, /of 1\d\d\d events/);
	assert.match(body, /API calls in this file/);
	assert.deepEqual(await page.locator('.fact-table .differs th').evaluateAll((all) => all.map((head) => head.textContent)), ['driver', 'program', 'events recorded', 'lost'].map((name) => `${name} (differs)`));
	// Both sides beside each other, by the count that differs; or one alone.
	await tab(page, 'tables');
	const rows = () => page.locator('#panel-tables tbody tr').evaluateAll((all) => all.map((row) => [...row.cells].map((cell) => cell.innerText)));
	assert.deepEqual((await rows()).slice(0, 2), [['cuGraphLaunch', '12', '20', '8', '66.67'], ['=cuMemFree,"v2"', '2', '–', '−2', '−100']]);
	assert.match(await text(page, '#panel-tables .total'), /5 rows, 4 differ/);
	await page.selectOption('select[aria-label="What is compared of API calls"]', 'time');
	assert.match(await text(page, '#panel-tables th >> nth=1'), /old µs/);
	assert.match(await text(page, '#panel-tables th >> nth=2'), /new µs/);
	await page.selectOption('select[aria-label="Sides of API calls"]', '1');
	assert.equal((await rows()).length, 3);
	await tab(page, 'figures');
	assert.equal(await text(page, '.difference .only-new'), 'Only the new machine does W:reg W:fb (seen 2 times).\n');
	assert.equal(await page.locator('.difference .only-old').count(), 2);
	// Transitions of one side have its colour; those of the short new word are taken by both.
	await tab(page, 'machine');
	assert(await page.locator('.edge.only-old').count() > 0);
	assert(await page.locator('.edge:not(.only-old)').count() > 0);
	assert.equal(await page.locator('.edge.only-new').count(), 0);
	assert.match(await page.locator('select[aria-label="Path of word"] option').nth(1).textContent(), /\(\d+ of \d+ letters\)/);
	// A machine that is too large to be drawn: its phases, and all transitions as a table.
	await page.locator('input[aria-label="k"]').fill('2');
	assert.match(await text(page, '.too-large'), /Too large to be drawn: [\d\u202f]+ states/);
	assert(await page.locator('.edge.way').count() > 0);
	await page.locator('.machine-table tbody button').first().click();
	assert.match(await text(page, '#inspector'), /taken by\s+(both sides|only old)/);
	await page.fill('input[aria-label="Search the machine"]', 'W:reg');
	await page.locator('input[aria-label="Search the machine"]').press('Enter');
	assert.equal(await heading(page), 'W:reg');
	await page.locator('input[aria-label="k"]').fill('0');
	assert(await page.locator('.too-large').isHidden());
	assert(await page.locator('.machine-table').isHidden());
	checkClean('two');
	await page.context().close();
});
await run('many', async () => {
	const page = await open(pages.many);
	assert.match(await text(page, '#head'), /35 traces/);
	assert.match(await text(page, '#panel-overview .total'), /^35 traces/);
	for (const name of ['overview', 'machine', 'timeline', 'time', 'tables', 'figures']) {
		await tab(page, name);
		const box = await page.locator('#inspector').boundingBox();
		assert(box.x + box.width <= 1441, `${name}: the selection is out of the window`);
	}
	checkClean('many');
	await page.context().close();
});
// axe-core's rules of WCAG 2.2 A and AA in each view. Colours have their own test; parts of the flame graph
// that are narrow are also rows of the table below it; and the lines of a state's text in SVG count as one
// word, which is in no name.
await run('audit', async () => {
	const axe = readFileSync(resolve(npm, 'node_modules/axe-core/axe.min.js'), 'utf8');
	const page = await open(pages.two, { bypassCSP: true });
	await page.evaluate(axe);
	for (const name of ['overview', 'machine', 'timeline', 'time', 'tables', 'figures']) {
		await tab(page, name);
		if (name === 'machine') {
			await page.locator('input[aria-label="k"]').fill('2');
			await search(page, 'cuGraphLaunch #2');
		}
		const violations = await page.evaluate(async () => (await globalThis.axe.run(document, { resultTypes: ['violations'],
			runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'], rules: { 'color-contrast': { enabled: false }, 'target-size': { enabled: false },
				'label-content-name-mismatch': { enabled: false } } }))
			.violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(' ')).join(', ')}`));
		assert.deepEqual(violations, [], name);
	}
	await page.context().close();
});
await run('odd address', async () => {
	const page = await open(`${pages.plain}#constructor`);
	assert(await page.locator('#panel-overview').isVisible());
	checkClean('odd address');
	await page.context().close();
});
// The colours of the style sheet, in pairs as they are used: letters need a ratio of 4.5 (WCAG 2.2, 1.4.3),
// the borders of controls and what is drawn one of 3 (1.4.11).
await run('colours', async () => {
	const onPaper = ['ink', 'muted', 'accent', 'warning', 'old', 'new', 'call', 'ioctl', 'doorbell', 'request'];
	const kinds = ['call', 'ioctl', 'doorbell', 'access', 'mmap', 'other', 'request', 'wait'];
	const pairs = [...onPaper.flatMap((name) => [[name, 'paper', 4.5], [name, 'panel', 4.5]]), ...['ink', 'muted', 'accent'].map((name) => [name, 'accent-soft', 4.5]),
		...kinds.flatMap((kind) => [['on-fill', kind, 4.5], [kind, 'paper', 3]]), ...[0, 1, 2, 3].map((phase) => ['ink', `phase-${phase}`, 4.5]),
		['ink', 'strong-line', 4.5], ['control', 'paper', 3], ['control', 'panel', 3], ['accent', 'line', 3]];
	for (const colorScheme of ['light', 'dark']) {
		const page = await open(pages.plain, { colorScheme });
		const poor = await page.evaluate((list) => {
			const colour = (name) => {
				const probe = document.createElement('i');
				probe.style.color = `var(--${name})`;
				document.body.append(probe);
				const channels = getComputedStyle(probe).color.match(/[\d.]+/g).map(Number);
				probe.remove();
				return channels.map((c) => c / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
					.reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
			};
			return list.map(([a, b, least]) => [a, b, least, (Math.max(colour(a), colour(b)) + 0.05) / (Math.min(colour(a), colour(b)) + 0.05)])
				.filter(([, , least, ratio]) => ratio < least);
		}, pairs);
		assert.deepEqual(poor, [], colorScheme);
		await page.context().close();
	}
});
for (const name of ['damaged', 'other']) {
	await run(name, async () => {
		const page = await open(pages[name]);
		assert.equal(await page.evaluate(() => document.documentElement.dataset.ready), 'failed');
		assert.match(await text(page, '[role="alert"]'), /cannot be shown/);
		await page.context().close();
	});
}
await run('large', async () => {
	const page = await open(pages.large);
	const paint = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime);
	const frames = {};
	for (const name of ['machine', 'timeline', 'time']) {
		frames[name] = await page.evaluate((id) => new Promise((done) => {
			const began = performance.now();
			document.getElementById(`tab-${id}`).click();
			requestAnimationFrame(() => requestAnimationFrame(() => done(Math.round(performance.now() - began))));
		}), name);
	}
	await tab(page, 'timeline');
	frames.zoom = await page.evaluate(async () => {
		const canvas = document.querySelector('canvas.timeline');
		let worst = 0;
		for (let i = 0; i < 30; i++) {
			const began = performance.now();
			canvas.dispatchEvent(new WheelEvent('wheel', { deltaY: i < 15 ? -120 : 120, bubbles: true, cancelable: true, clientX: 600, clientY: 300 }));
			await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
			worst = Math.max(worst, performance.now() - began);
		}
		return Math.round(worst);
	});
	console.log(`  100,000 events: first picture ${Math.round(paint)} ms; until drawn, ms: ${JSON.stringify(frames)} (zoom: slowest of 30)`);
	await search(page, 'doorbell 14');
	assert.equal(await heading(page), 'doorbell 14');
	checkClean('large');
	await page.context().close();
});
await browser.close();
if (failed.length) {
	console.log(`failed: ${failed.join(', ')}`);
	process.exit(1);
}
