// SPDX-License-Identifier: MIT
// Figures: size over k, distilled machine, difference. An SVG of the report is shown as an image: it
// can run no script and load nothing, whatever is in it.

import { el } from './dom.js';
import { stepCurve } from './plot.js';
import { machineAt } from './machine.js';

export function figure(svgText, caption) {
	const image = el('img', { alt: caption, src: `data:image/svg+xml,${encodeURIComponent(svgText)}` });
	return el('figure', { class: 'paper' }, image, el('figcaption', {}, caption));
}

export function makeFigures(data, state) {
	const { raw } = data;
	const parts = [];
	if (raw.sizes?.length > 1) {
		const holder = el('div', {});
		const draw = () => holder.replaceChildren(stepCurve(raw.sizes, { width: 760, height: 320, mark: state.k, available: raw.machines.map((m) => m.k),
			onpick: (k) => state.set({ k: machineAt(data, k).k, selection: null }) }));
		draw();
		state.on(['k'], draw);
		parts.push(el('section', {}, el('h2', {}, 'Size over k'), holder, raw.why ? el('p', { class: 'note' }, `k = ${raw.chosen}: ${raw.why}.`) : null,
			raw.plateaus?.length ? el('ul', { class: 'plateaus' }, raw.plateaus.map(([from, to, , text]) => el('li', {}, el('b', {}, from === to ? `k = ${from}` : `k = ${from} to ${to}`), ` ${text}`))) : null));
	}
	const lines = raw.difference?.lines;
	if (lines) {
		// A paragraph, or a line, about what one side does alone gets the colour of that side.
		let paragraph = null, begins = true;
		const kind = (line) => {
			const side = /\bonly the (old|new)\b/i.exec(line)?.[1];
			paragraph = begins ? side : paragraph;
			begins = !line.trim();
			return side ?? paragraph ? `only-${side ?? paragraph}` : null;
		};
		parts.unshift(el('section', {}, el('h2', {}, 'Difference'), el('pre', { class: 'difference', tabindex: 0, 'aria-label': 'Difference' },
			lines.map((line) => el('span', { class: kind(line) }, `${line}\n`)))));
	}
	if (raw.distilled) {
		parts.push(el('section', {}, el('h2', {}, 'Distilled machine'), figure(raw.distilled, 'States by meaning, and the letters between them')));
	}
	return el('div', { class: 'figures' }, parts.length ? parts : el('p', { class: 'empty' }, 'This report carries no figures.'));
}
