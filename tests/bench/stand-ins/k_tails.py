# SPDX-License-Identifier: MIT
"""The k-tail method on a prefix tree, straight from the definition, for the stand-ins."""
import itertools


def tails(tree, node, k):
    """Returns the sequences of at most k letters that can follow a node."""
    found = {()}
    if k > 0:
        for letter, child in tree[node].items():
            found |= {(letter, *tail) for tail in tails(tree, child, k - 1)}
    return found


def prefix_tree(words):
    tree = [{}]
    for word in words:
        node = 0
        for letter in word:
            if letter not in tree[node]:
                tree[node][letter] = len(tree)
                tree.append({})
            node = tree[node][letter]
    return tree


def merge(words, k):
    """Returns the start and the edges of the determinised machine of nodes with equal k-tails."""
    tree = prefix_tree(words)
    classes = {}
    state = [
        classes.setdefault(frozenset(tails(tree, n, k)), n) for n in range(len(tree))
    ]
    changed = True
    while changed:
        changed = False
        targets = {}
        for node, children in enumerate(tree):
            for letter, child in children.items():
                other = targets.setdefault((state[node], letter), state[child])
                if other != state[child]:
                    old = state[child]
                    state = [other if s == old else s for s in state]
                    changed = True
                    break
            if changed:
                break
    edges = sorted(
        {
            (state[node], letter, state[child])
            for node, children in enumerate(tree)
            for letter, child in children.items()
        }
    )
    assert all(a[:2] != b[:2] for a, b in itertools.pairwise(edges))
    return state[0], edges
