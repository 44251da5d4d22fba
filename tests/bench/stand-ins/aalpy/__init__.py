# SPDX-License-Identifier: MIT
"""A stand-in for AALpy, with the same interface but another algorithm."""
