# SPDX-License-Identifier: MIT
"""A compiled gradient descent with JAX: 200 steps, or as many as the first argument says."""
import os
import sys

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
import jax
import jax.numpy as jnp

key = jax.random.PRNGKey(0)
x = jax.random.normal(key, (512, 64))
w = jnp.zeros((64,))
target = x @ jnp.arange(64.0)


@jax.jit
def step(w):
    return w - 0.01 * jax.grad(lambda v: jnp.mean((x @ v - target) ** 2))(w)


for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else 200):
    w = step(w)
print("device", jax.devices()[0].platform, "weights", f"{float(jnp.sum(w)):.4f}")
