// SPDX-License-Identifier: MIT
// Words over a machine. The machine is deterministic, so a word has one path, and the events behind
// a transition need not be in the file: they are where the paths pass it.

import { groupBy } from './data.js';

const walked = new WeakMap();

// Returns { paths, passes, states }: paths[w][p] is the transition that letter p of word w takes, or
// -1 after the word left the machine; passes.of(t) are positions in all words, laid end to end.
export function walk(data, machine) {
	if (walked.has(machine)) {
		return walked.get(machine);
	}
	const words = data.raw.words;
	const out = machine.states.map(() => new Map());
	machine.transitions.forEach(([from, , letter], t) => out[from].set(letter, t));
	const offsets = [0];
	words.forEach((word) => offsets.push(offsets.at(-1) + word.letters.length));
	const all = new Int32Array(offsets.at(-1)).fill(-1);
	words.forEach((word, w) => {
		let state = machine.words?.[w]?.[0] ?? machine.initial;
		for (let p = 0; p < word.letters.length; p++) {
			const t = out[state]?.get(word.letters[p]);
			if (t === undefined) {
				break;
			}
			all[offsets[w] + p] = t;
			state = machine.transitions[t][1];
		}
	});
	const result = {
		offsets, all, words,
		path: (w) => all.subarray(offsets[w], offsets[w + 1]),
		passes: groupBy(all.length, machine.transitions.length, (i) => all[i]),
		locate(position) {
			let w = 0;
			for (let high = words.length - 1; w < high;) {
				const middle = (w + high) >> 1;
				if (offsets[middle + 1] <= position) {
					w = middle + 1;
				} else {
					high = middle;
				}
			}
			return { word: w, position: position - offsets[w], event: words[w].event_of?.[position - offsets[w]] ?? -1 };
		},
		// The transition that the letter of an event takes, or -1.
		edgeOf(event) {
			const w = data.wordOf[event];
			return w < 0 ? -1 : all[offsets[w] + data.positionOf[event]];
		},
	};
	// Initiation or completion, for transitions that events of requests go over; and of two sides
	// those whose words take the transition: bit 0 the old one, bit 1 the new one.
	result.points = machine.transitions.map(() => '');
	result.sides = new Uint8Array(machine.transitions.length);
	for (let w = 0, p = 0; p < all.length; p++) {
		while (offsets[w + 1] <= p) {
			w++;
		}
		if (all[p] < 0) {
			continue;
		}
		const event = words[w].event_of[p - offsets[w]];
		result.sides[all[p]] |= 1 << (data.raw.traces[words[w].trace]?.side ?? 0);
		if (event >= 0) {
			result.points[all[p]] ||= data.point(event);
		}
	}
	walked.set(machine, result);
	return result;
}

// For each state, the transition by which the strongest way from the initial state enters it (its
// weakest transition is as frequent as possible), or -1.
export function strongestWays(machine) {
	const n = machine.states.length;
	const best = new Float64Array(n).fill(-1);
	const by = new Int32Array(n).fill(-1);
	const done = new Uint8Array(n);
	const out = groupBy(machine.transitions.length, n, (t) => machine.transitions[t][0]);
	const heap = [];
	const push = (state, width) => {
		let i = heap.push([width, state]) - 1;
		while (i > 0 && heap[(i - 1) >> 1][0] < heap[i][0]) {
			[heap[i], heap[(i - 1) >> 1]] = [heap[(i - 1) >> 1], heap[i]];
			i = (i - 1) >> 1;
		}
	};
	const pop = () => {
		const top = heap[0];
		const last = heap.pop();
		if (heap.length) {
			heap[0] = last;
			for (let i = 0; ;) {
				const left = 2 * i + 1;
				const larger = left + 1 < heap.length && heap[left + 1][0] > heap[left][0] ? left + 1 : left;
				if (larger >= heap.length || heap[larger][0] <= heap[i][0]) {
					break;
				}
				[heap[i], heap[larger]] = [heap[larger], heap[i]];
				i = larger;
			}
		}
		return top;
	};
	if (n) {
		best[machine.initial] = Infinity;
		push(machine.initial, Infinity);
	}
	while (heap.length) {
		const [width, state] = pop();
		if (done[state]) {
			continue;
		}
		done[state] = 1;
		for (const t of out.of(state)) {
			const [, to, , count] = machine.transitions[t];
			const through = Math.min(width, count);
			if (!done[to] && through > best[to]) {
				best[to] = through;
				by[to] = t;
				push(to, through);
			}
		}
	}
	return by;
}
