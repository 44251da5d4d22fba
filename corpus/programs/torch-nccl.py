# SPDX-License-Identifier: MIT
"""Sums tensors of two GPUs by NCCL, one process for each: 20 times, or as many as the first argument
says. With one GPU there is one process.

Prints a checksum, the same at every run. NVLink's multicast is left off, because a program that uses
it can harm others on the same host.
usage: torch-nccl.py [TIMES]
"""
import os
import sys
import tempfile

os.environ["NCCL_NVLS_ENABLE"] = "0"
import torch
import torch.distributed as distributed

TIMES = int(sys.argv[1]) if len(sys.argv) > 1 else 20


def work(rank, ranks, meeting):
    torch.cuda.set_device(rank)
    distributed.init_process_group(
        "nccl", init_method=f"file://{meeting}", rank=rank, world_size=ranks,
        device_id=torch.device("cuda", rank))
    total = 0.0
    for i in range(TIMES):
        x = torch.arange(1 << 20, device="cuda", dtype=torch.float64) * (rank + 1) + i
        distributed.all_reduce(x)
        total += x.sum().item()
    if rank == 0:
        print("times", TIMES, "sum", f"{total / ranks:.1f}", flush=True)
    distributed.destroy_process_group()


if __name__ == "__main__":
    ranks = min(torch.cuda.device_count(), 2)
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.spawn(work, (ranks, os.path.join(folder, "meeting")), nprocs=ranks)
