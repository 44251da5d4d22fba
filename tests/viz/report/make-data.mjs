// SPDX-License-Identifier: MIT
// Makes the data of a report without a recording: the same calls, ioctls, doorbells and requests
// again and again, with names that would break a page which took them for markup.
// Usage: node make-data.mjs EVENTS   prints JSON in the format ktail-report/1

export const NASTY = '</script><img src=x onerror="globalThis.broken=1">\u001b[31m\u202e & \'"\u2067\u061c\u200b';

// A deterministic generator of numbers below 1 (Park and Miller).
function randomNumbers(seed) {
	let state = seed;
	return () => (state = state * 48271 % 2147483647) / 2147483647;
}

const CALL = 0, IOCTL = 1, DOORBELL = 2, ACCESS = 3, MMAP = 4, WAIT = 5;
const LETTERS = ['ioctl:0x2a', 'map:sys', 'R:sys', 'W:sys', 'W:fb', 'W:reg', 'unmap:sys'];
const LABELS = ['ask what the GPU can do', 'map memory', 'poll for completion', 'write commands', 'write ring entry', 'write doorbell', 'unmap memory'];

// What a call does: [name, times in a round, letters].
const CALLS = [
	['cuMemAlloc_v2', 1, 'ioctl:0x2a map:sys'],
	['cuMemcpyHtoD_v2', 1, 'R:sys W:sys W:fb W:reg R:sys'],
	['cuGraphLaunch', 3, 'W:sys W:fb R:sys W:reg'],
	['cuStreamSynchronize', 1, 'R:sys R:sys'],
	['cuMemFree_v2', 1, 'unmap:sys ioctl:0x2a'],
];

function machineOf(k, words) {
	// The state after a letter is named by the last letters: such a machine is deterministic.
	const last = Math.min(k, 6);
	const states = [{ final: false, visits: 1, phase: 'CREATE', label: 'begin' }];
	const ids = new Map([['', 0]]);
	const transitions = new Map();
	const exits = words.map((word) => {
		let state = 0, history = [];
		for (const letter of word.letters) {
			history = [...history, letter].slice(-last);
			const key = history.join(' ');
			if (!ids.has(key)) {
				ids.set(key, states.length);
				states.push({ final: false, visits: 0, phase: ['CREATE', 'INIT', 'USE', 'USE', 'USE', 'USE', 'DESTROY'][letter], label: LABELS[letter] });
			}
			const to = ids.get(key);
			const edge = `${state} ${letter}`;
			const found = transitions.get(edge) ?? [state, to, letter, 0, -1, 0];
			found[3]++;
			transitions.set(edge, found);
			states[to].visits++;
			state = to;
		}
		states[state].final = true;
		return [0, state];
	});
	const list = [...transitions.values()].sort((a, b) => a[0] - b[0] || a[2] - b[2]);
	const columns = Math.ceil(Math.sqrt(states.length));
	const boxes = states.map((state, s) => {
		const x = 80 + s % columns * 150, y = 50 + Math.floor(s / columns) * 90;
		return [x, y, 110, 36, [[x, y - 3, String(s)], [x, y + 9, state.label]]];
	});
	// The second transition with the same ends joins the first; a loop is drawn as an arc.
	const edges = new Map();
	list.forEach(([from, to], t) => {
		const key = `${from} ${to}`;
		const [ax, ay] = boxes[from], [bx, by] = boxes[to];
		const edge = edges.get(key) ?? { transitions: [], chain: false, path: from === to ? `M${ax + 40},${ay - 18}C${ax + 80},${ay - 60} ${ax - 80},${ay - 60} ${ax - 40},${ay - 18}`
			: `M${ax},${ay + 18}C${ax},${ay + 60} ${bx},${by - 60} ${bx},${by - 18}`, arrow: `M${bx - 4},${by - 26}L${bx + 4},${by - 26} ${bx},${by - 18}Z`,
		texts: [[(ax + bx) / 2 + 4, (ay + by) / 2, LETTERS[list[t][2]]]] };
		edge.transitions.push(t);
		edges.set(key, edge);
	});
	return { k, from: k, to: k, initial: 0, states, transitions: list, words: exits,
		layout: { format: 'ktail-layout/1', width: 80 + columns * 150, height: 90 + Math.ceil(states.length / columns) * 90, states: boxes,
			edges: [...edges.values()], markers: [] } };
}

export function makeData(wanted) {
	const random = randomNumbers(7);
	const names = [], index = new Map();
	const name = (text) => {
		if (!index.has(text)) {
			index.set(text, names.push(text) - 1);
		}
		return index.get(text);
	};
	const e = { time: [], thread: [], kind: [], duration: [], name: [], call: [], detail: [], channel: [], label: [] };
	const r = { submitted: [], completed: [], device: [], channel: [], doorbell: [], call: [], name: [], commands: [], bytes: [], copied: [], launches: [], kernel: [], sign: [] };
	let before = 0, now = 0;
	function add(kind, text, duration, { call = -1, detail = -1, channel = -1, label = -1, thread = 0 } = {}) {
		e.time.push(now - before);
		before = now;
		e.kind.push(kind);
		e.name.push(name(text));
		e.duration.push(duration);
		e.call.push(call);
		e.detail.push(detail);
		e.channel.push(channel);
		e.label.push(label);
		e.thread.push(thread);
		return e.time.length - 1;
	}
	const letters = [], events = [];
	for (let round = 0; e.time.length < wanted; round++) {
		for (const [call, times, does] of CALLS) {
			for (let n = 0; n < times; n++) {
				const outer = add(CALL, round % 50 === 7 && n === 0 && call === 'cuMemFree_v2' ? NASTY : call, 0);
				const began = now;
				for (const letter of does.split(' ')) {
					now += 400 + Math.floor(random() * 800);
					const l = LETTERS.indexOf(letter);
					let event;
					if (letter === 'W:reg') {
						const channel = Math.floor(random() * 3);
						event = add(DOORBELL, 'doorbell', 0, { call: outer, channel, label: name(LABELS[l]) });
						r.submitted.push(now);
						r.completed.push(now + 3000 + Math.floor(random() * 4000));
						r.device.push(call === 'cuGraphLaunch' ? 2000 : -1);
						r.channel.push(channel);
						r.doorbell.push(event);
						r.call.push(outer);
						r.name.push(name(call === 'cuGraphLaunch' ? 'launch' : 'copy'));
						r.commands.push(name(call === 'cuGraphLaunch' ? 'launch ×5, semaphore-release' : `bind ${NASTY}, copy-direct`));
						r.bytes.push(64 + 4 * Math.floor(random() * 200));
						r.copied.push(call === 'cuGraphLaunch' ? 0 : 4096);
						r.launches.push(call === 'cuGraphLaunch' ? 5 : 0);
						r.kernel.push(call === 'cuGraphLaunch' ? name('vecAdd') : -1);
						r.sign.push(name('read'));
					} else if (letter.startsWith('ioctl')) {
						const took = 2000 + Math.floor(random() * 9000);
						event = add(IOCTL, 'NV_ESC_RM_CONTROL', took, { call: outer, detail: name('NV2080_CTRL_CMD_GPU_GET_INFO_V2'), label: name(LABELS[l]) });
						now += took;
					} else {
						event = add(letter.includes('map') ? MMAP : ACCESS, letter, 0, { call: outer, label: name(LABELS[l]) });
					}
					letters.push(l);
					events.push(event);
				}
				if (call === 'cuStreamSynchronize') {
					const took = 5000;
					add(WAIT, 'ppoll', took, { call: outer });
					now += took;
				}
				now += 300;
				e.duration[outer] = now - began;
				now += 200 + Math.floor(random() * 500);
			}
		}
		now += 20000;
	}
	let previous = 0;
	const word = { trace: 0, name: 'graphs 4711', complete: true, letters, event_of: events.map((event) => { const d = event - previous; previous = event; return d; }) };
	const words = [word, { trace: 0, name: NASTY, complete: true, letters: letters.slice(0, 6), event_of: [events[0], ...events.slice(1, 6).map((event, i) => event - events[i])] }];
	const machines = [1, 3, 6].map((k) => machineOf(k, words));
	const sizes = Array.from({ length: 20 }, (_, i) => [i + 1, 7 + 9 * Math.min(i, 12), 12 + 10 * Math.min(i, 12), 2 + i]);
	return {
		format: 'ktail-report/1', version: '0.0', title: `graphs ${NASTY}`, holds: 'This file holds the events of 1 trace.', left_out: 0, with_data: true, word: 'process',
		traces: [{ name: 'graphs', side: 0, facts: [['driver', '580.159.04'], ['GPU', 'software'], ['program', NASTY], ['events recorded', String(e.time.length)], ['lost', '3 events of process 4711']] }],
		threads: [{ trace: 0, process: 0, pid: 4711, tid: 4711, name: 'graphs' }],
		channels: [0, 1, 2].map((c) => ({ trace: 0, process: 0, name: `0x5c00002${c}`, client: '0xc1d00001', class: 'HOPPER_CHANNEL_GPFIFO_A' })),
		words, events: e, requests: r,
		letters: LETTERS.map((letter, l) => ({ letter, name: '', label: LABELS[l], role: 0 })), roles: ['other'], sizes,
		plateaus: [[3, 4, true, '25 states']], why: 'the first plateau', chosen: 3, machines,
		distilled: '<svg xmlns="http://www.w3.org/2000/svg" width="200" height="60" viewBox="0 0 200 60"><script>parent.broken = 1</script><rect width="200" height="60" fill="none" stroke="black"/><text x="20" y="34">distilled</text></svg>',
		sides: ['old', 'new'], difference: { lines: ['+ W:reg follows W:sys', '- W:fb follows W:reg', NASTY] },
		data: { doorbell: [r.doorbell[0]], dwords: ['20018000deadbeef0000000100000002'] },
		tables: [
			{ title: 'API calls', total: true, columns: [{ key: 'call', name: 'call', type: 'text', rank: 0 }, { key: 'calls', name: 'calls', type: 'count', rank: 0 },
				{ key: 'time', name: 'total', type: 'time', rank: 0 }, { key: 'share', name: 'share', type: 'share', rank: 0 }, { key: 'api', name: 'api', type: 'text', rank: 9 }],
			rows: [['cuGraphLaunch', 12, 34567, 6000, 'driver'], ['cuMemAlloc_v2', 4, 912345, 3000, 'driver'], [NASTY, 1, 10, 1000, 'driver'],
				['=cuMemFree,"v2"', 2, null, 0, 'driver'], ['total', 19, 946922, 10000, '']] },
			{ title: 'Channels', total: false, columns: [{ key: 'channel', name: 'channel', type: 'text', rank: 0 }, { key: 'doorbells', name: 'doorbells', type: 'count', rank: 0 }],
				rows: [['0x5c000020', 5], ['0x5c000021', 6]] }],
		names,
	};
}

// Two sides, of which the new one is a short word of its own, with tables of both; events are left
// out, and the largest machine has no layout.
export function makeTwo(wanted) {
	const data = makeData(wanted);
	const [calls] = data.tables;
	const [old] = data.traces;
	data.traces = [old, { ...old, name: 'newer', side: 1, facts: [['driver', '590.1'], ['GPU', 'software'], ['lost', 'nothing']] }];
	data.words[1].trace = 1;
	data.machines.at(-1).layout = null;
	data.left_out = 500;
	data.words[0].left_out = 100;
	data.tables = [{ ...calls, side: 0 }, { ...calls, side: 1, rows: [['cuGraphLaunch', 20, 34567, 6000, 'driver'], ['cuMemAlloc_v2', 4, 912300, 3000, 'driver'], ['cuNew', 1, 5, 1, 'driver'], ['total', 25, 946872, 10000, '']] }, data.tables[1]];
	data.difference = { lines: ['The machines differ.', 'Only the new machine does W:reg W:fb (seen 2 times).', 'Both do more.', '', 'What only the old machine does, at any position:', '  W:sys W:fb'] };
	return data;
}

// Many traces, so that lists of them are long.
export function makeMany(wanted) {
	const data = makeData(wanted);
	const [first] = data.traces;
	data.traces = Array.from({ length: 35 }, (_, t) => ({ ...first, name: `a-trace-with-a-long-name-${t}`, side: 0 }));
	delete data.sides;
	delete data.difference;
	return data;
}

if (process.argv[1]?.endsWith('make-data.mjs')) {
	process.stdout.write(JSON.stringify(makeData(Number(process.argv[2]))));
}
