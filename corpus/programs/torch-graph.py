# SPDX-License-Identifier: MIT
"""Replays a CUDA graph of 41 short kernels, which is bound by the GPU.

Prints a checksum, and on standard error the time of a replay in microseconds, for each turn (turn.py).
usage: torch-graph.py [REPLAYS]
"""
import sys
import time

import torch
import turn

replays = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
torch.manual_seed(0)
a = torch.randn(64, 64, device="cuda")
b = torch.zeros_like(a)


def work():
    c = a
    for _ in range(20):
        c = torch.relu(c) * 1.01
    b.copy_(c)


stream = torch.cuda.Stream()
with torch.cuda.stream(stream):
    work()
    work()
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    work()
for _ in range(50):
    graph.replay()
torch.cuda.synchronize()
for _ in turn.each():
    begin = time.perf_counter()
    for _ in range(replays):
        graph.replay()
    torch.cuda.synchronize()
    print(f"replay {(time.perf_counter() - begin) / replays * 1e6:.2f} us", file=sys.stderr, flush=True)
print(f"sum {b.sum().item():.3f}")
