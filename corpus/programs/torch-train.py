# SPDX-License-Identifier: MIT
"""Trains a small network with PyTorch: 400 steps, or as many as the first argument says, with
batches from two forked loader workers, or as many as the second one says.

Prints the loss and a checksum of the weights, the same at every run on one machine.
usage: torch-train.py [STEPS [WORKERS]]
"""
import os
import sys

os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
import torch

torch.manual_seed(0)
torch.use_deterministic_algorithms(True)

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 400
WORKERS = int(sys.argv[2]) if len(sys.argv) > 2 else 2
inputs = torch.randn(STEPS * 64, 3, 16, 16)
labels = torch.randint(0, 10, (STEPS * 64,))
loader = torch.utils.data.DataLoader(
    torch.utils.data.TensorDataset(inputs, labels),
    batch_size=64, num_workers=WORKERS, pin_memory=True, multiprocessing_context="fork")
model = torch.nn.Sequential(
    torch.nn.Conv2d(3, 16, 3, padding=1), torch.nn.ReLU(), torch.nn.Flatten(),
    torch.nn.Linear(16 * 16 * 16, 64), torch.nn.ReLU(), torch.nn.Linear(64, 10)).cuda()
optimiser = torch.optim.SGD(model.parameters(), lr=0.05)
total = 0.0
for x, y in loader:
    optimiser.zero_grad()
    loss = torch.nn.functional.cross_entropy(
        model(x.cuda(non_blocking=True)), y.cuda(non_blocking=True))
    loss.backward()
    optimiser.step()
    total += loss.item()
print("steps", STEPS, "loss", f"{total / STEPS:.6f}",
      "weights", f"{sum(p.double().abs().sum().item() for p in model.parameters()):.6f}")
