// SPDX-License-Identifier: MIT
// The timeline: lanes of threads and channels on a canvas, and what is in view as a table.

import { DOORBELL, KINDS } from './data.js';
import { button, colour, eachFrame, el, fill } from './dom.js';
import { count, cut, group, moment, time, timeUnit } from './format.js';
import { makeTable } from './table.js';

const GUTTER = 168, ROW = 16, GAP = 3, AXIS = 24, HEADER = 20;
const SHORTEST = 50;           // ns in view
const CALL_ROWS = 4, REQUEST_ROWS = 3, LISTED = 2000;
const COLOURS = ['call', 'ioctl', 'doorbell', 'access', 'mmap', 'other', 'request', 'wait', 'ink', 'muted', 'line', 'paper',
	'panel', 'accent', 'on-fill'];

// Puts intervals into the first of some rows in which they do not overlap, the last row takes all others.
function stack(items, rows) {
	const free = new Array(rows).fill(-Infinity);
	const lanes = Array.from({ length: rows }, () => []);
	for (const item of items) {
		let r = free.findIndex((end) => end <= item.start);
		r = r < 0 ? rows - 1 : r;
		free[r] = Math.max(free[r], item.end);
		lanes[r].push(item);
	}
	return lanes.filter((lane) => lane.length);
}

function makeRow(kind, items) {
	// The latest end so far makes the first visible item a matter of a binary search.
	const reach = new Float64Array(items.length);
	let latest = -Infinity;
	items.forEach((item, i) => { reach[i] = latest = Math.max(latest, item.end); });
	return { kind, items, starts: Float64Array.from(items, (item) => item.start), reach };
}

function firstAtLeast(array, value, from = 0) {
	let low = from, high = array.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (array[middle] < value) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	return low;
}

function makeLanes(data) {
	const lanes = [];
	const event = (i) => ({ start: data.at[i], end: data.end[i], id: i, type: 'event' });
	const perThread = data.raw.threads.map(() => KINDS.map(() => []));
	for (const i of data.order) {
		perThread[data.thread[i]]?.[data.kind[i]].push(i);
	}
	data.raw.threads.forEach((_, t) => {
		const [calls, ioctls, doorbells, accesses, mmaps, waits, others] = perThread[t];
		const rows = [];
		const depth = Array.from({ length: CALL_ROWS }, () => []);
		calls.forEach((i) => depth[Math.min(CALL_ROWS - 1, data.callers(i).length)].push(event(i)));
		depth.filter((items) => items.length).forEach((items, d) => rows.push({ label: d ? '' : 'API calls', ...makeRow('call', items) }));
		const add = (label, kind, events) => events.length && rows.push({ label, ...makeRow(kind, events.map(event)) });
		add('ioctls', 'ioctl', ioctls);
		add('waits', 'wait', waits);
		add('doorbells', 'doorbell', doorbells);
		add('mappings', 'mmap', mmaps);
		add('accesses', 'access', accesses);
		add('other', 'other', others);
		if (rows.length) {
			lanes.push({ title: data.threadName(t), thread: t, rows });
		}
	});
	const rings = data.raw.channels.map(() => []);
	data.byKind[DOORBELL].forEach((i) => rings[data.channel[i]]?.push(i));
	const requests = data.raw.channels.map(() => []);
	data.requests.forEach((r) => requests[r.channel]?.push(r));
	let channels = 0;
	data.raw.channels.forEach((_, c) => {
		const items = requests[c].sort((a, b) => a.submitted - b.submitted)
			.map((r) => ({ start: r.submitted, end: r.completed >= 0 ? r.completed : r.submitted, id: r.id, type: 'request' }));
		const rows = stack(items, REQUEST_ROWS).map((lane) => ({ label: '', ...makeRow('request', lane) }));
		// Doorbells are drawn over the requests that they submit.
		if (rings[c].length) {
			const doorbells = { label: '', over: rows.length > 0, ...makeRow('doorbell', rings[c].map(event)) };
			rows.splice(1, 0, doorbells);
			rows[0].label = data.raw.traces.length > 1 ? `${cut(data.traceName(data.raw.channels[c].trace), 12)} ${data.channelName(c)}` : data.channelName(c);
			lanes.push({ title: channels++ ? null : 'Channels: requests from submission until completion is noticed, and doorbells', channel: c, rows });
		}
	});
	let y = AXIS;
	for (const lane of lanes) {
		lane.y = y;
		y += lane.title ? HEADER : 0;
		for (const row of lane.rows) {
			y -= row.over ? ROW + GAP : 0;
			row.y = y;
			y += ROW + GAP;
		}
		y += lane.channel === undefined ? 6 : 3;
	}
	return { lanes, height: y + 8 };
}

export function makeTimeline(data, state) {
	const { lanes, height } = makeLanes(data);
	const whole = [data.first, data.last + Math.max(1, (data.last - data.first) * 0.01)];
	let [from, to] = whole;
	let width = 800, palette = {}, hover = null;
	const hidden = new Set();
	const times = Float64Array.from(data.order, (i) => data.at[i]);

	const canvas = el('canvas', { class: 'timeline', tabindex: 0, role: 'application', 'aria-roledescription': 'timeline',
		'aria-describedby': 'timeline-keys' });
	const map = el('canvas', { class: 'minimap', role: 'img', 'aria-label': 'Number of events over the whole recording; the marked part is in view' });
	const tip = el('div', { class: 'tip', hidden: true, 'aria-hidden': 'true' });
	const span = el('output', { class: 'span', 'aria-live': 'polite' });
	// The canvas is as high as the view and stays there; the spacer below makes the scroll bar.
	const spacer = el('div');
	const scroll = el('div', { class: 'timeline-scroll', onscroll: () => redraw() }, canvas, spacer, tip);
	const context = canvas.getContext('2d');
	const x = (at) => GUTTER + (at - from) / (to - from) * (width - GUTTER);
	const timeAt = (px) => from + (px - GUTTER) / (width - GUTTER) * (to - from);
	const labelOf = (item) => (item.type === 'event' ? data.title(item.id) : data.requests[item.id].kernel || data.requests[item.id].name);
	const isChosen = (item) => state.selection?.type === item.type && state.selection.id === item.id;

	function fit(target, w, h) {
		const ratio = window.devicePixelRatio || 1;
		if (target.width !== Math.round(w * ratio) || target.height !== Math.round(h * ratio)) {
			target.width = Math.round(w * ratio);
			target.height = Math.round(h * ratio);
			target.style.height = `${h}px`;
		}
		const c = target.getContext('2d');
		c.setTransform(ratio, 0, 0, ratio, 0, 0);
		return c;
	}

	function drawAxis() {
		const [unit, size] = timeUnit((to - from) / 2);
		const rough = (to - from) / size / Math.max(2, (width - GUTTER) / 110);
		const power = 10 ** Math.floor(Math.log10(rough));
		const step = [1, 2, 5, 10].find((m) => m * power >= rough) * power;
		const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
		context.textAlign = 'left';
		context.textBaseline = 'middle';
		for (let v = Math.ceil(from / size / step) * step; v * size < to; v += step) {
			const px = Math.round(x(v * size)) + 0.5;
			context.strokeStyle = palette.line;
			context.beginPath();
			context.moveTo(px, AXIS - 6);
			context.lineTo(px, canvas.height);
			context.stroke();
			context.fillStyle = palette.muted;
			context.fillText(`${group(v, digits)} ${unit}`, px + 4, 11);
		}
	}

	function drawRow(row) {
		let marked = null;
		let covered = -Infinity; // up to here, the row is drawn
		for (let i = firstAtLeast(row.reach, from); i < row.items.length && row.starts[i] <= to; i++) {
			const item = row.items[i];
			const left = Math.max(GUTTER, x(item.start));
			const w = Math.max(row.kind === 'doorbell' ? 2 : 1, Math.min(width, x(item.end)) - left);
			if (state.selection && isChosen(item)) {
				marked = [left, w];
			}
			// What lies within half a pixel of what is drawn would not be seen.
			if (left + w <= covered + 0.5) {
				continue;
			}
			covered = left + w;
			context.globalAlpha = row.kind === 'wait' ? 0.55 : 1;
			context.fillStyle = palette[row.kind];
			context.fillRect(left, row.y, w, ROW);
			context.globalAlpha = 1;
			if (w > 30) {
				context.save();
				context.beginPath();
				context.rect(left, row.y, w - 2, ROW);
				context.clip();
				context.fillStyle = palette['on-fill'];
				context.fillText(cut(labelOf(item), Math.ceil(w / 4)), left + 4, row.y + ROW / 2 + 0.5);
				context.restore();
				context.fillStyle = palette.paper;
				context.fillRect(left + w - 0.5, row.y, 0.5, ROW);
			}
		}
		return marked;
	}

	// The place of the selection in a row that is out of view, for the line that joins its lanes.
	function farMarks(row) {
		const s = state.selection;
		const place = s && interval(s);
		if (!place || hidden.has(row.kind) || row.items[0].type !== s.type) {
			return [];
		}
		const i = firstAtLeast(row.starts, place[0]);
		for (let j = i; j < row.items.length && row.starts[j] <= place[0]; j++) {
			if (isChosen(row.items[j])) {
				return [[Math.max(GUTTER, x(place[0])), Math.max(1, x(place[1]) - x(place[0])), row.y]];
			}
		}
		return [];
	}

	// The calls of the selection's thread stay in view below the axis, so that a doorbell in the lane of its
	// channel is seen with the call that wrote it.
	let pinned = null;
	function drawPinned(top, marks) {
		const s = state.selection;
		const event = s?.type === 'event' ? s.id : s?.type === 'request' ? data.requests[s.id].doorbell : -1;
		const lane = event >= 0 ? lanes.find((one) => one.thread === data.thread[event]) : null;
		const row = lane?.rows[0];
		pinned = row?.kind === 'call' && !hidden.has('call') && row.y < top + AXIS ? { ...row, y: top + AXIS + GAP } : null;
		if (!pinned) {
			return;
		}
		context.fillStyle = palette.panel;
		context.fillRect(0, top + AXIS, width, ROW + 2 * GAP);
		context.textAlign = 'right';
		context.fillStyle = palette.muted;
		context.fillText(pinned.label, GUTTER - 10, pinned.y + ROW / 2);
		context.textAlign = 'left';
		const marked = drawRow(pinned);
		if (marked) {
			marks.push([...marked, pinned.y]);
		}
	}

	function draw() {
		if (!isShown()) {
			return;
		}
		width = scroll.clientWidth;
		const room = Math.min(scroll.clientHeight, Math.max(height, 120));
		fit(canvas, width, room);
		spacer.style.height = `${Math.max(0, height - room)}px`;
		const top = scroll.scrollTop;
		palette = Object.fromEntries(COLOURS.map((name) => [name, colour(name)]));
		context.font = '11px system-ui, sans-serif';
		context.clearRect(0, 0, width, canvas.height);
		drawAxis();
		context.textBaseline = 'middle';
		context.save();
		context.beginPath();
		context.rect(0, AXIS, width, room);
		context.clip();
		context.translate(0, -top);
		const marks = [];
		for (const lane of lanes) {
			if (lane.y > top + room || lane.rows.at(-1).y + ROW < top + AXIS) {
				lane.rows.forEach((row) => row.items.length < 1 || marks.push(...farMarks(row)));
				continue;
			}
			if (lane.title) {
				context.fillStyle = palette.line;
				context.fillRect(0, lane.y, width, 1);
			}
			context.fillStyle = palette.ink;
			context.font = '600 11px system-ui, sans-serif';
			context.textAlign = 'left';
			if (lane.title) {
				context.fillText(cut(lane.title, 90), 8, lane.y + HEADER / 2 + 1);
			}
			context.font = '11px system-ui, sans-serif';
			for (const row of lane.rows) {
				context.textAlign = 'right';
				context.fillStyle = palette.muted;
				context.fillText(row.label, GUTTER - 10, row.y + ROW / 2);
				context.textAlign = 'left';
				if (hidden.has(row.kind)) {
					continue;
				}
				const marked = drawRow(row);
				if (marked) {
					marks.push([...marked, row.y]);
				}
			}
		}
		drawPinned(top, marks);
		context.strokeStyle = palette.accent;
		if (marks.length > 1) {
			// A doorbell is in the lanes of its thread and of its channel: a line joins them.
			context.lineWidth = 1;
			context.beginPath();
			context.moveTo(marks[0][0] + 1, marks[0][2]);
			context.lineTo(marks.at(-1)[0] + 1, marks.at(-1)[2]);
			context.stroke();
		}
		for (const [left, w, y] of marks) {
			context.lineWidth = 2;
			context.strokeRect(left - 2, y - 2, w + 4, ROW + 4);
			context.lineWidth = 1;
		}
		context.restore();
		if (state.cursor !== null && state.cursor >= from && state.cursor <= to) {
			context.fillStyle = palette.accent;
			context.fillRect(x(state.cursor), AXIS - 8, 1, height);
		}
		drawMap();
	}

	let bins = null;
	function drawMap() {
		const w = map.clientWidth, h = 30;
		const c = fit(map, w, h);
		const plot = w - GUTTER;
		c.clearRect(0, 0, w, h);
		if (!bins || bins.length !== Math.floor(plot / 2)) {
			bins = new Float64Array(Math.max(1, Math.floor(plot / 2)));
			for (let i = 0; i < data.n; i++) {
				bins[Math.min(bins.length - 1, Math.floor((data.at[i] - whole[0]) / (whole[1] - whole[0]) * bins.length))]++;
			}
		}
		const most = Math.log1p(bins.reduce((a, b) => Math.max(a, b), 1));
		c.fillStyle = palette.muted;
		bins.forEach((n, i) => {
			const size = Math.log1p(n) / most * (h - 4);
			c.fillRect(GUTTER + i * 2, h - size, 1.5, size);
		});
		const place = (at) => GUTTER + (at - whole[0]) / (whole[1] - whole[0]) * plot;
		const a = place(from), b = Math.max(place(to), a + 3);
		c.globalAlpha = 0.16;
		c.fillStyle = palette.accent;
		c.fillRect(a, 0, b - a, h);
		c.globalAlpha = 1;
		c.strokeStyle = palette.accent;
		c.strokeRect(a + 0.5, 0.5, Math.max(2, b - a - 1), h - 1);
	}

	const redraw = eachFrame(draw);
	const isShown = () => state.tab === 'timeline';

	function show(a, b) {
		const length = Math.min(whole[1] - whole[0], Math.max(SHORTEST, b - a));
		from = Math.min(Math.max(whole[0], a), whole[1] - length);
		to = from + length;
		span.textContent = `${time(to - from)} from ${moment(from)}`;
		redraw();
		list();
	}
	const zoom = (factor, px) => {
		const at = timeAt(px ?? (GUTTER + width) / 2);
		show(at - (at - from) * factor, at + (to - at) * factor);
	};
	const pan = (part) => show(from + (to - from) * part, to + (to - from) * part);

	// What is in view, as a table; not while the view moves.
	const table = makeTable({ title: 'Events in view', columns: [
		{ name: 'event', type: 'text' }, { name: 'kind', type: 'text' }, { name: 'at', unit: 'ns', type: 'number' },
		{ name: 'duration', unit: 'ns', type: 'number' }, { name: 'in call', type: 'text' },
		{ name: 'thread or channel', type: 'text' }], rows: [] },
	{ onrow: (row) => state.choose(row.type, { id: row.id }) });
	let waiting = 0;
	function list() {
		clearTimeout(waiting);
		waiting = setTimeout(() => {
			const rows = [];
			let total = 0;
			// Events that began before the view are listed, too, if they last into it.
			for (let i = 0; i < data.n && data.at[data.order[i]] <= to; i++) {
				const event = data.order[i];
				if (data.end[event] >= from && !hidden.has(KINDS[data.kind[event]].colour)) {
					total++;
					if (rows.length < LISTED) {
						const caller = data.call[event];
						rows.push(Object.assign([data.title(event), KINDS[data.kind[event]].name, data.at[event], data.duration(event) || null,
							caller >= 0 ? data.title(caller) : '',
							data.channel[event] >= 0 ? data.channelName(data.channel[event]) : data.threadName(data.thread[event])],
						{ type: 'event', id: event }));
					}
				}
			}
			for (const r of data.requests) {
				if (r.submitted <= to && Math.max(r.completed, r.submitted) >= from && !hidden.has('request') && rows.length < 2 * LISTED) {
					rows.push(Object.assign([r.name, 'request', r.submitted, r.completed >= 0 ? r.completed - r.submitted : null,
						data.call[r.doorbell] >= 0 ? data.title(data.call[r.doorbell]) : '', data.channelName(r.channel)], { type: 'request', id: r.id }));
				}
			}
			table.setRows(rows, total > LISTED ? `, of ${group(total)} events the first ${group(LISTED)}: zoom in to see the others` : '');
			canvas.setAttribute('aria-label', `Timeline, ${span.textContent}: ${count(total, 'event')} in view. They are listed in the table below.`);
		}, 120);
	}

	// What a row has at a place, or within four pixels of it.
	function nearest(row, px) {
		const slack = (to - from) / (width - GUTTER) * 4;
		const at = timeAt(px);
		const first = firstAtLeast(row.reach, at - slack);
		let best = null, distance = Infinity;
		for (let i = first; i < row.items.length && row.starts[i] <= at + slack && i - first <= 5000; i++) {
			const item = row.items[i];
			const d = at < item.start ? item.start - at : at > item.end ? at - item.end : 0;
			if (d <= distance) {
				best = item;
				distance = d;
			}
		}
		return best;
	}

	function itemAt(px, shownY) {
		const py = shownY + scroll.scrollTop;
		if (px < GUTTER || shownY < AXIS) {
			return null;
		}
		if (pinned && shownY < AXIS + ROW + 2 * GAP) {
			return nearest(pinned, px);
		}
		for (const lane of lanes) {
			for (const row of [...lane.rows].reverse()) {
				if (py >= row.y - 1 && py < row.y + ROW + 2 && !hidden.has(row.kind)) {
					const best = nearest(row, px);
					if (best || !row.over) {
						return best;
					}
				}
			}
		}
		return null;
	}

	let drag = null;
	canvas.addEventListener('pointerdown', (event) => {
		if (event.button === 0) {
			drag = { px: event.clientX, from, to, moved: false };
		}
	});
	canvas.addEventListener('pointermove', (event) => {
		if (drag) {
			const dx = event.clientX - drag.px;
			if (Math.abs(dx) > 3 && !drag.moved) {
				drag.moved = true;
				canvas.setPointerCapture(event.pointerId);
			}
			if (drag.moved) {
				const by = dx / (width - GUTTER) * (drag.to - drag.from);
				show(drag.from - by, drag.to - by);
			}
			return;
		}
		hover = itemAt(event.offsetX, event.offsetY);
		tip.hidden = !hover;
		canvas.style.cursor = hover ? 'pointer' : 'grab';
		if (hover) {
			fill(tip, el('b', {}, cut(labelOf(hover), 80)), el('br'),
				`at ${moment(hover.start)}`, hover.end > hover.start ? `, took ${time(hover.end - hover.start)}` : '',
				hover.type === 'event' && data.detail(hover.id) ? [el('br'), cut(data.detail(hover.id), 120)] : null);
			tip.style.left = `${Math.min(event.offsetX + 14, width - tip.offsetWidth - 8)}px`;
			tip.style.top = `${Math.min(event.offsetY + 16, scroll.clientHeight - 70) + scroll.scrollTop}px`;
		}
	});
	canvas.addEventListener('pointerup', (event) => {
		const was = drag;
		drag = null;
		if (was && !was.moved) {
			const item = itemAt(event.offsetX, event.offsetY);
			if (item) {
				state.choose(item.type, { id: item.id });
			} else {
				state.set({ selection: null });
			}
		}
	});
	canvas.addEventListener('pointercancel', () => { drag = null; });
	canvas.addEventListener('pointerleave', () => { tip.hidden = true; });
	canvas.addEventListener('wheel', (event) => {
		if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
			event.preventDefault();
			pan((event.deltaX || event.deltaY) / 1200);
		} else if (event.ctrlKey || event.metaKey || height <= scroll.clientHeight + 4 || event.offsetX > GUTTER) {
			event.preventDefault();
			zoom(Math.exp(event.deltaY * (event.deltaMode ? 0.05 : 0.0022)), event.offsetX);
		}
	}, { passive: false });
	canvas.addEventListener('dblclick', (event) => {
		const item = itemAt(event.offsetX, event.offsetY);
		if (item) {
			around(item.start, item.end);
		}
	});
	// Shows an interval with what is around it: for a moment, about twenty events to each side.
	function around(a, b) {
		const at = firstAtLeast(times, a);
		const near = Math.max(times[Math.min(data.n - 1, at + 20)] - b, a - times[Math.max(0, at - 20)], 1000);
		const room = b > a ? (b - a) * 0.25 : Math.min(near, (whole[1] - whole[0]) / 4);
		show(a - room, b + room);
	}
	function nextEvent(by) {
		const s = state.selection;
		let r = s?.type === 'event' ? data.rank[s.id] + by : firstAtLeast(times, from);
		while (r >= 0 && r < data.n && hidden.has(KINDS[data.kind[data.order[r]]].colour)) {
			r += by;
		}
		if (r >= 0 && r < data.n) {
			state.choose('event', { id: data.order[r] });
		}
	}
	canvas.addEventListener('keydown', (event) => {
		if (event.ctrlKey || event.metaKey || event.altKey) {
			return;
		}
		const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
		const action = { ArrowLeft: () => pan(-0.15), a: () => pan(-0.15), ArrowRight: () => pan(0.15), d: () => pan(0.15),
			'+': () => zoom(0.7), '=': () => zoom(0.7), w: () => zoom(0.7), '-': () => zoom(1 / 0.7), s: () => zoom(1 / 0.7),
			0: () => show(...whole), n: () => nextEvent(1), p: () => nextEvent(-1), Enter: zoomToSelection }[key];
		if (action) {
			event.preventDefault();
			action();
		}
	});

	function interval(s) {
		if (s?.type === 'event') {
			return [data.at[s.id], data.end[s.id]];
		}
		if (s?.type === 'request') {
			const r = data.requests[s.id];
			return [r.submitted, Math.max(r.completed, r.submitted)];
		}
		return null;
	}
	function zoomToSelection() {
		const place = interval(state.selection);
		if (place) {
			around(...place);
			draw();
			scrollToChannel();
		}
	}
	function reveal() {
		const place = interval(state.selection);
		if (place && (place[1] < from || place[0] > to)) {
			const half = (to - from) / 2;
			show(place[0] - half, place[0] + half);
		}
		scrollToChannel();
		redraw();
	}
	const channelOf = (s) => (s?.type === 'event' ? data.channel[s.id] : s?.type === 'request' ? data.requests[s.id].channel : -1);
	function scrollToChannel() {
		const lane = lanes.find((one) => one.channel !== undefined && one.channel === channelOf(state.selection));
		if (lane && isShown()) {
			const last = lane.rows.at(-1).y + ROW;
			if (lane.y < scroll.scrollTop + AXIS) {
				scroll.scrollTop = lane.y - AXIS - HEADER;
			} else if (last > scroll.scrollTop + scroll.clientHeight) {
				scroll.scrollTop = last + HEADER - scroll.clientHeight;
			}
		}
	}

	let mapDrag = false;
	const mapMove = (event) => {
		const at = whole[0] + (event.offsetX - GUTTER) / (map.clientWidth - GUTTER) * (whole[1] - whole[0]);
		show(at - (to - from) / 2, at + (to - from) / 2);
	};
	map.addEventListener('pointerdown', (event) => { mapDrag = true; map.setPointerCapture(event.pointerId); mapMove(event); });
	map.addEventListener('pointermove', (event) => mapDrag && mapMove(event));
	map.addEventListener('pointerup', () => { mapDrag = false; });

	const kinds = [...KINDS.map((kind) => [kind.colour, kind.plural]), ['request', 'requests']]
		.filter(([kind]) => lanes.some((lane) => lane.rows.some((row) => row.kind === kind)));
	const legend = el('div', { class: 'legend toggles', role: 'group', 'aria-label': 'Shown kinds of events' }, kinds.map(([kind, text]) =>
		button([el('i', { class: `swatch fill-${kind}` }), text], (event) => {
			hidden[hidden.has(kind) ? 'delete' : 'add'](kind);
			event.currentTarget.setAttribute('aria-pressed', String(!hidden.has(kind)));
			redraw();
			list();
		}, { 'aria-pressed': 'true' })));
	const element = el('div', { class: 'timeline-view' },
		el('div', { class: 'bar' }, button('+', () => zoom(0.6), { 'aria-label': 'Zoom in' }),
			button('−', () => zoom(1 / 0.6), { 'aria-label': 'Zoom out' }), button('Whole', () => show(...whole)),
			button('Selection', zoomToSelection), span, legend),
		map, scroll,
		el('p', { id: 'timeline-keys', class: 'note keys' }, 'Wheel or ', el('kbd', {}, '+'), ' ', el('kbd', {}, '−'), ' zoom, drag or ',
			el('kbd', {}, '←'), ' ', el('kbd', {}, '→'), ' move, ', el('kbd', {}, 'N'), ' ', el('kbd', {}, 'P'), ' next and previous event, ',
			el('kbd', {}, 'Enter'), ' zooms to the selected one, ', el('kbd', {}, '0'), ' shows all'),
		el('h2', {}, 'In view'), table.element);

	state.on(['selection'], reveal);
	state.on(['cursor'], redraw);
	window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
	new ResizeObserver(redraw).observe(scroll);
	let begun = false;
	return { element, shown() {
		if (!begun) {
			begun = true;
			show(from, to);
		}
		redraw();
	}, show, zoomToSelection };
}
