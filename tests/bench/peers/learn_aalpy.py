# SPDX-License-Identifier: MIT
"""learn_aalpy.py K WORDS.dat MACHINE.gv: the machine of AALpy's run_k_tails().

A letter is what a Mealy machine puts out for the one input there is: of two states AALpy
compares what they put out for the same input. Prints the seconds that learning took.
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
    """Each input leads to a list of (output, state)."""
    for state in model.states:
        for pairs in state.transitions.values():
            for output, target in pairs:
                yield state.state_id, output, target.state_id


def main():
    k, words, machine = sys.argv[1:]
    model = learn(int(k), exchange.read_words(words))
    exchange.write_machine(machine, model.initial_state.state_id, list(edges_of(model)))


main()
