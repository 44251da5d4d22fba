// SPDX-License-Identifier: MIT
// A machine with the states of each phase drawn as one, for an overview and for machines that are too
// large to be drawn: a layout of the same form as the report's.

import { count, group } from './format.js';

export const PHASES = ['CREATE', 'INIT', 'USE', 'DESTROY'];
const NONE = 'none';
const WIDTH = 190, HEIGHT = 58, STEP = 150;
// How far ways around the left and the right go: those at the right go around the loops and their texts.
const LEFT = 50, RIGHT = 150, LANE = 60;

const made = new WeakMap();

const phaseOf = (state) => (PHASES.includes(state.phase) ? state.phase : NONE);

// An arrow's head that points along (dx, dy), one of four directions, at (x, y).
const head = (x, y, dx, dy) => (dx ? `M${x - 8 * dx},${y - 4}L${x - 8 * dx},${y + 4} ${x},${y}Z` : `M${x - 4},${y - 8 * dy}L${x + 4},${y - 8 * dy} ${x},${y}Z`);

// Where the transitions from phase a to phase b are drawn: to the next one down, back up beside it,
// farther ones around the left and the right, loops at the right.
function wayOf(a, b, box, lane) {
	const [ax, ay] = box(a), [bx, by] = box(b);
	if (a === b) {
		const x = ax + WIDTH / 2;
		return { path: `M${x},${ay - 12}C${x + 46},${ay - 30} ${x + 46},${ay + 30} ${x + 6},${ay + 13}`, arrow: head(x, ay + 12, -1, 0), text: [x + 44, ay + 4] };
	}
	if (Math.abs(a - b) === 1) {
		const down = b > a ? 1 : -1;
		const x = ax - 24 * down;
		const from = ay + down * HEIGHT / 2, to = by - down * HEIGHT / 2;
		return { path: `M${x},${from}L${x},${to - 8 * down}`, arrow: head(x, to, 0, down), text: down > 0 ? [x - 8, (from + to) / 2, 'end'] : [x + 8, (from + to) / 2] };
	}
	const side = b > a ? -1 : 1;
	const edge = ax + side * WIDTH / 2, reach = (side < 0 ? LEFT : RIGHT) + LANE * lane, out = edge + side * reach;
	return { path: `M${edge},${ay + 14 * -side}C${out},${ay} ${out},${by} ${edge + 8 * side},${by + 14 * side}`, arrow: head(edge, by + 14 * side, -side, 0),
		text: [edge + side * (0.75 * reach + 10), (ay + by) / 2, side < 0 ? 'end' : 'start'] };
}

// Returns a layout in which `groups` are the boxes of the phases: [phase, box].
export function phaseLayout(machine) {
	if (made.has(machine)) {
		return made.get(machine);
	}
	const present = [...PHASES, NONE].filter((phase) => machine.states.some((s) => phaseOf(s) === phase));
	const place = machine.states.map((s) => present.indexOf(phaseOf(s)));
	const sums = present.map(() => [0, 0]);
	machine.states.forEach((s, i) => {
		sums[place[i]][0]++;
		sums[place[i]][1] += s.visits ?? 0;
	});
	const ways = new Map();
	machine.transitions.forEach(([from, to], t) => {
		const key = place[from] * present.length + place[to];
		if (!ways.has(key)) {
			ways.set(key, []);
		}
		ways.get(key).push(t);
	});
	const lanes = [0, 0];
	const around = [...ways.keys()].map((key) => key % present.length - Math.floor(key / present.length));
	const left = 110 + LEFT + LANE * around.filter((by) => by > 1).length;
	const right = 110 + RIGHT + LANE * around.filter((by) => by < -1).length;
	const box = (p) => [left + WIDTH / 2, 60 + HEIGHT / 2 + p * STEP];
	const name = (p) => (present[p] === NONE ? 'no phase' : present[p].toLowerCase());
	const edges = [...ways].map(([key, transitions]) => {
		const a = Math.floor(key / present.length), b = key % present.length;
		const { path, arrow, text } = wayOf(a, b, box, Math.abs(a - b) > 1 ? ++lanes[Number(b < a)] : 0);
		const times = transitions.reduce((sum, t) => sum + machine.transitions[t][3], 0);
		const [x, y, anchor] = text;
		return { transitions, chain: false, path, arrow, texts: [[x, y, `×${group(times)}`, anchor], [x, y + 13, count(transitions.length, 'transition'), anchor]],
			title: a === b ? `Within ${name(a)}` : `From ${name(a)} to ${name(b)}` };
	});
	const boxes = present.map((_, p) => {
		const [x, y] = box(p);
		return [x, y, WIDTH, HEIGHT, [[x, y - 5, name(p)], [x, y + 12, `${count(sums[p][0], 'state')}, ${count(sums[p][1], 'visit')}`]]];
	});
	const layout = { width: left + WIDTH + right, height: 60 + present.length * STEP, states: place.map((p) => boxes[p]), edges, markers: [],
		groups: present.map((phase, p) => [phase, boxes[p]]) };
	made.set(machine, layout);
	return layout;
}
