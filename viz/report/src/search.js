// SPDX-License-Identifier: MIT
// The search in the head of the page: events by number or name, calls, ioctls, channels, letters, states.

import { CALL, KINDS } from './data.js';
import { el, fill } from './dom.js';
import { count, cut, moment } from './format.js';
import { machineAt } from './machine.js';

const MOST = 12;

export function makeSearch(data, state, go) {
	const names = [];
	KINDS.forEach((kind, k) => {
		if (k > 1) {
			return;
		}
		const counts = new Map();
		data.byKind[k].forEach((i) => counts.set(data.nameIndex[i], (counts.get(data.nameIndex[i]) ?? 0) + 1));
		[...counts].sort((a, b) => b[1] - a[1]).forEach(([name, n]) => names.push({ text: data.raw.names[name], kind: kind.name, note: count(n, 'event'),
			selection: { type: 'name', kind: k, name } }));
	});
	data.raw.channels.forEach((channel, id) => names.push({ text: channel.name, kind: 'channel', note: channel.class, selection: { type: 'channel', id } }));
	data.raw.letters.forEach((l, id) => names.push({ text: l.name && l.name !== l.letter ? `${l.letter} ${l.name}` : l.letter, kind: 'letter',
		note: l.label ?? '', selection: { type: 'letter', id } }));

	function numbered(text) {
		const found = [];
		const doorbell = /^(?:doorbell|db|#)\s*#?(\d+)$/.exec(text);
		if (doorbell) {
			data.doorbells.forEach((list, t) => {
				const i = list[Number(doorbell[1]) - 1];
				if (i !== undefined) {
					const caller = data.call[i];
					found.push({ text: data.title(i), kind: data.raw.traces.length > 1 ? data.raw.traces[t].name : 'doorbell',
						note: `${caller >= 0 ? `in ${data.title(caller)}, ` : ''}at ${moment(data.at[i])}`, selection: { type: 'event', id: i } });
				}
			});
		}
		const call = /^(.*?)\s*#\s*(\d+)$/.exec(text);
		if (call?.[1]) {
			for (const i of data.byKind[CALL]) {
				if (data.number(i) === Number(call[2]) && data.name(i).toLowerCase().includes(call[1])) {
					found.push({ text: data.title(i), kind: 'call', note: `at ${moment(data.at[i])}`, selection: { type: 'event', id: i } });
				}
				if (found.length >= MOST) {
					break;
				}
			}
		}
		const s = /^(?:state|s)\s*(\d+)$/.exec(text);
		if (s && data.raw.machines.length) {
			const m = machineAt(data, state.k);
			if (m.states[s[1]]) {
				found.push({ text: `state ${s[1]}`, kind: 'state', note: m.states[s[1]].label ?? '', selection: { type: 'state', id: Number(s[1]) } });
			}
		}
		return found;
	}

	let results = [], at = -1;
	const list = el('ul', { id: 'results', role: 'listbox', 'aria-label': 'Results', hidden: true });
	const input = el('input', { type: 'search', id: 'search', role: 'combobox', 'aria-expanded': 'false', 'aria-controls': 'results',
		'aria-autocomplete': 'list', 'aria-label': 'Search: doorbell 14, a call, an ioctl, a channel, a letter, a state', autocomplete: 'off', spellcheck: 'false',
		placeholder: 'doorbell 14, cuGraphLaunch #2, channel, letter …' });
	function mark() {
		[...list.children].forEach((item, i) => item.setAttribute('aria-selected', String(i === at)));
		input.setAttribute('aria-activedescendant', at >= 0 ? `result-${at}` : '');
		list.children[at]?.scrollIntoView({ block: 'nearest' });
	}
	function draw() {
		const text = input.value.trim().toLowerCase();
		results = text ? [...numbered(text), ...names.filter((n) => n.text.toLowerCase().includes(text) || (n.note ?? '').toLowerCase().includes(text))
			.sort((a, b) => Number(b.text.toLowerCase().startsWith(text)) - Number(a.text.toLowerCase().startsWith(text)))].slice(0, MOST) : [];
		at = results.length ? 0 : -1;
		fill(list, results.map((r, i) => el('li', { id: `result-${i}`, role: 'option', onpointerdown: (event) => { event.preventDefault(); take(i); } },
			el('b', {}, cut(r.text, 60)), el('span', { class: 'kind' }, r.kind), el('small', {}, cut(r.note ?? '', 70)))),
		text && !results.length ? el('li', { class: 'none', role: 'option', 'aria-disabled': 'true' }, data.raw.left_out ? 'Nothing found in what this file holds' : 'Nothing found') : null);
		list.hidden = !text;
		input.setAttribute('aria-expanded', String(!list.hidden));
		mark();
	}
	function close() {
		list.hidden = true;
		input.setAttribute('aria-expanded', 'false');
	}
	function take(i) {
		const { selection } = results[i];
		close();
		input.value = '';
		state.set({ selection });
		const tab = { event: 'timeline', state: 'machine', letter: 'machine' }[selection.type];
		if (tab && !(tab === 'timeline' && state.tab === 'machine')) {
			go(tab);
		}
		document.getElementById('inspector').focus();
	}
	input.addEventListener('input', draw);
	input.addEventListener('blur', close);
	input.addEventListener('keydown', (event) => {
		if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
			event.preventDefault();
			if (results.length) {
				at = (at + (event.key === 'ArrowDown' ? 1 : -1) + results.length) % results.length;
				mark();
			}
		} else if (event.key === 'Enter' && at >= 0) {
			event.preventDefault();
			take(at);
		} else if (event.key === 'Escape') {
			close();
			input.value = '';
		}
	});
	document.addEventListener('keydown', (event) => {
		if (event.key === '/' && !/^(input|select|textarea)$/i.test(document.activeElement?.tagName ?? '')) {
			event.preventDefault();
			input.focus();
		}
	});
	return el('div', { class: 'search', role: 'search' }, input, list);
}
