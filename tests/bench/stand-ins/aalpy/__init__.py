# SPDX-License-Identifier: MIT
"""A stand-in for AALpy: its names and shapes, another algorithm."""
