// SPDX-License-Identifier: MIT
// What is selected, in full: an event, a request, a wait, a state, a transition, a letter, a name, a
// channel. Everything it names can be selected in turn.

import { CALL, DOORBELL, KINDS } from './data.js';
import { announce, button, el, fill } from './dom.js';
import { bytes, count, cut, group, moment, share, time } from './format.js';
import { machineAt } from './machine.js';
import { makeTable } from './table.js';
import { walk } from './walk.js';

const AROUND = 6;
const LISTED = 60;
const COURSE = 40; // events of a call's course that are shown

const median = (sorted) => (sorted.length ? sorted[sorted.length >> 1] : 0);

export function makeInspector(data, state, element, go) {
	const link = (type, id, text, attributes) => button(text, () => state.choose(type, { id }), { class: 'link', ...attributes });
	const eventLink = (i) => link('event', i, cut(data.title(i), 60));
	const machine = () => (data.raw.machines.length ? machineAt(data, state.k) : null);

	const facts = (pairs) => {
		const known = pairs.filter(([, value]) => value !== null && value !== undefined && value !== '' && value !== false);
		return known.length ? el('dl', {}, known.map(([name, value]) => [el('dt', {}, name), el('dd', {}, value)])) : null;
	};
	const section = (title, ...content) => el('section', {}, el('h3', {}, title), content);
	const more = (total, shown) => (total > shown ? el('p', { class: 'note' }, `and ${group(total - shown)} more`) : null);

	function chain(i) {
		const callers = data.callers(i);
		if (callers.length) {
			return callers.map((c, n) => [n ? ' in ' : '', eventLink(c)]);
		}
		return data.kind[i] === CALL ? null : data.hasCalls[data.traceOf(i)] ? 'outside calls' : 'unknown: the trace has no API calls';
	}

	function listing(title, events, { base, within } = {}) {
		if (!events.length) {
			return null;
		}
		const shown = events.slice(0, LISTED);
		return section(title, el('ol', { class: 'events' }, shown.map((i) => el('li', { 'aria-current': i === base ? 'true' : null },
			el('i', { class: `swatch fill-${KINDS[data.kind[i]].colour}` }), eventLink(i),
			within && data.call[i] >= 0 ? el('small', {}, ` in ${cut(data.title(data.call[i]), 40)}`) : null,
			el('span', { class: 'when' }, base === undefined ? moment(data.at[i]) : i === base ? moment(data.at[i])
				: `${data.at[i] >= data.at[base] ? '+' : '−'}${time(Math.abs(data.at[i] - data.at[base]))}`)))), more(events.length, shown.length));
	}

	function around(i) {
		const r = data.rank[i];
		const before = [], after = [];
		for (let p = r - 1; p >= 0 && before.length < AROUND; p--) {
			if (data.thread[data.order[p]] === data.thread[i]) {
				before.unshift(data.order[p]);
			}
		}
		for (let p = r + 1; p < data.n && after.length < AROUND; p++) {
			if (data.thread[data.order[p]] === data.thread[i]) {
				after.push(data.order[p]);
			}
		}
		return listing('Events around', [...before, i, ...after], { base: i });
	}

	// The doorbells in a call, in calls within it, too.
	function doorbellsIn(i) {
		const found = [];
		const visit = (c, depth) => {
			for (const e of data.children.of(c)) {
				if (data.kind[e] === DOORBELL) {
					found.push(e);
				} else if (data.kind[e] === CALL && depth < 64) {
					visit(e, depth + 1);
				}
			}
		};
		visit(i, 0);
		return found;
	}

	function breakdown(calls) {
		const parts = new Map();
		let whole = 0, inside = 0;
		for (const c of calls) {
			whole += data.duration(c);
			for (const e of data.children.of(c)) {
				const single = data.duration(e) > 0 || data.kind[e] <= 1;
				const key = single ? `${data.kind[e]} ${data.nameIndex[e]}` : `k${data.kind[e]}`;
				const part = parts.get(key) ?? { label: single ? data.name(e) : KINDS[data.kind[e]].plural, kind: KINDS[data.kind[e]].colour, n: 0, time: 0 };
				part.n++;
				part.time += data.duration(e);
				inside += data.duration(e);
				parts.set(key, part);
			}
		}
		if (!whole) {
			return null;
		}
		const list = [...parts.values(), { label: 'in the call itself', kind: 'call', n: calls.length, time: Math.max(0, whole - inside) }]
			.filter((part) => part.time || calls.length > 1) // the course of one call has each of its events
			.sort((a, b) => b.time - a.time || b.n - a.n);
		return section('Where its time goes', el('table', { class: 'parts' }, el('thead', {}, el('tr', {}, ['part', 'count', 'time', 'share'].map((h, i) =>
			el('th', { scope: 'col', class: i ? 'number' : null }, h)))), el('tbody', {}, list.slice(0, 14).map((part) => {
			const bar = el('i', { class: `bar fill-${part.kind}` });
			bar.style.width = `${Math.min(100, 100 * part.time / whole)}%`;
			return el('tr', {}, el('th', { scope: 'row' }, cut(part.label, 44), bar), el('td', { class: 'number' }, group(part.n)),
				el('td', { class: 'number' }, part.time ? time(part.time) : '–'), el('td', { class: 'number' }, share(part.time, whole)));
		}))), more(list.length, 14));
	}

	// The course of calls: the events within, and the time from one to the next. Of several calls, those
	// with the most frequent course are taken, and medians.
	function course(calls) {
		const groups = new Map();
		for (const c of calls) {
			const inside = data.children.of(c);
			const key = Array.from(inside.subarray(0, COURSE), (e) => `${data.kind[e]} ${data.nameIndex[e]}`).join();
			const same = groups.get(key);
			if (same) {
				same.push(c);
			} else {
				groups.set(key, [c]);
			}
		}
		const most = [...groups.values()].sort((a, b) => b.length - a.length)[0];
		const steps = most && data.children.of(most[0]).subarray(0, COURSE);
		if (!steps?.length) {
			return null;
		}
		const middle = (values) => median(Float64Array.from(values).sort());
		const whole = middle(most.map((c) => data.duration(c))) || 1;
		const entry = (gap, kind, content, at) => {
			const bar = el('i', { class: `bar fill-${kind}` });
			bar.style.width = `${Math.min(100, Math.max(0, 100 * gap / whole))}%`;
			return el('li', {}, el('i', { class: `swatch fill-${kind}` }), el('span', {}, content), el('span', { class: 'when' }, `+${time(at)}`),
				el('b', { class: 'when' }, `${time(gap)}`), bar);
		};
		const nth = (c, i) => data.children.of(c)[i];
		const before = (c, i) => (i ? data.end[nth(c, i - 1)] : data.at[c]);
		const list = Array.from(steps, (e, i) => entry(middle(most.map((c) => Math.max(0, data.at[nth(c, i)] - before(c, i)) + data.duration(nth(c, i)))),
			KINDS[data.kind[e]].colour, most.length === 1 ? eventLink(e) : data.kind[e] === DOORBELL ? 'doorbell' : [data.name(e), el('small', {}, ` ${data.label(e)}`)],
			middle(most.map((c) => data.end[nth(c, i)] - data.at[c]))));
		const end = entry(middle(most.map((c) => Math.max(0, data.end[c] - data.end[nth(c, steps.length - 1)]))), 'call',
			steps.length < data.children.of(most[0]).length ? 'what follows' : 'returns', middle(most.map((c) => data.duration(c))));
		return section(calls.length > 1 ? `Course of ${group(most.length)} of ${group(calls.length)} calls` : 'Its course',
			el('ol', { class: 'course' }, list, end), el('p', { class: 'note' }, `When, since the call began, and how long since the event before${most.length > 1 ? '; medians' : ''}.`));
	}

	// The program notices that a request is done, by a sign, some time after the device has completed it.
	const noticedAfter = (r) => (r.completed < 0 ? 'completion not noticed'
		: `noticed after ${time(r.completed - r.submitted)}${r.sign ? ` (${r.sign})` : ''}`);
	function requestList(requests, title = 'What it submitted') {
		if (!requests.length) {
			return null;
		}
		return section(title, el('ul', { class: 'requests' }, requests.slice(0, LISTED).map((r) => el('li', {},
			link('request', r.id, cut([r.name || 'request', r.kernel].filter(Boolean).join(' '), 90)), el('small', {}, [
				r.launches ? count(r.launches, 'launch', 'launches') : '', r.copied ? `copies ${bytes(r.copied)}` : '', r.bytes ? `${bytes(r.bytes)} of commands` : '', r.device >= 0 ? `${time(r.device)} on the device` : '', noticedAfter(r),
			].filter(Boolean).join(', ')), r.commands ? el('div', { class: 'commands' }, r.commands) : null))), more(requests.length, LISTED));
	}

	function showEvent({ id: i }) {
		const kind = data.kind[i];
		const m = machine();
		const t = m ? walk(data, m).edgeOf(i) : -1;
		const w = data.wordOf[i];
		const letter = w >= 0 ? data.raw.words[w].letters[data.positionOf[i]] : -1;
		const requests = data.requestsOf.get(i) ?? [];
		const doorbells = kind === CALL ? doorbellsIn(i) : [];
		const submitted = doorbells.reduce((sum, d) => sum + data.bytes(d), 0);
		const c = data.channel[i];
		return [KINDS[kind].name, data.title(i), [
			facts([
				['in call', chain(i)],
				['at', moment(data.at[i])],
				['took', data.duration(i) ? time(data.duration(i)) : null],
				['channel', c >= 0 ? [link('channel', c, data.channelName(c)), el('small', {}, ` ${data.raw.channels[c]?.class ?? ''}`)] : null],
				['thread', data.threadName(data.thread[i])],
				['meaning', data.label(i)],
				['contents', data.detail(i)],
				['submits', kind === CALL && doorbells.length ? `${count(doorbells.length, 'doorbell')}${submitted ? `, ${bytes(submitted)} of commands` : ''}` : null],
				['letter', letter >= 0 ? link('letter', letter, data.letterName(letter)) : null],
				['transition', t >= 0 ? [link('edge', t, `${m.transitions[t][0]} → ${m.transitions[t][1]}`), ` at k = ${m.k}`] : null],
				['word', w >= 0 ? `letter ${group(data.positionOf[i] + 1)} of ${data.raw.words[w].name}` : null],
				['trace', data.raw.traces.length > 1 ? data.traceName(data.traceOf(i)) : null],
			]),
			requestList(requests),
			data.dwords.has(i) ? section('Its dwords', el('pre', { class: 'dwords', tabindex: 0 }, data.dwords.get(i).replace(/(.{8})(.{8})?(.{8})?(.{8})?/g, '$1 $2 $3 $4\n'))) : null,
			kind === CALL ? [course([i]), breakdown([i])] : null,
			listing('Its doorbells', doorbells),
			kind === CALL ? el('p', {}, button(`All ${data.name(i)} calls`, () => state.choose('name', { kind, name: data.nameIndex[i] }), { class: 'link' })) : null,
			around(i),
		]];
	}

	function showRequest({ id }) {
		const r = data.requests[id];
		const d = r.doorbell;
		return ['request', r.name || 'request', [
			facts([
				['in call', d >= 0 ? chain(d) : null],
				['doorbell', d >= 0 ? eventLink(d) : null],
				['submitted', moment(r.submitted)],
				['completion noticed', r.completed >= 0 ? moment(r.completed) : 'not noticed'],
				['noticed after', r.completed >= 0 ? time(r.completed - r.submitted) : null],
				['noticed by', r.sign],
				['took on the device', r.device >= 0 ? time(r.device) : null],
				['kernel', r.kernel],
				['launches', r.launches ? group(r.launches) : null],
				['commands', r.commands],
				['size', r.bytes ? bytes(r.bytes) : null],
				['copies', r.copied ? bytes(r.copied) : null],
				['channel', r.channel >= 0 ? link('channel', r.channel, data.channelName(r.channel)) : null],
			]), d >= 0 ? around(d) : null]];
	}

	function spread(values) {
		const sorted = Float64Array.from(values).sort();
		return sorted.length > 1 ? `${time(sorted[0])}, ${time(median(sorted))}, ${time(sorted.at(-1))}` : sorted.length ? time(sorted[0]) : null;
	}

	// The evidence: which events went over some transitions, and in which calls.
	function evidence(m, transitions) {
		const path = walk(data, m);
		const passes = transitions.flatMap((t) => Array.from(path.passes.of(t), (p) => path.locate(p)));
		const events = passes.map((p) => p.event).filter((e) => e >= 0);
		const calls = new Map();
		events.forEach((e) => {
			const caller = data.call[e];
			const key = caller >= 0 ? data.nameIndex[caller] : -1;
			calls.set(key, (calls.get(key) ?? 0) + 1);
		});
		const gaps = passes.map(({ word, position, event }) => {
			const before = position ? data.raw.words[word].event_of?.[position - 1] ?? -1 : -1;
			return event >= 0 && before >= 0 ? Math.max(0, data.at[event] - data.end[before]) : null;
		}).filter((gap) => gap !== null);
		const details = new Map();
		events.forEach((e) => {
			const text = data.detail(e);
			if (text) {
				details.set(text, (details.get(text) ?? 0) + 1);
			}
		});
		const words = new Set(passes.map((p) => p.word));
		const taken = transitions.reduce((sum, t) => sum + m.transitions[t][3], 0);
		const top = (map) => [...map].sort((a, b) => b[1] - a[1]);
		const rows = passes.map((p) => Object.assign([p.event >= 0 ? data.title(p.event) : '–', p.event >= 0 ? data.at[p.event] : null,
			p.event >= 0 && data.call[p.event] >= 0 ? data.title(data.call[p.event]) : '', data.raw.words[p.word].name], p));
		return { events, words, rows, content: [
			gaps.length ? section('Times', facts([
				['since previous', spread(gaps)],
				['duration', spread(events.map((e) => data.duration(e)).filter(Boolean))]]),
			el('p', { class: 'note' }, 'Least, median and most.')) : null,
			calls.size ? section('In calls', el('ul', { class: 'plain' }, top(calls).slice(0, 8).map(([name, n]) => el('li', {},
				name >= 0 ? button(data.raw.names[name], () => state.choose('name', { kind: CALL, name }), { class: 'link' }) : 'outside calls',
				el('small', {}, ` ${group(n)} of ${group(events.length)}`)))), more(calls.size, 8)) : null,
			details.size ? section('Contents', el('ul', { class: 'plain' }, top(details).slice(0, 6).map(([text, n]) => el('li', {}, cut(text, 120),
				el('small', {}, ` ×${group(n)}`)))), more(details.size, 6)) : null,
			section(`Evidence: ${count(rows.length, 'event')} in ${count(words.size, 'word')}`, taken > rows.length ? el('p', { class: 'note' },
				rows.length ? `Of ${group(taken)}: the others are not in this file.` : `The ${count(taken, 'event')} of it are not in this file.`) : null, rows.length ? makeTable({ title: 'Evidence', columns: [
				{ name: 'event', type: 'text' }, { name: 'at', unit: 'ns', type: 'number' }, { name: 'in call', type: 'text' },
				...words.size > 1 ? [{ name: 'word', type: 'text' }] : []], rows },
			{ compact: true, noun: 'event', sort: [1, 1], onrow: (row) => row.event >= 0 && state.choose('event', { id: row.event }) }).element : null),
		] };
	}

	const letterFacts = (letter) => {
		const l = data.raw.letters[letter];
		return [['letter', el('code', {}, l.letter)], ['name', l.name && l.name !== l.letter ? l.name : null], ['meaning', l.label || null], ['role', data.role(l.role) || null]];
	};
	const meaning = (m, t) => data.named(m.transitions[t][4] ?? -1) || data.raw.letters[m.transitions[t][2]].label || '';
	// With two sides: which of them takes some transitions.
	const sidesOf = (m, ids) => {
		const sides = ids.reduce((set, t) => set | walk(data, m).sides[t], 0);
		return data.raw.sides && sides ? (sides === 3 ? 'both sides' : `only ${data.raw.sides[sides - 1]}`) : null;
	};
	const edgeLink = (m, t) => [link('edge', t, data.letterName(m.transitions[t][2])), el('small', {}, ` ×${group(m.transitions[t][3])}`)];

	function showEdge({ id: t }) {
		const m = machine();
		const [from, to, letter, n, , role] = m.transitions[t];
		const out = m.transitions.filter(([f]) => f === from).reduce((sum, e) => sum + e[3], 0);
		const { content } = evidence(m, [t]);
		const state_ = (s) => [link('state', s, `state ${s}`), m.states[s].label ? ` ${m.states[s].label}` : ''];
		return ['transition', data.letterName(letter), [
			facts([...letterFacts(letter).slice(0, 2), ['meaning', meaning(m, t)],
				['taken by', sidesOf(m, [t])],
				['role', [data.role(role ?? data.raw.letters[letter].role), walk(data, m).points[t] ? `${walk(data, m).points[t]} point` : ''].filter(Boolean).join(', ')], ['from', state_(from)], ['to', state_(to)],
				['taken', `${count(n, 'time')}, ${share(n, out)} of the ways out of state ${from}`],
				['elsewhere', link('letter', letter, `${count(m.transitions.filter((e) => e[2] === letter).length, 'transition')} with this letter`)]]),
			content]];
	}

	// Transitions that lead from one phase to another, or stay in one: the most frequent first.
	function showWay({ ids, title }) {
		const m = machine();
		const list = [...ids].sort((a, b) => m.transitions[b][3] - m.transitions[a][3]);
		return ['transitions', title, [
			facts([['transitions', group(ids.length)], ['taken by', sidesOf(m, ids)], ['taken', count(ids.reduce((sum, t) => sum + m.transitions[t][3], 0), 'time')]]),
			section('Most frequent', el('ul', { class: 'plain' }, list.slice(0, 12).map((t) => el('li', {}, edgeLink(m, t), el('small', {}, ` ${meaning(m, t)}`)))), more(list.length, 12)),
			evidence(m, ids).content]];
	}

	function showPhase({ id: phase }) {
		const m = machine();
		const states = m.states.flatMap((s, i) => ((s.phase || 'none') === phase ? [i] : []));
		const inside = new Set(states);
		const ids = m.transitions.flatMap(([, to], t) => (inside.has(to) ? [t] : []));
		const labels = new Map();
		states.forEach((s) => labels.set(m.states[s].label ?? '', (labels.get(m.states[s].label ?? '') ?? 0) + (m.states[s].visits ?? 0)));
		return ['phase', phase === 'none' ? 'no phase' : phase.toLowerCase(), [
			facts([['states', group(states.length)], ['visits', group(states.reduce((sum, s) => sum + (m.states[s].visits ?? 0), 0))]]),
			section('What happens', el('ul', { class: 'plain' }, [...labels].sort((a, b) => b[1] - a[1]).slice(0, 12).map(([label, n]) =>
				el('li', {}, label || 'unknown', el('small', {}, ` ×${group(n)}`)))), more(labels.size, 12)),
			section('States', el('ul', { class: 'plain' }, [...states].sort((a, b) => (m.states[b].visits ?? 0) - (m.states[a].visits ?? 0)).slice(0, 12).map((s) =>
				el('li', {}, link('state', s, `state ${s}`), ` ${m.states[s].label ?? ''}`, el('small', {}, ` ×${group(m.states[s].visits ?? 0)}`)))), more(states.length, 12)),
			evidence(m, ids).content]];
	}

	// A chain, or parallel transitions, that the drawing has as one edge.
	function showEdges({ ids, chain, title }) {
		if (title) {
			return showWay({ ids, title });
		}
		const m = machine();
		const [from] = m.transitions[ids[0]];
		const [, to] = m.transitions[ids.at(-1)];
		return [chain ? 'chain' : 'parallel transitions', `${group(ids.length)} letters, state ${from} to ${to}`, [
			facts([['taken by', sidesOf(m, ids)]]),
			section(chain ? 'Letters, in order' : 'Letters', el('ol', { class: 'plain numbered' }, ids.slice(0, 4 * LISTED).map((t) => el('li', {}, edgeLink(m, t),
				el('small', {}, ` ${meaning(m, t)}`)))), more(ids.length, 4 * LISTED)),
			evidence(m, ids).content]];
	}

	function showState({ id: s }) {
		const m = machine();
		const { label, phase, final } = m.states[s];
		const all = m.transitions.map((_, t) => t);
		const into = all.filter((t) => m.transitions[t][1] === s);
		const out = all.filter((t) => m.transitions[t][0] === s);
		const ways = (title, list, other) => (list.length ? section(title, el('ul', { class: 'plain' }, list
			.sort((a, b) => m.transitions[b][3] - m.transitions[a][3]).slice(0, LISTED).map((t) => el('li', {}, edgeLink(m, t),
				other === s ? null : [title === 'Ways in' ? ' from ' : ' to ', link('state', m.transitions[t][title === 'Ways in' ? 0 : 1],
					`state ${m.transitions[t][title === 'Ways in' ? 0 : 1]}`)]))), more(list.length, LISTED)) : null);
		return ['state', `State ${s}`, [
			facts([['meaning', label], ['visits', m.states[s].visits !== undefined ? group(m.states[s].visits) : null], ['phase', phase?.toLowerCase()], ['words', [s === m.initial ? 'begin here' : '', final ? 'end here' : ''].filter(Boolean).join(', ')]]),
			ways('Ways in', into), ways('Ways out', out), into.length ? evidence(m, into).content : null]];
	}

	function showLetter({ id: letter }) {
		const m = machine();
		const list = m ? m.transitions.map((_, t) => t).filter((t) => m.transitions[t][2] === letter) : [];
		return ['letter', data.letterName(letter), [facts(letterFacts(letter)),
			list.length ? section(count(list.length, 'transition'), el('ul', { class: 'plain' }, list.sort((a, b) => m.transitions[b][3] - m.transitions[a][3])
				.slice(0, 12).map((t) => el('li', {}, link('edge', t, `${m.transitions[t][0]} → ${m.transitions[t][1]}`),
					el('small', {}, ` ×${group(m.transitions[t][3])}`)))), more(list.length, 12)) : null,
			m ? evidence(m, list).content : null]];
	}

	function showName({ kind, name }) {
		const events = Array.from(data.byKind[kind]).filter((i) => data.nameIndex[i] === name);
		const total = events.reduce((sum, i) => sum + data.duration(i), 0);
		const doorbells = kind === CALL ? events.flatMap(doorbellsIn) : [];
		const submitted = doorbells.reduce((sum, d) => sum + data.bytes(d), 0);
		const callers = new Map();
		events.forEach((i) => data.call[i] >= 0 && callers.set(data.nameIndex[data.call[i]], (callers.get(data.nameIndex[data.call[i]]) ?? 0) + 1));
		const rows = events.map((i) => Object.assign([data.title(i), data.at[i], data.duration(i)], { event: i }));
		return [`${KINDS[kind].name}, all`, data.raw.names[name], [
			facts([['count', group(events.length)], ['time', total ? `${time(total)} in all` : null], ['least, median, most', total ? spread(events.map((i) => data.duration(i))) : null],
				['submits', doorbells.length ? `${count(doorbells.length, 'doorbell')}${submitted ? `, ${bytes(submitted)} of commands` : ''}` : null],
				['in calls', callers.size ? [...callers].sort((a, b) => b[1] - a[1]).slice(0, 6).map(([n, times], i) => [i ? ', ' : '',
					button(data.raw.names[n], () => state.choose('name', { kind: CALL, name: n }), { class: 'link' }), el('small', {}, ` ×${group(times)}`)]) : null]]),
			kind === CALL ? [breakdown(events), course(events)] : null,
			kind === CALL ? el('p', {}, button('Open in the flame graph', () => go('time', { kind, name }))) : null,
			section(count(events.length, 'event'), makeTable({ title: `All ${data.raw.names[name]}`, columns: [
				{ name: 'event', type: 'text' }, { name: 'at', unit: 'ns', type: 'number' }, { name: 'took', unit: 'ns', type: 'number' }], rows },
			{ compact: true, noun: 'event', sort: total ? [2, -1] : [1, 1], onrow: (row) => state.choose('event', { id: row.event }) }).element)]];
	}

	function showChannel({ id: c }) {
		const channel = data.raw.channels[c];
		const doorbells = Array.from(data.byKind[DOORBELL]).filter((i) => data.channel[i] === c);
		const requests = data.requests.filter((r) => r.channel === c);
		const sum = requests.reduce((total, r) => total + r.bytes, 0);
		return ['channel', channel.name, [
			facts([['class', channel.class], ['doorbells', group(doorbells.length)], ['requests', group(requests.length)], ['commands', sum ? bytes(sum) : null],
				['trace', data.raw.traces.length > 1 ? data.traceName(channel.trace ?? 0) : null]]),
			listing('Doorbells', doorbells, { within: true }), requestList(requests, 'Requests')]];
	}

	const SHOW = { event: showEvent, request: showRequest, edge: showEdge, edges: showEdges, phase: showPhase, state: showState, letter: showLetter, name: showName, channel: showChannel };

	const back = [];
	function draw() {
		const s = state.selection;
		const within = element.contains(document.activeElement);
		if (!s) {
			fill(element, el('div', { class: 'nothing' }, el('h2', {}, 'Nothing selected'), el('p', {},
				'Select an event, a doorbell, a call, a state or a transition in any view: what is known of it stands here.'),
			el('p', {}, 'Or search, for example for ', el('q', {}, data.doorbells[0]?.length ? 'doorbell 1' : 'a name'), ' (key ', el('kbd', {}, '/'), ').')));
			return;
		}
		const [kind, title, content] = SHOW[s.type](s);
		const inTime = ['event', 'request'].includes(s.type);
		const inMachine = ['edge', 'edges', 'phase', 'state', 'letter'].includes(s.type) || (s.type === 'event' && machine() && walk(data, machine()).edgeOf(s.id) >= 0);
		fill(element, el('header', {}, el('p', { class: 'kind' }, kind), el('h2', {}, title),
			el('div', { class: 'actions' },
				back.length > 1 ? button('← Back', () => { back.pop(); const last = back.pop(); state.set({ selection: last }); }, { class: 'quiet' }) : null,
				inTime ? button('In the timeline', () => go('timeline')) : null,
				inMachine ? button('In the machine', () => go('machine')) : null,
				button('×', () => state.set({ selection: null }), { class: 'quiet close', 'aria-label': 'Clear the selection' }))), content);
		element.scrollTop = 0;
		announce(`Selected ${kind} ${title}`);
		if (within) {
			// The link that was followed is gone: reading goes on at the head of what it led to.
			element.focus();
		}
	}
	state.on(['selection'], () => {
		if (state.selection) {
			back.push(state.selection);
		} else {
			back.length = 0;
		}
		draw();
	});
	state.on(['k'], draw);
	draw();
}
