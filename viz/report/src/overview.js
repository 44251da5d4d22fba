// SPDX-License-Identifier: MIT
// What was recorded, what was lost, what the file holds, and where to begin.

import { CALL, DOORBELL, IOCTL, KINDS } from './data.js';
import { button, el } from './dom.js';
import { bytes, count, group, time } from './format.js';
import { factsTable } from './compare.js';
import { figure } from './figures.js';
import { machineAt } from './machine.js';
import { makeTable } from './table.js';

const MOST_BESIDE = 3; // traces whose facts are columns of a table

// Facts that say that something is missing are marked.
const isLoss = ([name, value]) => /lost|discard|gap|missing|damaged|truncated/i.test(name) && !/^(0|none|no|nothing|)$/i.test(String(value).trim());

export function makeOverview(data, state, go) {
	const { raw } = data;
	const m = raw.machines.length ? machineAt(data, state.k) : null;
	const sum = data.requests.reduce((total, r) => total + r.bytes, 0);
	const inFile = raw.left_out ? ' in this file' : '';
	const tile = (value, text, tab) => el('li', {}, button([el('b', {}, value), el('span', {}, text)], () => go(tab)));
	const tiles = el('ul', { class: 'tiles' }, tile(time(data.last - data.first), 'recorded', 'timeline'),
		tile(group(data.n), `${raw.left_out ? `of ${group(data.n + raw.left_out)} ` : ''}events of the timeline`, 'timeline'),
		[CALL, IOCTL, DOORBELL].map((k) => tile(group(data.byKind[k].length), KINDS[k].plural + inFile, k === DOORBELL ? 'timeline' : 'tables')),
		data.requests.length ? tile(group(data.requests.length), `requests${inFile}`, 'timeline') : null,
		sum ? tile(bytes(sum), `of commands${inFile}`, 'time') : null,
		m ? tile(group(m.states.length), `states at k = ${m.k}`, 'machine') : null);

	const totals = new Map();
	data.byKind[CALL].forEach((i) => {
		if (data.call[i] < 0) {
			const t = totals.get(data.nameIndex[i]) ?? [0, 0];
			totals.set(data.nameIndex[i], [t[0] + data.duration(i), t[1] + 1]);
		}
	});
	const whole = [...totals.values()].reduce((a, [ns]) => a + ns, 0);
	const top = [...totals].sort((a, b) => b[1][0] - a[1][0]).slice(0, 8);
	const slowest = top.length ? el('section', {}, el('h2', {}, 'Calls that took longest'), el('ol', { class: 'top' }, top.map(([name, [ns, n]]) => {
		const bar = el('i', { class: 'bar fill-call' });
		bar.style.width = `${100 * ns / (top[0][1][0] || 1)}%`;
		return el('li', {}, button(raw.names[name], () => state.choose('name', { kind: CALL, name }), { class: 'link' }), el('small', {}, `×${group(n)}`),
			el('span', { class: 'when' }, time(ns)), bar);
	})), el('p', { class: 'note' }, `${time(whole)} in all calls. `, button('Where time goes', () => go('time'), { class: 'link' }))) : null;

	const questions = el('section', {}, el('h2', {}, 'Begin with a question'), el('ul', { class: 'questions' },
		el('li', {}, el('b', {}, 'Which call wrote a doorbell, and what did it submit?'), ' Search for its number, ',
			data.doorbells[0]?.length ? button(`doorbell ${Math.min(14, data.doorbells[0].length)}`, () => {
				state.choose('event', { id: data.doorbells[0][Math.min(14, data.doorbells[0].length) - 1] });
				go('timeline');
			}, { class: 'link' }) : 'such as doorbell 1', ' for example.'),
		el('li', {}, el('b', {}, 'Where does a call’s time go?'), ' Select it here or in ', button('where time goes', () => go('time'), { class: 'link' }), '.'),
		el('li', {}, el('b', {}, 'What is this edge?'), ' Click on it in ', button('the machine', () => go('machine'), { class: 'link' }), '.')));

	// One trace: a list; a few: in columns; many: in rows.
	function recorded() {
		const names = raw.traces.map((_, t) => data.traceName(t));
		const losses = raw.traces.flatMap((trace, t) => trace.facts.filter(isLoss).map((fact) => el('p', { class: 'loss' }, `⚠ ${names[t]}: ${fact[0]}: ${fact[1]}`)));
		if (raw.traces.length === 1) {
			return el('dl', { class: 'facts' }, raw.traces[0].facts.map((fact) => [el('dt', {}, fact[0]),
				el('dd', { class: isLoss(fact) ? 'loss' : null }, isLoss(fact) ? '⚠ ' : '', String(fact[1]))]));
		}
		if (!many) {
			return [losses, factsTable(raw.traces, names)];
		}
		const keys = [...new Set(raw.traces.flatMap((trace) => trace.facts.map(([key]) => key)))];
		// Counts are numbers, so that they sort as such.
		const number = (key) => raw.traces.every((trace) => trace.facts.every(([name, text]) => name !== key || /^\d+$/.test(text)));
		const columns = [{ name: 'trace', type: 'text' }, ...keys.map((key) => ({ name: key, type: number(key) ? 'number' : 'text' }))];
		const rows = raw.traces.map((trace, t) => [names[t], ...keys.map((key, k) => {
			const text = trace.facts.filter(([name]) => name === key).map(([, value]) => value).join(', ');
			return columns[k + 1].type === 'number' && text ? Number(text) : text;
		})]);
		return [losses, makeTable({ title: 'What was recorded', columns, rows }, { noun: 'trace' }).element];
	}

	const many = raw.traces.length > MOST_BESIDE;
	const shownFacts = el('section', {}, el('h2', {}, 'What was recorded'), recorded());
	return el('div', { class: 'overview' },
		el('p', { class: 'holds' }, raw.holds),
		tiles,
		el('div', { class: 'columns' },
			many ? slowest : shownFacts, el('div', {}, many ? null : slowest, questions)),
		many ? shownFacts : null,
		raw.distilled ? el('section', {}, el('h2', {}, 'What the driver does'), figure(raw.distilled, 'The distilled machine: states by meaning, and the letters between them')) : null,
		el('p', { class: 'note' }, `Made by ${raw.version}. ${count(raw.words.length, 'word')}, ${count(raw.letters.length, 'letter')} in the alphabet.`));
}
