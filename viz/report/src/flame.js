// SPDX-License-Identifier: MIT
// Where time goes: calls, and within them ioctls, doorbells and waits, added up by name.

import { CALL, DOORBELL, IOCTL, KINDS, WAIT } from './data.js';
import { button, el, fill, field, select } from './dom.js';
import { bytes, count, cut, group, share, time } from './format.js';
import { makeTable } from './table.js';

const ROW = 25; // pixels from one row to the next
const MEASURES = {
	time: { text: 'time', show: time },
	bytes: { text: 'bytes of commands', show: bytes },
	doorbells: { text: 'doorbells', show: (n) => group(n) },
	events: { text: 'events', show: (n) => group(n) },
};

const node = (label, kind, parent, name = -1) =>
	({ label, kind, parent, name, children: new Map(), count: 0, time: 0, bytes: 0, doorbells: 0, events: 0, events_of: [] });

function child(parent, key, label, kind, name) {
	let found = parent.children.get(key);
	if (!found) {
		found = node(label, kind, parent, name);
		parent.children.set(key, found);
	}
	return found;
}

export function buildFlame(data) {
	const root = node('all threads', 'root', null);
	const at = new Array(data.n);
	const nodeOf = (i, depth = 0) => {
		if (at[i]) {
			return at[i];
		}
		const caller = data.call[i];
		const kind = KINDS[data.kind[i]];
		const parent = caller >= 0 && depth < 64 ? nodeOf(caller, depth + 1)
			: data.kind[i] === CALL ? root : child(root, 'outside', 'outside calls', 'other');
		const single = data.kind[i] === CALL || data.kind[i] === IOCTL || data.kind[i] === WAIT;
		at[i] = single ? child(parent, `${data.kind[i]} ${data.nameIndex[i]}`, data.name(i), kind.colour, data.nameIndex[i])
			: child(parent, `kind ${data.kind[i]}`, kind.plural, kind.colour);
		return at[i];
	};
	for (let i = 0; i < data.n; i++) {
		const own = nodeOf(i);
		own.count++;
		own.events_of.push(i);
		own.time += data.duration(i);
		const doorbell = data.kind[i] === DOORBELL ? 1 : 0;
		const size = doorbell ? data.bytes(i) : 0;
		for (let up = own; up; up = up.parent) {
			up.events++;
			up.doorbells += doorbell;
			up.bytes += size;
		}
	}
	const finish = (n) => {
		let sum = 0;
		for (const c of n.children.values()) {
			sum += finish(c);
		}
		n.time = Math.max(n.time, sum);
		n.self = n.time - sum;
		return n.time;
	};
	finish(root);
	return root;
}

export function makeFlame(data, state) {
	let root = null, focus = null, measure = 'time';
	const graph = el('div', { class: 'flame', role: 'group', 'aria-label': 'Flame graph' });
	const crumbs = el('nav', { class: 'crumbs', 'aria-label': 'Shown part' });
	const parts = makeTable({ title: 'Parts', columns: [{ name: 'part', type: 'text' }, { name: 'kind', type: 'text' }, { name: 'count', type: 'number' },
		{ name: 'time', unit: 'ns', type: 'number' }, { name: 'share of time', unit: '%', type: 'number' },
		{ name: 'mean', unit: 'ns', type: 'number' }, { name: 'doorbells', type: 'number' }, { name: 'bytes', type: 'number' }], rows: [] },
	{ noun: 'part', sort: [3, -1], onrow: (row) => row.node && open(row.node) });
	const heading = el('h2', {});
	const search = el('input', { type: 'search', placeholder: 'Call or ioctl', 'aria-label': 'Highlight in the flame graph', oninput: () => drawGraph() });
	const value = (n) => n[measure];

	function open(n, select = true) {
		const within = graph.contains(document.activeElement) || crumbs.contains(document.activeElement);
		focus = n;
		draw();
		if (within) {
			// The buttons are new: the focus goes to the part that is shown.
			graph.querySelector('[aria-current]')?.focus();
		}
		if (select && n.events_of.length) {
			choose(n);
		}
	}
	function choose(n) {
		if (n.events_of.length === 1) {
			state.choose('event', { id: n.events_of[0] });
		} else if (n.name >= 0) {
			state.choose('name', { kind: KINDS.findIndex((kind) => kind.colour === n.kind), name: n.name });
		}
	}

	function drawGraph() {
		const wanted = search.value.trim().toLowerCase();
		const rows = [];
		const path = [];
		for (let up = focus; up; up = up.parent) {
			path.unshift(up);
		}
		const place = (n, depth, left, width) => {
			if (width < 0.0008) {
				return;
			}
			const text = `${n.label}, ${MEASURES[measure].show(value(n))}, ${share(value(n), value(root))} of all` +
				(n.count ? `, ${count(n.count, 'time')}` : '');
			const b = button(width > 0.02 ? cut(n.label, Math.max(3, Math.floor(width * 160))) : '', () => open(n), {
				class: `frame fill-${n.kind}${wanted && n.label.toLowerCase().includes(wanted) ? ' hit' : ''}${wanted ? ' searched' : ''}`,
				title: text, 'aria-label': text, 'aria-current': n === focus ? 'true' : null });
			b.style.left = `${left * 100}%`;
			b.style.width = `${width * 100}%`;
			b.style.top = `${depth * ROW}px`;
			(rows[depth] ??= []).push(b);
			if (depth < path.length - 1) {
				place(path[depth + 1], depth + 1, 0, 1);
				return;
			}
			let x = left;
			const whole = value(n) || 1;
			for (const c of [...n.children.values()].sort((p, q) => value(q) - value(p))) {
				const w = width * value(c) / whole;
				place(c, depth + 1, x, w);
				x += w;
			}
		};
		place(root, 0, 0, 1);
		fill(graph, rows);
		graph.style.height = `${rows.length * ROW}px`;
	}

	function draw() {
		drawGraph();
		const path = [];
		for (let up = focus; up; up = up.parent) {
			path.unshift(up);
		}
		fill(crumbs, path.map((n, i) => [i ? el('span', { 'aria-hidden': 'true' }, ' › ') : null,
			n === focus ? el('b', { 'aria-current': 'true' }, n.label) : button(n.label, () => open(n, false), { class: 'link' })]));
		heading.textContent = `Parts of ${focus.label}`;
		const row = (n, label = n.label) => Object.assign([label, n.kind === 'root' ? '' : n.kind, n.count, n.time, 100 * n.time / (focus.time || 1),
			n.count ? n.time / n.count : null, n.doorbells, n.bytes], { node: n });
		const rows = [...focus.children.values()].map((n) => row(n));
		if (focus.kind === 'call' && focus.self > 0) {
			rows.push(['(in the call itself)', 'self', focus.count, focus.self, 100 * focus.self / (focus.time || 1), focus.self / focus.count, null, null]);
		}
		parts.setRows(rows, `, ${time(focus.time)} in all${focus.count > 1 ? ` ${count(focus.count, 'call')}` : ''}`);
	}

	graph.addEventListener('keydown', (event) => {
		const frames = [...graph.children];
		const at = frames.indexOf(document.activeElement);
		const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
		if (by && at >= 0) {
			event.preventDefault();
			frames[Math.min(frames.length - 1, Math.max(0, at + by))].focus();
		}
	});
	const legend = el('ul', { class: 'legend', 'aria-label': 'Legend' }, [['call', 'API call'], ['ioctl', 'ioctl'], ['doorbell', 'doorbells'],
		['wait', 'waits'], ['access', 'accesses'], ['mmap', 'mappings']].map(([kind, text]) => el('li', {}, el('i', { class: `swatch fill-${kind}` }), text)));
	const element = el('div', { class: 'flame-view' },
		el('div', { class: 'bar' }, field('Width is', select(Object.entries(MEASURES).map(([key, m]) => [key, m.text]), 'time', (v) => { measure = v; drawGraph(); },
			{ 'aria-label': 'Width is' })), field('Highlight', search), legend),
		crumbs, graph, heading, el('p', { class: 'note' }, 'Durations are those of the recording: recording adds to them.'), parts.element);
	return { element,
		shown() {
			if (!root) {
				root = buildFlame(data);
				focus = root;
				draw();
			}
		},
		// Opens the largest part that has this name.
		openName(kind, name) {
			this.shown();
			let best = null;
			const visit = (n) => {
				if (n.kind === KINDS[kind].colour && n.name === name && (!best || n.time > best.time)) {
					best = n;
				}
				n.children.forEach(visit);
			};
			visit(root);
			if (best) {
				open(best, false);
			}
		} };
}
