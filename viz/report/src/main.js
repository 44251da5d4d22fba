// SPDX-License-Identifier: MIT
// The page of `ktail report`: reads the data, lays out the views, keeps them on the same selection.

import { read } from './data.js';
import { button, el, fill } from './dom.js';
import { makeFigures } from './figures.js';
import { makeFlame } from './flame.js';
import { count } from './format.js';
import { makeInspector } from './inspector.js';
import { machineAt, makeMachineView } from './machine.js';
import { makeOverview } from './overview.js';
import { makeSearch } from './search.js';
import { makeState } from './state.js';
import { makeTables } from './tables.js';
import { makeTimeline } from './timeline.js';

const TABS = [['overview', 'Overview'], ['machine', 'Machine'], ['timeline', 'Timeline'], ['time', 'Where time goes'], ['tables', 'Tables'], ['figures', 'Figures']];

function start(data) {
	const { raw } = data;
	const k = raw.machines.length ? machineAt(data, raw.chosen ?? raw.machines[0].k).k : null;
	const state = makeState({ tab: 'overview', selection: null, k, word: -1, cursor: null });
	document.title = `${raw.title}: ktail report`;

	const made = {};
	const makers = {
		overview: () => ({ element: makeOverview(data, state, go) }),
		machine: () => makeMachineView(data, state),
		timeline: () => makeTimeline(data, state),
		time: () => makeFlame(data, state),
		tables: () => makeTables(data, state),
		figures: () => ({ element: makeFigures(data, state) }),
	};
	const panels = document.getElementById('panels');
	const list = el('div', { role: 'tablist', 'aria-label': 'Views' });
	const tabs = Object.fromEntries(TABS.map(([id, text], i) => [id, button(text, () => go(id), { role: 'tab', id: `tab-${id}`, 'aria-controls': `panel-${id}`,
		'aria-selected': 'false', 'aria-keyshortcuts': `Alt+${i + 1}`, tabindex: -1, title: `Alt+${i + 1}` })]));
	const panel = Object.fromEntries(TABS.map(([id]) => [id, el('div', { role: 'tabpanel', id: `panel-${id}`, 'aria-labelledby': `tab-${id}`, hidden: true,
		// Figures have nothing that takes the focus, without which the keyboard could not scroll.
		tabindex: id === 'figures' ? 0 : null })]));
	list.append(...Object.values(tabs));
	panels.append(...Object.values(panel));
	document.getElementById('tabs').append(list);

	function go(id, target) {
		if (state.tab !== id) {
			made[state.tab]?.left?.();
		}
		for (const [other] of TABS) {
			tabs[other].setAttribute('aria-selected', String(other === id));
			tabs[other].tabIndex = other === id ? 0 : -1;
			panel[other].hidden = other !== id;
		}
		state.tab = id;
		if (!made[id]) {
			made[id] = makers[id]();
			panel[id].append(made[id].element);
		}
		made[id].shown?.();
		if (id === 'time' && target) {
			made.time.openName(target.kind, target.name);
		}
		if (id === 'timeline' && state.selection) {
			made.timeline.zoomToSelection();
		}
		if (id === 'machine' && state.selection) {
			made.machine.showSelection?.();
		}
		if (location.hash !== `#${id}`) {
			history.replaceState(null, '', `#${id}`);
		}
	}
	list.addEventListener('keydown', (event) => {
		const ids = TABS.map(([id]) => id);
		const at = ids.indexOf(state.tab);
		const to = { ArrowRight: (at + 1) % ids.length, ArrowLeft: (at - 1 + ids.length) % ids.length, Home: 0, End: ids.length - 1 }[event.key];
		if (to !== undefined) {
			event.preventDefault();
			go(ids[to]);
			tabs[ids[to]].focus();
		}
	});
	document.addEventListener('keydown', (event) => {
		if (event.altKey && !event.ctrlKey && event.key >= '1' && event.key <= String(TABS.length)) {
			event.preventDefault();
			go(TABS[event.key - 1][0]);
		} else if (event.key === 'Escape' && document.activeElement?.id !== 'search') {
			state.set({ selection: null });
		}
	});

	fill(document.getElementById('head'), el('div', { class: 'title' }, el('h1', {}, raw.title), el('p', {}, raw.traces.length > 4 ? count(raw.traces.length, 'trace') : raw.traces.map((t) => t.name).join(' · '))),
		makeSearch(data, state, go));
	makeInspector(data, state, document.getElementById('inspector'), go);
	const asked = location.hash.slice(1);
	go(Object.hasOwn(makers, asked) ? asked : 'overview');
	document.documentElement.dataset.ready = 'true';
}

read().then(start).catch((error) => {
	fill(document.getElementById('panels'), el('p', { class: 'failure', role: 'alert' }, `This report cannot be shown: ${error.message}.`));
	document.documentElement.dataset.ready = 'failed';
});
