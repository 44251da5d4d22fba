// SPDX-License-Identifier: MIT
// The size of the machine over k, as a step curve with logarithmic axes.

import { el, svg } from './dom.js';
import { count, group } from './format.js';

function ticks(low, high) {
	const list = [];
	for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++) {
		for (const m of [1, 2, 5]) {
			const value = m * 10 ** power;
			if (value >= low && value <= high && Number.isInteger(value)) {
				list.push(value);
			}
		}
	}
	return list;
}

// sizes: [k, states, transitions]. available: the k whose machines are carried. onpick(k) is called
// on a click.
export function stepCurve(sizes, { width, height, mark, available = [], small, onpick }) {
	if (sizes.length < 2) {
		return null;
	}
	const left = small ? 30 : 56, right = small ? 12 : 110, top = small ? 6 : 16, bottom = small ? 16 : 40;
	const lowK = Math.max(1, sizes[0][0]), highK = sizes.at(-1)[0];
	const values = sizes.flatMap(([, s, t]) => [s, t]).filter((v) => v > 0);
	const low = Math.min(...values), high = Math.max(...values, low + 1);
	const log = (v, a, b) => (b > a ? (Math.log(Math.max(v, a)) - Math.log(a)) / (Math.log(b) - Math.log(a)) : 0.5);
	const x = (k) => left + log(k, lowK, highK) * (width - left - right);
	const y = (v) => height - bottom - log(v, low, high) * (height - top - bottom);
	const line = (c) => sizes.map((size, i) => `${i ? `H${x(size[0]).toFixed(1)}V` : `M${x(size[0]).toFixed(1)} `}${y(size[c]).toFixed(1)}`).join('');
	const at = (k) => sizes.reduce((best, size) => (size[0] <= k ? size : best), sizes[0]);
	const drawing = svg('svg', { class: `plot${onpick ? ' pick' : ''}`, viewBox: `0 0 ${width} ${height}`, role: 'img',
		'aria-label': `Size over k, from ${sizes[0][1]} states at k = ${sizes[0][0]} to ${sizes.at(-1)[1]} states at k = ${highK}` },
	svg('g', { class: 'grid' },
		ticks(low, high).filter((v, i, all) => !small || i === 0 || i === all.length - 1 || /^1/.test(v)).map((v) => [
			svg('path', { d: `M${left} ${y(v)}H${width - right}` }),
			svg('text', { x: left - 5, y: y(v) + 3.5, 'text-anchor': 'end' }, group(v))]),
		ticks(lowK, highK).filter((v) => !small || /^1/.test(v)).map((k) => [
			svg('path', { d: `M${x(k)} ${top}V${height - bottom}` }),
			svg('text', { x: x(k), y: height - bottom + 12, 'text-anchor': 'middle' }, group(k))])),
	available.map((k) => svg('path', { class: 'available', d: `M${x(k)} ${height - bottom}v-5` })),
	svg('path', { class: 'transitions', d: line(2) }), svg('path', { class: 'states', d: line(1) }),
	mark ? [svg('path', { class: 'mark', d: `M${x(mark)} ${top}V${height - bottom}` }),
		svg('circle', { class: 'mark', cx: x(mark), cy: y(at(mark)[1]), r: 3.5 })] : null,
	small ? null : [
		svg('text', { class: 'axis', x: (left + width - right) / 2, y: height - 6, 'text-anchor': 'middle' }, 'k (length of tails)'),
		svg('text', { class: 'name states', x: width - right + 8, y: y(sizes.at(-1)[1]) + 10 }, 'states'),
		svg('text', { class: 'name transitions', x: width - right + 8, y: y(sizes.at(-1)[2]) - 4 }, 'transitions')]);
	if (onpick) {
		drawing.addEventListener('click', (event) => {
			const box = drawing.getBoundingClientRect();
			const part = ((event.clientX - box.left) / box.width * width - left) / (width - left - right);
			onpick(Math.round(lowK * (highK / lowK) ** Math.min(1, Math.max(0, part))));
		});
	}
	const shown = at(mark ?? highK);
	return small ? drawing : el('figure', {}, drawing, el('figcaption', {},
		`At k = ${shown[0]}: ${count(shown[1], 'state')}, ${count(shown[2], 'transition')}. Ticks on the axis: machines in this file.`));
}
