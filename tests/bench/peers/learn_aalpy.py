# SPDX-License-Identifier: MIT
"""learn_aalpy.py K WORDS.dat MACHINE.gv: writes the machine of AALpy's run_k_tails().

Words are given as traces of a Mealy machine with one input, whose outputs are the letters,
because AALpy compares the outputs of two states for the same input. Prints the seconds that
learning took.
"""
import sys
import time

from aalpy.learning_algs import run_k_tails

import exchange


def learn(k, words):
    data = [[("step", letter) for letter in word] for word in words]
    begin = time.monotonic()
    model = run_k_tails(data, "mealy", k, print_info=False)
    print(f"{time.monotonic() - begin:.3f}")
    return model


def edges_of(model):
    """Yields the edges. The transitions of a state are a list of (output, state) per input."""
    for state in model.states:
        for pairs in state.transitions.values():
            for output, target in pairs:
                yield state.state_id, output, target.state_id


def main():
    k, words, machine = sys.argv[1:]
    model = learn(int(k), exchange.read_words(words))
    exchange.write_machine(machine, model.initial_state.state_id, list(edges_of(model)))


main()
