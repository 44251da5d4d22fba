// SPDX-License-Identifier: MIT
// Reads what ktail export writes with programs that are not ktail's, and checks nesting, flows,
// counters and counts: protoc (Debian) with the published field numbers, ajv with speedscope's
// published schema, sqlite3(1), and the JSON parser of Node.js. Counts must equal those of ktail stats.
// Usage: node readers.mjs KTAIL NPM-FOLDER TRACE[,TRACE...]...   (with commas: one export of several)
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const [ktail, npm, ...traces] = process.argv.slice(2);
const require = createRequire(join(resolve(npm), 'package.json'));
const Ajv = require('ajv').default;
const schema = JSON.parse(readFileSync(join(dirname(require.resolve('speedscope/package.json')),
	'dist/release/file-format-schema.json'), 'utf8'));
const isSpeedscope = new Ajv({ strict: false }).compile(schema);

const run = (program, args, input) => execFileSync(program, args, { input, maxBuffer: 1 << 30 });
const exported = (trace, ...args) => run(ktail, ['export', ...args, ...trace.split(',')]);
const sum = (numbers) => numbers.reduce((total, n) => total + n, 0);
const group = (items, key) => items.reduce((map, item) =>
	map.set(key(item), [...(map.get(key(item)) ?? []), item]), new Map());

// Parses protobuf's text format: {name: [values]}.
function parseText(text) {
	const root = {};
	const stack = [root];
	for (const line of text.split('\n')) {
		const [, name, brace, value] = line.match(/^ *(?:(\w+)(?: (\{)|: (.*))|\})$/) ?? [];
		const top = stack.at(-1);
		if (line === '') {
			continue;
		}
		if (!name) {
			assert.match(line, /^ *\}$/, `protoc: field without a name: ${line}`);
			stack.pop();
		} else if (brace) {
			const message = {};
			(top[name] ??= []).push(message);
			stack.push(message);
		} else {
			(top[name] ??= []).push(value.startsWith('"') ? value.slice(1, -1) : value);
		}
	}
	return root;
}

// Checks that times of a track do not decrease, and that the last slice that began ends first.
// Returns the slices, each with its depth.
function nest(edges, what) {
	const open = [];
	const slices = [];
	let last = 0n;
	for (const edge of edges) {
		assert(edge.time >= last, `${what}: time runs backwards`);
		last = edge.time;
		if (edge.begins) {
			open.push(edge);
			continue;
		}
		const begin = open.pop();
		assert(begin, `${what}: a slice ends that did not begin`);
		assert(edge.name === undefined || edge.name === begin.name, `${what}: ${edge.name} ends, not ${begin.name}`);
		slices.push({ name: begin.name, kind: begin.kind, time: edge.time - begin.time, depth: open.length });
	}
	assert.equal(open.length, 0, `${what}: slices without an end`);
	return slices;
}

// Values of a queue depth change by one, are never negative, and end at 0.
function checkDepths(values, what) {
	let before = 0;
	for (const value of values) {
		assert.equal(Math.abs(value - before), 1, `${what}: step from ${before} to ${value}`);
		assert(value >= 0, `${what}: ${value}`);
		before = value;
	}
	assert.equal(before, 0, `${what}: requests are left`);
}

function checkCounts(counts, stats, what) {
	const total = stats.total;
	assert.deepEqual(counts, { call: total.calls, ioctl: total.ioctls, wait: total.waits, doorbell: total.doorbells,
		access: total.reads + total.writes, map: total.maps + total.unmaps }, `${what}: counts`);
}

const tally = (kinds) => {
	const counts = { call: 0, ioctl: 0, wait: 0, doorbell: 0, access: 0, map: 0 };
	for (const kind of kinds.filter((k) => k in counts)) {
		counts[kind]++;
	}
	return counts;
};

// The time of all outermost calls.
const callTime = (slices) => Number(sumBig(slices.filter((s) => s.kind === 'call' && s.depth === 0).map((s) => s.time)));
const sumBig = (numbers) => numbers.reduce((total, n) => total + n, 0n);

function checkPerfetto(trace, stats, outer) {
	const text = run('protoc', ['--decode=perfetto.protos.Trace', `--proto_path=${here}`, 'perfetto.proto'],
		exported(trace, '-f', 'perfetto')).toString();
	const packets = parseText(text).packet;
	const names = {}, categories = {}, tracks = new Map();
	const one = (message, field) => {
		assert((message[field] ?? []).length <= 1, `${field} is repeated`);
		return message[field]?.[0];
	};
	assert.equal(packets[0].sequence_flags[0], '1', 'the first packet clears the state of the sequence');
	for (const packet of packets) {
		const interned = one(packet, 'interned_data');
		for (const { iid, name } of interned?.event_names ?? []) {
			names[iid[0]] = name[0];
		}
		for (const { iid, name } of interned?.event_categories ?? []) {
			categories[iid[0]] = name[0];
		}
		const track = one(packet, 'track_descriptor');
		if (track) {
			assert(!tracks.has(track.uuid[0]), 'a track is described twice');
			assert(!track.parent_uuid || tracks.has(track.parent_uuid[0]), 'a track whose parent comes later');
			tracks.set(track.uuid[0], track);
		}
	}
	const events = packets.filter((p) => p.track_event).map((p) => {
		const e = p.track_event[0];
		const track = tracks.get(e.track_uuid[0]);
		assert(track, 'an event without a track');
		assert.equal(p.sequence_flags[0], '2', 'an event that does not need the names');
		return { time: BigInt(p.timestamp[0]), type: e.type[0].replace('TYPE_', ''), track, uuid: e.track_uuid[0],
			name: names[e.name_iid?.[0]], kind: categories[e.category_iids?.[0]], value: Number(e.counter_value?.[0]),
			flows: e.flow_ids ?? [], ends: e.terminating_flow_ids ?? [], args: e.debug_annotations ?? [] };
	});
	for (let i = 1; i < events.length; i++) {
		assert(events[i].time >= events[i - 1].time, 'packets are in the order of time');
	}
	// Nesting on threads, instants on the tracks of their kinds, counters on those of counters.
	let time = 0;
	for (const [uuid, track] of tracks) {
		const mine = events.filter((e) => e.uuid === uuid);
		const slices = nest(mine.filter((e) => e.type.startsWith('SLICE')).map((e) => ({ ...e, begins: e.type === 'SLICE_BEGIN' })),
			`track ${uuid}`);
		assert(slices.length === 0 || track.thread, 'slices are on threads');
		time += callTime(slices);
		if (track.counter) {
			assert(mine.every((e) => e.type === 'COUNTER'), 'a counter track has counters only');
			checkDepths(mine.map((e) => e.value), track.name[0]);
		} else {
			assert(mine.every((e) => e.type !== 'COUNTER'), 'a counter on another track');
		}
	}
	assert.equal(time, outer.total.time, 'perfetto: time of outermost calls');
	const begun = events.filter((e) => e.type === 'SLICE_BEGIN' || e.type === 'INSTANT');
	checkCounts(tally(begun.map((e) => e.kind)), stats, 'perfetto');
	assert(begun.filter((e) => e.kind === 'doorbell').every((e) => e.track.name?.[0].startsWith('channel ')),
		'doorbells are on channels');
	// Flows: from the call, if any, over the doorbell or submission to the completion, if known.
	const flows = group(events.flatMap((e) => [...e.flows, ...e.ends].map((id) => ({ id, e, last: e.ends.includes(id) }))),
		(step) => step.id);
	assert.equal(flows.size, stats.total.submissions, 'a flow for each submission');
	let completed = 0;
	for (const [id, steps] of flows) {
		const middle = steps.filter(({ e }) => e.kind === 'doorbell' || e.name === 'submission');
		const end = steps.filter(({ last }) => last);
		assert.equal(middle.length, 1, `flow ${id}: one submission`);
		assert(end.length <= 1 && end.every(({ e }) => e.name === 'completed'), `flow ${id}: its end`);
		assert.deepEqual(steps.map(({ e, last }) => (last ? 3 : e.kind === 'call' ? 1 : 2)),
			[...steps.map(({ e, last }) => (last ? 3 : e.kind === 'call' ? 1 : 2))].sort(), `flow ${id}: order`);
		assert(steps.length <= 3);
		completed += end.length;
	}
	assert.equal(events.filter((e) => e.type === 'COUNTER').length, 2 * completed, 'two counter values for each completed request');
	const bytes = sum(events.flatMap((e) => e.args.filter((a) => a.uint_value && a.name_iid[0] === '3').map((a) => Number(a.uint_value[0]))));
	assert.equal(bytes, stats.total.bytes, 'perfetto: bytes of commands');
	return completed;
}

function checkChrome(trace, stats, outer, completed) {
	const text = exported(trace, '-f', 'chrome').toString();
	const events = JSON.parse(text).traceEvents;
	// Times have three digits after the point, and JSON's numbers would lose digits.
	const time = (e) => BigInt(String(e.ts.toFixed(3)).replace('.', ''));
	const tracks = new Set();
	for (const e of events) {
		assert(Number.isInteger(e.pid) && Number.isInteger(e.tid), 'an event without a track');
		if (e.ph === 'M') {
			tracks.add(`${e.pid} ${e.tid}`);
		} else {
			assert(tracks.has(`${e.pid} ${e.tid}`), 'an event on a track without a name');
		}
	}
	let total = 0;
	for (const [track, mine] of group(events.filter((e) => e.ph === 'B' || e.ph === 'E'), (e) => `${e.pid} ${e.tid}`)) {
		total += callTime(nest(mine.map((e) => ({ time: time(e), begins: e.ph === 'B', name: e.name, kind: e.cat })), track));
	}
	assert.equal(total, outer.total.time, 'chrome: time of outermost calls');
	checkCounts(tally(events.filter((e) => e.ph === 'B' || e.ph === 'i').map((e) => e.cat)), stats, 'chrome');
	const requests = group(events.filter((e) => 'bne'.includes(e.ph) && e.cat === 'request'), (e) => e.id);
	assert.equal(requests.size, stats.total.submissions, 'chrome: requests');
	for (const [id, [first, second, third]] of requests) {
		assert(!third && (second ? first.ph === 'b' && second.ph === 'e' : first.ph === 'n'), `request ${id}: its ends`);
		assert(!second || time(first) <= time(second), `request ${id}: ends before it begins`);
	}
	assert.equal([...requests.values()].filter((ends) => ends.length === 2).length, completed, 'chrome: completed requests');
	assert.equal(sum([...requests.values()].map(([first]) => first.args.bytes)), stats.total.bytes, 'chrome: bytes of commands');
	for (const [id, [s, f, more]] of group(events.filter((e) => 'sf'.includes(e.ph)), (e) => e.id)) {
		assert(s.ph === 's' && f.ph === 'f' && !more && time(s) <= time(f), `flow ${id}`);
	}
	for (const [name, values] of group(events.filter((e) => e.ph === 'C'), (e) => `${e.pid} ${e.name}`)) {
		checkDepths(values.map((e) => e.args.requests), name);
	}
}

function checkSpeedscope(trace, stats, outer) {
	const file = JSON.parse(exported(trace, '-f', 'speedscope'));
	assert(isSpeedscope(file), JSON.stringify(isSpeedscope.errors?.slice(0, 3)));
	let slices = [];
	for (const profile of file.profiles) {
		const edges = profile.events.map((e) => ({ time: BigInt(e.at), begins: e.type === 'O', name: file.shared.frames[e.frame].name }));
		assert(edges.every((e) => e.name), 'a frame without a name');
		assert.equal(profile.events[0].at, profile.startValue);
		assert.equal(profile.events.at(-1).at, profile.endValue);
		slices = slices.concat(nest(edges, profile.name));
	}
	assert.equal(slices.length, stats.total.calls + stats.total.ioctls + stats.total.waits, 'speedscope: spans');
	for (const row of outer.rows.filter((r) => r.calls > 0)) {
		const mine = slices.filter((s) => s.name === row.call && s.depth === 0);
		assert.equal(Number(sumBig(mine.map((s) => s.time))), row.time, `speedscope: time of ${row.call}`);
	}
}

function checkFolded(trace, stats, outer) {
	const lines = (...args) => exported(trace, '-f', 'folded', ...args).toString().trim().split('\n').map((line) => {
		const [, stack, weight] = line.match(/^(\S.*) (\d+)$/);
		return { frames: stack.split(';'), weight: Number(weight) };
	});
	const stacks = lines();
	for (const row of outer.rows.filter((r) => r.calls > 0)) {
		assert.equal(sum(stacks.filter((s) => s.frames[1] === row.call).map((s) => s.weight)), row.time, `folded: time of ${row.call}`);
	}
	const doorbells = lines('--weight', 'doorbells');
	assert(doorbells.every((s) => s.frames.at(-1) === 'doorbell'));
	assert.equal(sum(doorbells.map((s) => s.weight)), stats.total.doorbells, 'folded: doorbells');
	for (const row of stats.rows.filter((r) => r.calls > 0)) {
		assert.equal(sum(doorbells.filter((s) => s.frames.at(-2) === row.call).map((s) => s.weight)), row.doorbells, `folded: doorbells of ${row.call}`);
	}
	assert.equal(sum(lines('--weight', 'bytes').map((s) => s.weight)), stats.total.bytes, 'folded: bytes of commands');
}

// The database in sqlite3(1); its views against ktail stats.
function checkSqlite(trace, stats, completed) {
	const folder = mkdtempSync(join(tmpdir(), 'export-'));
	const file = join(folder, 'x.sqlite');
	try {
		run(ktail, ['export', ...trace.split(','), '-o', file]);
		const query = (sql) => JSON.parse(run('sqlite3', ['-json', file, sql]).toString() || '[]');
		const one = (sql) => Object.values(query(sql)[0])[0];
		assert.equal(one('PRAGMA integrity_check'), 'ok');
		assert.deepEqual(query('PRAGMA foreign_key_check'), []);
		const kinds = Object.fromEntries(query('SELECT kind, count(*) n FROM events GROUP BY kind').map((r) => [r.kind, r.n]));
		delete kinds.other;
		checkCounts({ ...tally([]), ...kinds }, stats, 'sqlite');
		assert.equal(one('SELECT count(*) FROM submissions'), stats.total.submissions, 'sqlite: submissions');
		assert.equal(one('SELECT count(completed) FROM submissions'), completed, 'sqlite: completed');
		assert.equal(one('SELECT sum(bytes) FROM submissions'), stats.total.bytes, 'sqlite: bytes of commands');
		const commands = Object.fromEntries(query('SELECT kind, count(*) n FROM commands GROUP BY kind').map((r) => [r.kind, r.n]));
		const t = stats.total;
		assert.deepEqual([commands['launch'] ?? 0, commands['empty-grid'] ?? 0, commands['copy-direct'] ?? 0, commands['copy-inline'] ?? 0,
			commands['semaphore-acquire'] ?? 0],
		[t.launches, t.empty_grids, t.direct + t.staged + t.fills, t.inline + t.launch_writes, t.acquires], 'sqlite: commands');
		const totals = query('SELECT * FROM call_totals');
		const rows = stats.rows.filter((r) => r.calls > 0);
		assert.equal(totals.length, rows.length, 'sqlite: functions');
		for (const row of rows) {
			const found = totals.find((r) => r.name === row.call);
			for (const column of ['calls', 'time', 'self', 'ioctls', 'ioctl_time', 'doorbells', 'bytes']) {
				assert.equal(found[column], row[column], `sqlite: ${column} of ${row.call}`);
			}
		}
		assert.equal(one('SELECT count(*) FROM latencies WHERE latency < 0'), 0, 'sqlite: completed before submitted');
		assert.equal(one('SELECT count(*) FROM queue_depths WHERE depth < 1'), completed === 0 ? 0 :
			one('SELECT count(*) FROM submissions WHERE completed = submitted'), 'sqlite: a request is under way when it is submitted');
	} finally {
		rmSync(folder, { recursive: true });
	}
}

// What the specification of OCEL 2.0 requires of JSON, and the events of the timeline in it.
function checkOcel(trace, stats, completed) {
	const log = JSON.parse(exported(trace, '-f', 'ocel'));
	assert.deepEqual(Object.keys(log), ['objectTypes', 'eventTypes', 'objects', 'events']);
	const isOf = { string: (v) => typeof v === 'string', integer: Number.isInteger };
	const attributes = (kinds) => new Map(kinds.map((t) => [t.name, new Map(t.attributes.map((a) => [a.name, a.type]))]));
	const ids = new Set();
	const check = (things, kinds, objects) => {
		for (const thing of things) {
			assert(!ids.has(thing.id), `ocel: two are ${thing.id}`);
			ids.add(thing.id);
			for (const a of thing.attributes) {
				const type = kinds.get(thing.type)?.get(a.name);
				assert(type && isOf[type](a.value), `ocel: attribute ${a.name} of ${thing.id}`);
			}
			assert(kinds.has(thing.type), `ocel: type of ${thing.id}`);
			assert(thing.relationships.every((r) => objects.has(r.objectId) && r.qualifier), `ocel: relationships of ${thing.id}`);
		}
	};
	const objects = new Map(log.objects.map((o) => [o.id, o]));
	assert.equal(new Set(log.eventTypes.map((t) => t.name)).size, log.eventTypes.length, 'ocel: an event type is there twice');
	check(log.objects, attributes(log.objectTypes), objects);
	check(log.events, attributes(log.eventTypes), objects);
	const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/;
	assert(log.events.every((e) => time.test(e.time) && e.relationships.length > 0), 'ocel: times, and an object for each event');
	const kind = (e) => e.attributes.find((a) => a.name === 'kind').value;
	checkCounts(tally(log.events.map(kind)), stats, 'ocel');
	assert.equal(log.events.filter((e) => e.type === 'completed').length, completed, 'ocel: completed');
	const related = (e, type) => e.relationships.filter((r) => r.qualifier === type && objects.get(r.objectId).type === type).length;
	assert(log.events.every((e) => related(e, 'process') === 1 && related(e, 'thread') <= 1), 'ocel: one process');
	assert(log.events.every((e) => related(e, 'channel') === Number(kind(e) === 'doorbell' || kind(e) === 'completion')),
		'ocel: doorbells and completions have a channel');
	assert(log.events.every((e) => related(e, 'context') <= related(e, 'channel')), 'ocel: contexts are those of channels');
	return log.objects.filter((o) => o.type === 'stream').length;
}

const hasSqlite = run(ktail, ['export', '--version']).toString().includes('sqlite3');

for (const trace of traces) {
	const began = Date.now();
	const stats = JSON.parse(run(ktail, ['stats', '-f', 'json', ...trace.split(',')]));
	const outer = JSON.parse(run(ktail, ['stats', '--outer', '-f', 'json', ...trace.split(',')]));
	checkFolded(trace, stats, outer);
	checkSpeedscope(trace, stats, outer);
	const completed = checkPerfetto(trace, stats, outer);
	checkChrome(trace, stats, outer, completed);
	const streams = checkOcel(trace, stats, completed);
	assert.equal(streams > 0, stats.rows.some((r) => /Stream(Synchronize|WaitEvent)|GraphLaunch/.test(r.call)), 'ocel: streams');
	if (hasSqlite) {
		checkSqlite(trace, stats, completed);
	}
	console.log(`ok ${basename(trace)}: ${stats.total.submissions} requests, ${completed} completed (${Date.now() - began} ms)`);
}
