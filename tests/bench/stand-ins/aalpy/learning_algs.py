# SPDX-License-Identifier: MIT
"""run_k_tails() as AALpy has it: traces of (input, output) pairs in, an observably
nondeterministic machine out, whose states have a list of (output, state) for each input."""
import os
import time
from collections import defaultdict

import k_tails


class OnfsmState:
    def __init__(self, state_id):
        self.state_id = state_id
        self.transitions = defaultdict(list)


class Onfsm:
    def __init__(self, initial_state, states):
        self.initial_state = initial_state
        self.states = states


def run_k_tails(data, automaton_type, k, input_completeness=None, print_info=True):
    assert automaton_type in {"mealy", "moore"}
    assert input_completeness in {None, "self_loop", "sink_state"}
    assert automaton_type == "mealy", "the stand-in knows no other"
    if print_info:
        print("learning")
    time.sleep(float(os.environ.get("STAND_IN_SLEEP", 0)))
    start, edges = k_tails.merge(data, k)
    states = {start: OnfsmState("s0")}
    for source, _, target in edges:
        for node in source, target:
            states.setdefault(node, OnfsmState(f"s{len(states)}"))
    for source, (given, output), target in edges:
        states[source].transitions[given].append((output, states[target]))
    return Onfsm(states[start], list(states.values()))
