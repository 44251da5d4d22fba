// SPDX-License-Identifier: MIT
// The machine: the layout that the report carries, drawn as SVG; sliders for k and detail, search,
// a word's path and its play.

import { announce, button, el, field, fill, select, svg } from './dom.js';
import { count, cut, group, moment } from './format.js';
import { makePanZoom } from './panzoom.js';
import { phaseLayout, PHASES } from './phases.js';
import { strongestWays, walk } from './walk.js';
import { stepCurve } from './plot.js';
import { makeTable } from './table.js';

// Below this scale, labels would be smaller than five pixels.
const LABELS_FROM = 0.45;
const STATES_FROM = 0.28;
const PLAY_SECONDS = 20;

// The steps of the slider for detail: whether the states of a phase are drawn as one, which part of the
// edges, by count, is left out as rare, and whether the letters of chains are shown. The layout draws a
// chain, or parallel transitions, as one edge.
const DETAILS = [
	{ text: 'phases', rarest: 0, chains: true, phases: true },
	{ text: 'the main ways', rarest: 0.6, chains: false },
	{ text: 'without rare transitions', rarest: 0.3, chains: false },
	{ text: 'letters of chains left out', rarest: 0, chains: false },
	{ text: 'everything', rarest: 0, chains: true },
];

export function machineAt(data, k) {
	const { machines } = data.raw;
	return machines.reduce((best, m) => (Math.abs(m.k - k) < Math.abs(best.k - k) ? m : best), machines[0]);
}

export function edgeText(data, machine, t) {
	const [from, to, letter] = machine.transitions[t];
	return `${data.letterName(letter)}, from state ${from} to ${to}`;
}

export function makeMachineView(data, state) {
	const { machines } = data.raw;
	if (!machines.length) {
		return { element: el('p', { class: 'empty' }, 'This report carries no machine.'), shown() {} };
	}
	const drawing = svg('svg', { class: 'machine', tabindex: 0, role: 'group', 'aria-roledescription': 'state machine' });
	const root = svg('g');
	const edges = svg('g', { class: 'edges' });
	const nodes = svg('g', { class: 'nodes' });
	const token = svg('circle', { class: 'token', r: 9, visibility: 'hidden' });
	drawing.append(root);
	root.append(edges, nodes, token);
	let scale = 1;
	const panzoom = makePanZoom(drawing, root, (next) => {
		scale = next;
		drawing.classList.toggle('no-labels', scale < LABELS_FROM);
		drawing.classList.toggle('no-names', scale < STATES_FROM);
	});

	let machine, layout, edgeOf = [], nodeOf = [], lines = [], ways, hits = [], hit = -1, detail = DETAILS.length - 1;
	const pointOfTransition = (t) => walk(data, machine).points[t];

	const stateName = (s) => {
		const { label, phase, final } = machine.states[s];
		return `State ${s}${label ? `, ${label}` : ''}${phase ? `, phase ${phase}` : ''}${s === machine.initial ? ', words begin here' : ''}${
			final ? ', words end here' : ''}`;
	};
	function drawBox(id, name, phase, [x, y, w, h, texts], { initial, final } = {}) {
		const box = (by, attributes) => svg('rect', { x: x - w / 2 + by, y: y - h / 2 + by, width: Math.max(1, w - 2 * by),
			height: Math.max(1, h - 2 * by), rx: Math.max(1, Math.min(w, h) / 2 - by), ...attributes });
		return svg('g', { class: `state phase-${PHASES.indexOf(phase)}${initial ? ' initial' : ''}${final ? ' final' : ''}`,
			tabindex: -1, role: 'button', 'aria-label': name, ...id },
		svg('title', {}, name), box(0), final ? box(3, { class: 'inner' }) : null,
		texts.map(([tx, ty, text]) => svg('text', { x: tx, y: ty }, text)));
	}

	const drawState = (s, box) => drawBox({ 'data-state': s }, stateName(s), machine.states[s].phase, box, { initial: s === machine.initial, final: machine.states[s].final });
	const drawPhase = ([phase, box]) => drawBox({ 'data-phase': phase },
		`${box[4].map(([, , text]) => text).join(' ')}, phase`, phase, box);

	const lineCount = (line) => line.transitions.reduce((sum, t) => (line.chain ? Math.max(sum, machine.transitions[t][3])
		: sum + machine.transitions[t][3]), 0);
	function lineName(line) {
		const { transitions } = line;
		if (line.title) {
			return `${line.title}: ${count(transitions.length, 'transition')}, taken ${count(lineCount(line), 'time')}`;
		}
		if (transitions.length === 1) {
			const [, , , n] = machine.transitions[transitions[0]];
			const point = pointOfTransition(transitions[0]);
			return `${edgeText(data, machine, transitions[0])}, taken ${count(n, 'time')}${point ? `, ${point}` : ''}`;
		}
		const [from] = machine.transitions[transitions[0]];
		const [, to] = machine.transitions[transitions.at(-1)];
		return `${line.chain ? 'Chain' : 'Parallel transitions'} of ${group(transitions.length)} letters, from state ${from} to ${to}, taken ${
			count(lineCount(line), 'time')}`;
	}
	function drawLine(line, d, largest) {
		const roles = new Set(line.transitions.map(pointOfTransition));
		const role = roles.has('initiation') ? 'initiation' : roles.has('completion') ? 'completion' : '';
		const width = 0.8 + 2.6 * Math.log1p(lineCount(line)) / Math.log1p(largest);
		const [first] = line.texts;
		const sides = data.raw.sides ? line.transitions.reduce((set, t) => set | walk(data, machine).sides[t], 0) : 3;
		const only = ['', ' only-old', ' only-new', ''][sides];
		return svg('g', { class: `edge ${role}${line.chain ? ' chain' : ''}${line.title ? ' way' : ''}${only}`, tabindex: -1, role: 'button', 'aria-label': lineName(line), 'data-line': d },
			svg('title', {}, lineName(line)), svg('path', { class: 'target', d: line.path }),
			svg('path', { class: 'line', d: line.path, 'stroke-width': width.toFixed(2) }),
			line.arrow ? svg('path', { class: 'head', d: line.arrow }) : null,
			role && first ? svg('text', { class: 'mark', x: first[0] - 10, y: first[1] }, role === 'initiation' ? '▶' : '■') : null,
			line.texts.map(([x, y, text, anchor]) => svg('text', { x, y, class: anchor === 'end' ? 'end' : null }, text)));
	}

	function draw() {
		machine = machineAt(data, state.k);
		const next = DETAILS[detail].phases || !machine.layout ? phaseLayout(machine) : machine.layout;
		if (next === layout) {
			return;
		}
		layout = next;
		const largest = machine.transitions.reduce((max, t) => Math.max(max, t[3]), 1);
		lines = layout.edges.map((line, d) => drawLine(line, d, largest));
		edgeOf = new Array(machine.transitions.length).fill(null);
		layout.edges.forEach((line, d) => line.transitions.forEach((t) => { edgeOf[t] = lines[d]; }));
		const groups = layout.groups?.map(drawPhase);
		nodeOf = machine.states.map((_, s) => (groups ? groups[layout.groups.findIndex(([, box]) => box === layout.states[s])]
			: layout.states[s] ? drawState(s, layout.states[s]) : null));
		fill(edges, lines);
		fill(nodes, layout.markers.map((m) => svg('g', { class: 'entry' }, svg('path', { class: 'line', d: m.path }),
			m.arrow ? svg('path', { class: 'head', d: m.arrow }) : null, m.texts.map(([x, y, text]) => svg('text', { x, y }, text)))), groups ?? nodeOf);
		tooLarge.hidden = Boolean(machine.layout);
		fill(tooLarge, `Too large to be drawn: ${count(machine.states.length, 'state')}, ${count(machine.transitions.length, 'transition')}. `,
			'The picture shows its phases, the table its transitions.', data.raw.distilled ? ' Its distilled machine is among the figures.' : '');
		detailSlider.disabled = !machine.layout;
		ways = strongestWays(machine);
		drawing.setAttribute('aria-label', `State machine for k = ${machine.k}: ${count(machine.states.length, 'state')}, ` +
			`${count(machine.transitions.length, 'transition')}. Arrow keys pan, plus and minus zoom, Enter goes to its states.`);
		hits = [];
		if (tableOf !== machine || tableHolder.hidden) {
			showTable(wanted || !machine.layout);
		}
		applyDetail();
		drawFacts();
		fit();
		markSelection();
		markWord();
		find(searchBox.value);
	}

	function fit() {
		const { width, height } = layout;
		panzoom.fit(width, height);
		// A large machine fits only with unreadable letters: begin at the initial state instead.
		if (panzoom.scale() < 0.2 && layout.states[machine.initial]) {
			const [x, y] = layout.states[machine.initial];
			const room = drawing.getBoundingClientRect();
			panzoom.centre(Math.max(x, Math.min(room.width / 2, width / 2)), y + room.height / 3, 0.7);
		}
	}

	function applyDetail() {
		const { rarest, chains } = DETAILS[detail];
		const drawnLines = layout.edges;
		const sorted = Float64Array.from(drawnLines, lineCount).sort();
		const threshold = rarest && sorted.length ? Math.max(2, sorted[Math.floor(sorted.length * rarest)]) : 0;
		const seen = new Uint8Array(machine.states.length);
		const ends = (line) => [machine.transitions[line.transitions[0]][0], machine.transitions[line.transitions.at(-1)][1]];
		const kept = drawnLines.map((line) => lineCount(line) >= threshold);
		drawnLines.forEach((line, d) => kept[d] && ends(line).forEach((s) => { seen[s] = 1; }));
		// The strongest way to each state that is left stays, thin.
		const thin = new Set();
		seen.forEach((yes, s) => {
			for (let at = s; yes && ways[at] >= 0; at = machine.transitions[ways[at]][0]) {
				const g = edgeOf[ways[at]];
				seen[machine.transitions[ways[at]][0]] = 1;
				if (g && !kept[g.dataset.line]) {
					thin.add(g);
				}
			}
		});
		let hidden = 0;
		lines.forEach((g, d) => {
			g.classList.toggle('hidden', !kept[d] && !thin.has(g));
			g.classList.toggle('thin', thin.has(g));
			hidden += !kept[d] && !thin.has(g) ? 1 : 0;
		});
		nodeOf.forEach((g, s) => !layout.groups && g?.classList.toggle('hidden', !seen[s] && s !== machine.initial && threshold > 0));
		drawing.classList.toggle('no-chains', !chains);
		detailText.textContent = (layout.groups ? 'phases' : DETAILS[detail].text) + (hidden ? `; ${count(hidden, 'edge')} hidden` : '');
		detailSlider.setAttribute('aria-valuetext', detailText.textContent);
	}

	// k and the size of the machine over k.
	const ks = machines.map((m) => m.k);
	const kSlider = el('input', { type: 'range', min: 0, max: machines.length - 1, step: 1, 'aria-label': 'k',
		oninput: () => state.set({ k: ks[kSlider.value], selection: keepSelection() }) });
	const kText = el('output', {});
	const curve = el('div', { class: 'curve' });
	const facts = el('p', { class: 'note' });
	// States and transitions are numbered anew for another k, so a selection of one is dropped.
	const keepSelection = () => (['state', 'edge', 'edges'].includes(state.selection?.type) ? null : state.selection);
	function drawFacts() {
		kSlider.value = ks.indexOf(machine.k);
		kText.textContent = `${machine.k}${machine.k === data.raw.chosen ? ' (chosen)' : ''}`;
		kSlider.setAttribute('aria-valuetext', `k = ${machine.k}, ${count(machine.states.length, 'state')}`);
		facts.textContent = `${count(machine.states.length, 'state')}, ${count(machine.transitions.length, 'transition')}`;
		fill(curve, stepCurve(data.raw.sizes, { width: 240, height: 84, mark: machine.k, available: ks, small: true,
			onpick: (k) => state.set({ k: machineAt(data, k).k, selection: keepSelection() }) }));
	}
	const detailText = el('span', { class: 'note' });
	const detailSlider = el('input', { type: 'range', min: 0, max: DETAILS.length - 1, step: 1, value: detail, 'aria-label': 'Detail',
		oninput: () => { detail = Number(detailSlider.value); draw(); applyDetail(); } });

	// Search among labels of states and letters.
	const searchBox = el('input', { type: 'search', placeholder: 'State or letter', 'aria-label': 'Search the machine',
		oninput: () => find(searchBox.value), onkeydown: (event) => {
			if (event.key === 'Enter') {
				event.preventDefault();
				step(event.shiftKey ? -1 : 1);
			}
		} });
	const hitText = el('span', { class: 'note', 'aria-live': 'polite' });
	function find(text) {
		const wanted = text.trim().toLowerCase();
		hits = [];
		hit = -1;
		const found = new Set();
		machine.states.forEach((s, i) => {
			if (wanted && (String(i) === wanted || (s.label ?? '').toLowerCase().includes(wanted))) {
				found.add(nodeOf[i]);
				hits.push(['state', i]);
			}
		});
		machine.transitions.forEach(([, , letter], t) => {
			const l = data.raw.letters[letter];
			if (wanted && `${l.letter} ${l.name ?? ''} ${l.label ?? ''}`.toLowerCase().includes(wanted)) {
				found.add(edgeOf[t]);
				hits.push(['edge', t]);
			}
		});
		[...lines, ...nodeOf].forEach((g) => g?.classList.toggle('hit', found.has(g)));
		drawing.classList.toggle('searching', hits.length > 0);
		hitText.textContent = wanted ? count(hits.length, 'match', 'matches') : '';
	}
	function step(by) {
		if (hits.length) {
			hit = (hit + by + hits.length) % hits.length;
			const [type, id] = hits[hit];
			state.choose(type, { id });
			hitText.textContent = `${hit + 1} of ${count(hits.length, 'match', 'matches')}`;
		}
	}

	// Where a transition is drawn: its end, or within a chain its part of the way.
	function pointOf(t) {
		const to = layout.states[machine.transitions[t][1]];
		if (to) {
			return [to[0], to[1], Math.min(to[3] / 2, 14)];
		}
		const g = edgeOf[t];
		if (!g) {
			return null;
		}
		const path = g.querySelector('.line');
		const { transitions } = layout.edges[g.dataset.line];
		const point = path.getPointAtLength(path.getTotalLength() * (transitions.indexOf(t) + 1) / transitions.length);
		return [point.x, point.y, 6];
	}
	function middleOf(g) {
		const path = g.querySelector('.line');
		const point = path.getPointAtLength(path.getTotalLength() / 2);
		return [point.x, point.y];
	}
	// The drawn elements of a selection. A state within a chain is shown by the chain.
	function elementsOf(s) {
		const around = (state) => machine.transitions.flatMap(([from, to], t) => (from === state || to === state ? [edgeOf[t]] : []));
		switch (s?.type) {
		case 'state': return nodeOf[s.id] ? [nodeOf[s.id]] : around(s.id);
		case 'edge': return [edgeOf[s.id]];
		case 'phase': return nodes.querySelectorAll(`[data-phase="${PHASES.includes(s.id) ? s.id : 'none'}"]`);
		case 'edges': return s.ids.map((t) => edgeOf[t]);
		case 'event': return [edgeOf[walk(data, machine).edgeOf(s.id)]];
		case 'letter': return machine.transitions.flatMap(([, , letter], t) => (letter === s.id ? [edgeOf[t]] : []));
		default: return [];
		}
	}

	let chosen = [];
	function markSelection() {
		chosen.forEach((g) => g.classList.remove('chosen'));
		chosen = [];
		const s = state.selection;
		if (!s || !machine) {
			return;
		}
		chosen = [...new Set([...elementsOf(s)].filter(Boolean))];
		chosen.forEach((g) => {
			g.classList.add('chosen');
			if (g !== document.activeElement) {
				g.parentNode.append(g);
			}
		});
		if (chosen.length && s.type !== 'letter' && isShown()) {
			show(chosen[0]);
		}
	}
	const placeOf = (g) => (g.dataset.state !== undefined ? layout.states[g.dataset.state]
		: g.dataset.phase !== undefined ? layout.groups.find(([phase]) => phase === g.dataset.phase)[1] : middleOf(g));
	const show = (g) => {
		const at = placeOf(g);
		panzoom.reveal(at[0], at[1]);
	};
	// Brings the selection into the middle, large enough to be read.
	function showSelection() {
		if (chosen.length && !layout.groups) {
			const at = placeOf(chosen[0]);
			panzoom.centre(at[0], at[1], 1);
		}
	}
	const isShown = () => state.tab === 'machine';

	// A word's path, and playing through it.
	const wordOptions = [['', 'none'], ...data.raw.words.map((word, w) => [String(w), `${cut(word.name, 40)} (${group(word.letters.length)}${
		word.left_out ? ` of ${group(word.letters.length + word.left_out)}` : ''} letters)`])];
	const wordSelect = select(wordOptions, '', (value) => { stop(); state.set({ word: value === '' ? -1 : Number(value) }); },
		{ 'aria-label': 'Path of word' });
	const playButton = button('Play', () => (timer ? stop() : play()), { class: 'play' });
	const position = el('input', { type: 'range', min: 0, max: 0, value: 0, step: 1, 'aria-label': 'Position in the word',
		oninput: () => { stop(); showPosition(Number(position.value)); } });
	const pace = select([['time', 'in time'], ['letters', 'letter by letter']], 'time', () => { stop(); }, { 'aria-label': 'Pace' });
	const where = el('span', { class: 'note', 'aria-live': 'off' });
	const player = el('div', { class: 'player', hidden: true }, playButton, pace, position, where,
		button('Select event', () => {
			const event = data.raw.words[state.word]?.event_of?.[Number(position.value)];
			if (event >= 0) {
				state.choose('event', { id: event });
			}
		}, { class: 'quiet' }));
	let timer = 0, passed = [];
	function markWord() {
		edges.querySelectorAll('.path').forEach((g) => g.classList.remove('path'));
		nodes.querySelectorAll('.path').forEach((g) => g.classList.remove('path'));
		const on = state.word >= 0;
		drawing.classList.toggle('with-path', on);
		player.hidden = !on;
		wordSelect.value = on ? String(state.word) : '';
		token.setAttribute('visibility', 'hidden');
		if (on) {
			for (const t of new Set(walk(data, machine).path(state.word))) {
				if (t >= 0) {
					edgeOf[t]?.classList.add('path');
					nodeOf[machine.transitions[t][0]]?.classList.add('path');
					nodeOf[machine.transitions[t][1]]?.classList.add('path');
				}
			}
			position.max = Math.max(0, data.raw.words[state.word].letters.length - 1);
			showPosition(Math.min(Number(position.value), Number(position.max)));
		}
	}
	function showPosition(p) {
		const word = data.raw.words[state.word];
		const t = walk(data, machine).path(state.word)[p] ?? -1;
		position.value = p;
		passed.forEach((g) => g.classList.remove('now'));
		const event = word.event_of?.[p] ?? -1;
		const text = `letter ${group(p + 1)} of ${group(word.letters.length)}: ${data.letterName(word.letters[p])}` +
			(event >= 0 ? `, at ${moment(data.at[event])}` : '') + (t < 0 ? ' (the machine does not read it)' : '');
		where.textContent = text;
		position.setAttribute('aria-valuetext', text);
		passed = [];
		const at = t >= 0 ? pointOf(t) : null;
		if (at) {
			passed = [edgeOf[t], nodeOf[machine.transitions[t][1]]].filter(Boolean);
			passed.forEach((g) => g.classList.add('now'));
			token.setAttribute('cx', at[0]);
			token.setAttribute('cy', at[1]);
			token.setAttribute('r', at[2] + 3);
			token.setAttribute('visibility', 'visible');
			panzoom.reveal(at[0], at[1]);
		}
		state.set({ cursor: event >= 0 ? data.at[event] : null });
	}
	function play() {
		const word = data.raw.words[state.word];
		const n = word.letters.length;
		let p = Number(position.value) >= n - 1 ? 0 : Number(position.value);
		const times = word.event_of?.map((event) => (event >= 0 ? data.at[event] : null)) ?? [];
		const inTime = pace.value === 'time' && times.length > 1 && times.at(-1) > times[0];
		const length = inTime ? times.at(-1) - times[0] : n;
		const began = performance.now();
		const origin = inTime ? times[p] ?? times[0] : p;
		const perSecond = inTime ? length / PLAY_SECONDS : Math.max(4, n / (3 * PLAY_SECONDS));
		playButton.textContent = 'Pause';
		announce(`Playing ${word.name}`);
		const frame = () => {
			const reached = origin + (performance.now() - began) / 1000 * perSecond;
			if (inTime) {
				while (p < n - 1 && (times[p + 1] ?? 0) <= reached) {
					p++;
				}
			} else {
				p = Math.min(n - 1, Math.floor(reached));
			}
			showPosition(p);
			if (p < n - 1) {
				timer = requestAnimationFrame(frame);
			} else {
				stop();
			}
		};
		timer = requestAnimationFrame(frame);
	}
	function stop() {
		cancelAnimationFrame(timer);
		timer = 0;
		playButton.textContent = 'Play';
	}

	drawing.addEventListener('dblclick', (event) => panzoom.zoom(event.shiftKey ? 0.5 : 2, event));
	// The invisible target beside a line can lie over another line or label, which is then what was meant.
	const meant = ({ target, clientX, clientY }) => (target.matches('.target')
		? document.elementsFromPoint(clientX, clientY).find((e) => e.matches('.edge :not(.target)')) ?? target : target);
	drawing.addEventListener('click', (event) => {
		const g = meant(event).closest('[data-state],[data-phase],[data-line]');
		if (!g) {
			state.set({ selection: null });
		} else if (g.dataset.phase !== undefined) {
			state.choose('phase', { id: g.dataset.phase });
		} else if (g.dataset.state !== undefined) {
			state.choose('state', { id: Number(g.dataset.state) });
		} else {
			const { transitions, chain, title } = layout.edges[g.dataset.line];
			state.choose(...transitions.length === 1 ? ['edge', { id: transitions[0] }] : ['edges', { ids: transitions, chain, title }]);
		}
	});
	// Enter goes from the drawing to its states; then arrows go along edges: right to the next edge out of
	// a state, down to where it leads.
	drawing.addEventListener('keydown', (event) => {
		const g = event.target.closest('[data-state],[data-phase],[data-line]');
		const focus = (element) => {
			if (element) {
				event.preventDefault();
				element.focus();
				show(element);
			}
		};
		if (event.target === drawing && event.key === 'Enter') {
			focus(nodeOf[machine.initial]);
		}
		if (event.target === drawing || !g) {
			return;
		}
		const first = (d) => machine.transitions[layout.edges[d].transitions[0]][0];
		const last = (d) => machine.transitions[layout.edges[d].transitions.at(-1)][1];
		if (event.key === 'Enter' || event.key === ' ') {
			event.preventDefault();
			g.dispatchEvent(new MouseEvent('click', { bubbles: true }));
		} else if (event.key === 'Escape') {
			event.stopPropagation();
			drawing.focus();
		} else if (g.dataset.line === undefined) {
			const out = lines.find((_, d) => nodeOf[first(d)] === g);
			const into = lines.find((_, d) => nodeOf[last(d)] === g);
			focus({ ArrowRight: out, ArrowDown: out, ArrowLeft: into, ArrowUp: into }[event.key]);
		} else {
			const d = Number(g.dataset.line);
			const siblings = lines.map((_, i) => i).filter((i) => nodeOf[first(i)] === nodeOf[first(d)]);
			const at = siblings.indexOf(d);
			focus({ ArrowDown: nodeOf[last(d)], ArrowUp: nodeOf[first(d)], ArrowRight: lines[siblings[(at + 1) % siblings.length]],
				ArrowLeft: lines[siblings[(at - 1 + siblings.length) % siblings.length]] }[event.key]);
		}
	});

	const phases = PHASES.map((phase, i) => [phase, i]).filter(([phase]) => machines.some((m) => m.states.some((s) => s.phase === phase)));
	const legend = el('ul', { class: 'legend', 'aria-label': 'Legend' },
		phases.map(([phase, i]) => el('li', {}, el('i', { class: `swatch phase-${i}` }), phase.toLowerCase())),
		el('li', {}, el('i', { class: 'mark initiation' }, '▶'), 'initiation (doorbell)'),
		el('li', {}, el('i', { class: 'mark completion' }, '■'), 'completion noticed'),
		el('li', {}, el('i', { class: 'swatch round final' }), 'words end here'),
		el('li', {}, el('i', { class: 'line' }), 'thicker: more often'),
		el('li', {}, el('i', { class: 'line chain' }), 'chain of letters'),
		data.raw.sides?.map((side) => el('li', { class: `only-${side}` }, el('i', { class: 'line' }), `only ${side}`)));

	const tooLarge = el('p', { class: 'too-large', hidden: true });
	// All transitions as a table: for machines that are too large, and for those who do not see the drawing.
	const tableHolder = el('div', { class: 'machine-table', hidden: true });
	let tableOf = null, wanted = false;
	const tableButton = button('Table', () => {
		wanted = tableHolder.hidden;
		showTable(wanted);
	}, { 'aria-pressed': 'false' });
	function showTable(shown) {
		tableHolder.hidden = !shown;
		tableButton.setAttribute('aria-pressed', String(shown));
		if (shown && tableOf !== machine) {
			tableOf = machine;
			const { sides } = walk(data, machine);
			const two = data.raw.sides;
			fill(tableHolder, makeTable({ title: `Transitions for k = ${machine.k}`, columns: [{ name: 'letter', type: 'text' }, { name: 'meaning', type: 'text' },
				{ name: 'from', type: 'number' }, { name: 'to', type: 'number' }, { name: 'taken', type: 'number' }, ...two ? [{ name: 'by', type: 'text' }] : []],
			rows: machine.transitions.map(([from, to, letter, n, label], t) => Object.assign([data.letterName(letter), data.named(label ?? -1) || data.raw.letters[letter].label || '', from, to, n,
				...two ? [['', two[0], two[1], 'both'][sides[t]]] : []], { id: t })) },
			{ noun: 'transition', sort: [4, -1], onrow: (row) => state.choose('edge', { id: row.id }) }).element);
		}
	}
	const side = el('div', { class: 'side', role: 'group', 'aria-label': 'What the machine shows' },
		field('k', kSlider, kText), curve, facts,
		field('Detail', detailSlider), detailText,
		field('Search', searchBox, button('Next', () => step(1), { class: 'quiet' })), hitText,
		field('Path of', wordSelect));
	const zoomBar = el('div', { class: 'zoom', role: 'group', 'aria-label': 'Zoom' },
		button('+', () => panzoom.zoom(1.4), { 'aria-label': 'Zoom in' }),
		button('−', () => panzoom.zoom(1 / 1.4), { 'aria-label': 'Zoom out' }),
		button('Whole', () => panzoom.fit(layout.width, layout.height)), tableButton);
	const element = el('div', { class: 'machine-view' }, side,
		el('div', { class: 'stage' }, tooLarge, player, el('div', { class: 'drawing' }, drawing, el('p', { class: 'hint note' }, 'Zoom in to read the letters'), zoomBar), legend, tableHolder));

	state.on(['k'], () => isShown() && draw());
	state.on(['selection'], markSelection);
	state.on(['word'], () => machine && markWord());
	return { element, shown: draw, left: stop, showSelection };
}
