# SPDX-License-Identifier: MIT
"""A training step of a small transformer, which is bound by the CPU: about 260 submissions a step.

Prints the loss, and on standard error the time of a step in microseconds, for each turn (turn.py).
usage: torch-step.py [STEPS]
"""
import sys
import time

import torch
import turn

steps = int(sys.argv[1]) if len(sys.argv) > 1 else 300
torch.manual_seed(0)
layers = [
    torch.nn.TransformerEncoderLayer(256, 4, 512, dropout=0.0, batch_first=True) for _ in range(4)
]
model = torch.nn.Sequential(*layers).cuda()
head = torch.nn.Linear(256, 10).cuda()
optimizer = torch.optim.SGD(list(model.parameters()) + list(head.parameters()), 0.01)
x = torch.randn(8, 64, 256).cuda()
y = torch.randint(0, 10, (8,)).cuda()


def step():
    loss = torch.nn.functional.cross_entropy(head(model(x).mean(1)), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss


for _ in range(20):
    step()
torch.cuda.synchronize()
for _ in turn.each():
    begin = time.perf_counter()
    for _ in range(steps):
        loss = step()
    torch.cuda.synchronize()
    print(f"step {(time.perf_counter() - begin) / steps * 1e6:.1f} us", file=sys.stderr, flush=True)
print(f"loss {loss.item():.4f}")
