// SPDX-License-Identifier: MIT
// Opens reports in Debian's Chromium and notes what the pages log and ask for.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

// npm: the folder in which npm-install has installed playwright-core.
export async function startBrowser(npm) {
	const { chromium } = createRequire(join(resolve(npm), 'package.json'))('playwright-core');
	const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
		args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'] });
	let problems = [], requests = [];
	return {
		async open(url, options = {}) {
			const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
			await context.grantPermissions(['clipboard-read', 'clipboard-write']);
			const page = await context.newPage();
			// A limit that only a hang reaches.
			page.setDefaultTimeout(120000);
			problems = [];
			requests = [];
			page.on('console', (message) => ['error', 'warning'].includes(message.type()) && problems.push(message.text()));
			page.on('pageerror', (error) => problems.push(error.stack));
			page.on('request', (request) => !/^(file|data):/.test(request.url()) && requests.push(request.url()));
			await page.goto(url);
			await page.waitForSelector('html[data-ready]');
			return page;
		},
		checkClean(what) {
			assert.deepEqual(problems, [], `${what}: messages of the console`);
			assert.deepEqual(requests, [], `${what}: requests of the network`);
		},
		close: () => browser.close(),
	};
}

export const text = (page, selector) => page.locator(selector).first().innerText();
export const heading = (page) => text(page, '#inspector h2');
export async function tab(page, name) {
	await page.click(`#tab-${name}`);
	await page.waitForSelector(`#panel-${name}:not([hidden])`);
}
export async function search(page, what) {
	await page.fill('#search', what);
	await page.waitForSelector('#results li[aria-selected="true"]');
	await page.keyboard.press('Enter');
}

// Runs a test and prints its result; returns whether it passed.
export async function run(name, test) {
	const began = Date.now();
	try {
		await test();
		console.log(`ok ${name} (${Date.now() - began} ms)`);
		return true;
	} catch (error) {
		console.log(`FAILED ${name}: ${error.stack}`);
		return false;
	}
}
