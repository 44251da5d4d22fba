/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/preload/signals/signal-actions.h"

#include <stddef.h>

#include "collect/preload/signals/signal-mask.h"

struct kt_kept kt_kept[KT_KEPT];
bool kt_signals_installed;

struct kt_kept *kt_kept_find(int signal)
{
	for (int i = 0; kt_signals_installed && i < KT_KEPT; i++) {
		if (kt_kept[i].signal == signal) {
			return &kt_kept[i];
		}
	}
	return NULL;
}

void kt_kept_put(struct kt_kept *slot, const struct kt_action *action)
{
	unsigned n = atomic_fetch_add(&slot->next, 1);

	slot->versions[n % KT_KEPT_VERSIONS] = *action;
	atomic_store(&slot->now, &slot->versions[n % KT_KEPT_VERSIONS]);
}

struct kt_action kt_signals_taken(int signal)
{
	struct kt_kept *slot = kt_kept_find(signal);
	struct kt_action action = *atomic_load(&slot->now);

	if (action.flags & SA_RESETHAND && action.handler != KT_SIG_DFL &&
	    action.handler != KT_SIG_IGN) {
		struct kt_action reset = action;

		reset.handler = KT_SIG_DFL;
		kt_kept_put(slot, &reset);
	}
	return action;
}

/*
 * If a carrier is pending, the recorder's signal is reported as pending. The carrier is
 * reported too if the application has set an action for the carrier itself, and it alone if
 * the application blocks it alone.
 */
uint64_t kt_signals_pending(uint64_t real)
{
	for (int i = 0; kt_signals_installed && i < KT_OUR_SIGNALS; i++) {
		uint64_t carrier = KT_SIGNAL_BIT(kt_our_signals[i].carrier);
		uint64_t number = KT_SIGNAL_BIT(kt_our_signals[i].number);

		if (real & carrier && (kt_mask_memory() & (number | carrier)) != carrier) {
			real |= number;
			if (atomic_load(&kt_kept[i + KT_OUR_SIGNALS].now)->handler ==
			    KT_SIG_DFL) {
				real &= ~carrier;
			}
		}
	}
	return real;
}
