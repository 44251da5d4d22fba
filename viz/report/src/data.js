// SPDX-License-Identifier: MIT
// The data of the report: read from the page, made safe to show, and indexed.

export const KINDS = [
	{ name: 'call', plural: 'API calls', colour: 'call' },
	{ name: 'ioctl', plural: 'ioctls', colour: 'ioctl' },
	{ name: 'doorbell', plural: 'doorbells', colour: 'doorbell' },
	{ name: 'access', plural: 'accesses', colour: 'access' },
	{ name: 'mmap', plural: 'mappings', colour: 'mmap' },
	{ name: 'wait', plural: 'waits', colour: 'wait' },
	{ name: 'other', plural: 'other events', colour: 'other' },
];
export const CALL = 0, IOCTL = 1, DOORBELL = 2, ACCESS = 3, WAIT = 5;

async function inflate(base64) {
	const packed = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
	const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate'));
	return new Response(stream).text();
}

// Control characters, those that reorder text and those without width become visible, as \x1b: a name
// cannot move a cursor, turn the text after it around, or look like another name.
export function visible(text) {
	return text.replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g, (c) => {
		const code = c.charCodeAt(0);
		return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16)}`;
	});
}

function clean(value, keep) {
	if (typeof value === 'string') {
		return visible(value);
	}
	if (Array.isArray(value)) {
		return value.every((item) => typeof item === 'number') ? value : value.map((item) => clean(item));
	}
	if (value && typeof value === 'object') {
		for (const key of Object.keys(value)) {
			if (!keep?.includes(key)) {
				value[key] = clean(value[key]);
			}
		}
	}
	return value;
}

export async function read() {
	const element = document.getElementById('ktail-data');
	let raw = JSON.parse(element.textContent);
	if (raw.deflate !== undefined) {
		raw = JSON.parse(await inflate(raw.deflate));
	}
	element.remove();
	if (raw.format !== 'ktail-report/1') {
		throw new Error(`read the data of the report: their format is ${raw.format}, not ktail-report/1`);
	}
	return index(clean(raw, ['distilled']));
}

// Groups 0..count-1 by key: the members of group g are items[start[g]] to items[start[g + 1] - 1].
export function groupBy(count, groups, key) {
	const start = new Int32Array(groups + 1);
	for (let i = 0; i < count; i++) {
		const g = key(i);
		if (g >= 0) {
			start[g + 1]++;
		}
	}
	for (let g = 0; g < groups; g++) {
		start[g + 1] += start[g];
	}
	const next = start.slice(0, groups);
	const items = new Int32Array(start[groups]);
	for (let i = 0; i < count; i++) {
		const g = key(i);
		if (g >= 0) {
			items[next[g]++] = i;
		}
	}
	return { start, items, of: (g) => items.subarray(start[g], start[g + 1]) };
}

// The events of a word's letters are stored as differences; -1 is none.
function undelta(list) {
	let value = 0;
	return list.map((difference) => (value += difference));
}

function index(raw) {
	const e = raw.events;
	raw.words.forEach((word) => { word.event_of = undelta(word.event_of ?? word.letters.map((_, p) => (p ? 0 : -1))); });
	const n = e.time.length;
	const at = new Float64Array(n);
	const end = new Float64Array(n);
	const traceOf = (i) => raw.threads[e.thread[i]]?.trace ?? 0;
	// Traces that were recorded one after another are laid over each other: each begins at 0.
	const begins = raw.traces.map(() => Infinity);
	for (let i = 0, now = 0; i < n; i++) {
		now += e.time[i];
		at[i] = now;
		begins[traceOf(i)] = Math.min(begins[traceOf(i)], now);
	}
	let first = Infinity, last = 0;
	for (let i = 0; i < n; i++) {
		at[i] -= begins[traceOf(i)];
		end[i] = at[i] + Math.max(0, e.duration[i]);
		first = Math.min(first, at[i]);
		last = Math.max(last, end[i]);
	}
	const hasCalls = raw.traces.map(() => false);
	for (let i = 0; i < n; i++) {
		hasCalls[traceOf(i)] ||= e.kind[i] === CALL;
	}
	const name = (i) => (i >= 0 ? raw.names[i] ?? '?' : '');

	// Doorbells are numbered from 1 in each trace, as ktail decode numbers them; calls by name.
	const number = new Int32Array(n);
	const doorbells = raw.traces.map(() => []);
	const calls = new Map();
	for (let i = 0; i < n; i++) {
		if (e.kind[i] === DOORBELL) {
			number[i] = doorbells[traceOf(i)].push(i);
		} else if (e.kind[i] === CALL) {
			const key = `${traceOf(i)} ${e.name[i]}`;
			const next = (calls.get(key) ?? 0) + 1;
			calls.set(key, next);
			number[i] = next;
		}
	}

	const requests = [];
	const r = raw.requests;
	const requestsOf = new Map();
	for (let i = 0; i < r.submitted.length; i++) {
		const begin = begins[raw.channels[r.channel[i]]?.trace ?? 0] ?? 0;
		const request = { id: i, submitted: r.submitted[i] - begin, completed: r.completed[i] < 0 ? -1 : r.completed[i] - begin, channel: r.channel[i],
			doorbell: r.doorbell[i], name: name(r.name[i]), bytes: r.bytes?.[i] ?? 0,
			copied: r.copied?.[i] ?? 0, launches: r.launches?.[i] ?? 0, kernel: name(r.kernel?.[i] ?? -1), commands: name(r.commands?.[i] ?? -1), device: r.device?.[i] ?? -1, sign: name(r.sign?.[i] ?? -1) };
		requests.push(request);
		last = Math.max(last, request.completed);
		if (request.doorbell >= 0) {
			requestsOf.set(request.doorbell, [...requestsOf.get(request.doorbell) ?? [], request]);
		}
	}
	// The dwords that doorbells submitted, in hexadecimal, if the report holds them.
	const dwords = new Map();
	raw.data?.doorbell.forEach((event, i) => dwords.set(event, (dwords.get(event) ?? '') + raw.data.dwords[i]));

	const wordOf = new Int32Array(n).fill(-1);
	const positionOf = new Int32Array(n);
	raw.words.forEach((word, w) => {
		for (let p = word.letters.length - 1; p >= 0; p--) {
			const event = word.event_of?.[p] ?? -1;
			if (event >= 0) {
				wordOf[event] = w;
				positionOf[event] = p;
			}
		}
	});

	const order = Int32Array.from({ length: n }, (_, i) => i);
	for (let i = 1; i < n; i++) {
		if (at[i] < at[i - 1]) {
			order.sort((a, b) => at[a] - at[b] || a - b);
			break;
		}
	}
	const rank = new Int32Array(n);
	order.forEach((event, i) => { rank[event] = i; });

	const data = {
		raw, n, at, end, hasCalls, first: n ? first : 0, last: Math.max(last, 1), kind: e.kind, thread: e.thread, call: e.call,
		channel: e.channel, nameIndex: e.name, requests, requestsOf, dwords, wordOf, positionOf, order, rank,
		doorbells, children: groupBy(n, n, (i) => e.call[i]),
		byKind: KINDS.map((_, k) => order.filter((i) => e.kind[i] === k)),
		name: (i) => name(e.name[i]), detail: (i) => name(e.detail?.[i] ?? -1), label: (i) => name(e.label?.[i] ?? -1), named: name, traceOf, number: (i) => number[i],
		duration: (i) => Math.max(0, e.duration[i]),
	};
	// What a reader calls an event: "cuLaunchKernel #3", "doorbell 14".
	data.title = (i) => {
		if (e.kind[i] === DOORBELL) {
			return `doorbell ${number[i]}`;
		}
		return e.kind[i] === CALL ? `${data.name(i)} #${number[i]}` : data.name(i);
	};
	data.threadName = (t) => {
		const thread = raw.threads[t];
		const same = thread.pid === thread.tid;
		const trace = raw.traces.length > 1 ? `${raw.traces[thread.trace].name}: ` : '';
		return `${trace}${thread.name || 'thread'} ${thread.pid}${same ? '' : `/${thread.tid}`}`;
	};
	data.channelName = (c) => (c >= 0 ? raw.channels[c]?.name ?? '?' : '');
	data.bytes = (i) => (data.requestsOf.get(i) ?? []).reduce((sum, q) => sum + q.bytes, 0);
	data.letterName = (l) => raw.letters[l]?.name || raw.letters[l]?.letter || '?';
	// The calls that an event was made in, innermost first.
	data.callers = (i) => {
		const callers = [];
		for (let c = e.call[i]; c >= 0 && callers.length < 64; c = e.call[c]) {
			callers.push(c);
		}
		return callers;
	};
	data.role = (r) => (typeof r === 'number' ? raw.roles?.[r] : r) ?? '';
	// Events in which the program first noticed that a request was done.
	const completions = new Set(requests.map((q) => q.completed).filter((ns) => ns >= 0));
	data.point = (i) => (e.kind[i] === DOORBELL ? 'initiation' : e.kind[i] !== CALL && completions.has(at[i]) ? 'completion' : '');
	data.traceName = (t) => (raw.sides && raw.traces[t].side !== undefined ? `${raw.sides[raw.traces[t].side]}: ` : '') + raw.traces[t].name;
	return data;
}
