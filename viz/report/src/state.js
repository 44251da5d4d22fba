// SPDX-License-Identifier: MIT
// What is selected and shown, and who wants to know when it changes.
//
// A selection is { type, ... }: event {id}, request {id}, wait {id}, state {id}, edge {id} (of the
// shown machine), letter {id}, call {name} (all calls of a name), channel {id}.

export function makeState(initial) {
	const listeners = [];
	const state = {
		...initial,
		set(changes) {
			const changed = Object.keys(changes).filter((key) => state[key] !== changes[key]);
			if (changed.length) {
				Object.assign(state, changes);
				listeners.forEach((listener) => listener(changed));
			}
		},
		on(keys, listener) {
			listeners.push((changed) => {
				if (changed.some((key) => keys.includes(key))) {
					listener(changed);
				}
			});
		},
		choose(type, details) {
			state.set({ selection: { type, ...details } });
		},
	};
	return state;
}
