/* SPDX-License-Identifier: MIT */
#include "infer/compare/link.h"

#include <stdlib.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"

int kt_links_init(struct kt_links *out, const struct kt_joint *joint,
		  const struct kt_product *product)
{
	bool made;
	int code = KT_OK;

	*out = (struct kt_links){0};
	out->first = calloc(product->n_pairs + 1, sizeof(*out->first));
	out->exact = calloc(product->n_pairs + 1, sizeof(*out->exact));
	made = out->first && out->exact;
	for (int s = 0; s < 2; s++) {
		size_t n = joint->side[s].fsm->n_transitions + 1;

		out->taken[s] = calloc(n, sizeof(*out->taken[s]));
		out->lacked[s] = calloc(n, sizeof(*out->lacked[s]));
		made = made && out->taken[s] && out->lacked[s];
	}
	if (!made) {
		code = kt_no_memory("compare machines");
		goto end;
	}
	for (size_t i = 0; i < product->n_pairs; i++) {
		const uint32_t *state = product->pairs[i].state;
		struct kt_joint_step step = kt_joint_begin(joint, state[0], state[1]);

		out->exact[i] = true;
		while (kt_joint_next(joint, &step)) {
			const size_t *taken = step.taken;
			int side = taken[0] == SIZE_MAX;

			out->n_letters[0] += taken[0] != SIZE_MAX;
			out->n_letters[1] += taken[1] != SIZE_MAX;
			if (taken[!side] == SIZE_MAX) {
				out->lacked[side][taken[side]] = true;
				out->exact[i] = false;
				continue;
			}
			KT_TRY_END(
				kt_array_reserve(&out->list, &out->capacity, out->n + 1));
			out->list[out->n++] = (struct kt_link){
				.to = kt_product_find(product,
						      kt_joint_target(joint, 0, taken[0]),
						      kt_joint_target(joint, 1, taken[1])),
				.transition = {taken[0], taken[1]},
			};
			out->taken[0][taken[0]] = true;
			out->taken[1][taken[1]] = true;
		}
		out->n_exact += out->exact[i];
		out->first[i + 1] = out->n;
	}
end:
	if (code) {
		kt_links_clear(out);
	}
	return code;
}

void kt_links_clear(struct kt_links *links)
{
	free(links->list);
	free(links->first);
	free(links->exact);
	for (int s = 0; s < 2; s++) {
		free(links->taken[s]);
		free(links->lacked[s]);
	}
	*links = (struct kt_links){0};
}
