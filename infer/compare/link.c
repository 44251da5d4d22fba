/* SPDX-License-Identifier: MIT */
#include "infer/compare/link.h"

#include <stdlib.h>

#include <ktail/status.h>

#include "base/array.h"

static int make_arrays(struct kt_links *links, const struct kt_joint *joint, size_t n_pairs)
{
	bool made;

	links->first = calloc(n_pairs + 1, sizeof(*links->first));
	links->exact = calloc(n_pairs + 1, sizeof(*links->exact));
	made = links->first && links->exact;
	for (int s = 0; s < 2; s++) {
		size_t n = joint->side[s].fsm->n_transitions + 1;

		links->taken[s] = calloc(n, sizeof(*links->taken[s]));
		links->lacked[s] = calloc(n, sizeof(*links->lacked[s]));
		made = made && links->taken[s] && links->lacked[s];
	}
	return made ? KT_OK : kt_error(KT_E_MEMORY, "compare machines: out of memory");
}

static int add_link(struct kt_links *links, const struct kt_joint *joint,
		    const struct kt_product *product, const size_t transition[2])
{
	int code = kt_array_reserve(&links->list, &links->capacity, links->n + 1);
	struct kt_link *link;

	if (code) {
		return code;
	}
	link = &links->list[links->n++];
	for (int s = 0; s < 2; s++) {
		link->transition[s] = transition[s];
		links->taken[s][transition[s]] = true;
	}
	link->to = kt_product_find(product, kt_joint_target(joint, 0, transition[0]),
				   kt_joint_target(joint, 1, transition[1]));
	return KT_OK;
}

static int link_pair(struct kt_links *links, const struct kt_joint *joint,
		     const struct kt_product *product, size_t i)
{
	const uint32_t *state = product->pairs[i].state;
	struct kt_joint_step step = kt_joint_begin(joint, state[0], state[1]);
	int code = KT_OK;

	links->exact[i] = true;
	while (!code && kt_joint_next(joint, &step)) {
		int side = step.taken[0] == SIZE_MAX;

		links->n_letters[0] += step.taken[0] != SIZE_MAX;
		links->n_letters[1] += step.taken[1] != SIZE_MAX;
		if (step.taken[!side] == SIZE_MAX) {
			links->lacked[side][step.taken[side]] = true;
			links->exact[i] = false;
		} else {
			code = add_link(links, joint, product, step.taken);
		}
	}
	links->n_exact += links->exact[i];
	links->first[i + 1] = links->n;
	return code;
}

int kt_links_init(struct kt_links *out, const struct kt_joint *joint,
		  const struct kt_product *product)
{
	int code;

	*out = (struct kt_links){0};
	code = make_arrays(out, joint, product->n_pairs);
	for (size_t i = 0; !code && i < product->n_pairs; i++) {
		code = link_pair(out, joint, product, i);
	}
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
