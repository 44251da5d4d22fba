# SPDX-License-Identifier: MIT
"""Untested recipe for building ktail with Spack. See packaging/README.md."""

from spack.package import *


class Ktail(CMakePackage):
    """State machines of black-box GPU stacks, from their traces."""

    license("MIT AND GPL-2.0-or-later")

    # There is no archive to fetch: use `spack develop --path CHECKOUT ktail@0.1.0`.
    version("0.1.0")

    depends_on("c", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("gmake", type="build")
    depends_on("libglvnd", type="build")
    depends_on("opencl-c-headers", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("vulkan-headers", type="build")

    depends_on("acl")
    depends_on("babeltrace2@2.0:", type=("build", "link", "run"))
    depends_on("cairo+fc+pdf")
    depends_on("fontconfig")
    depends_on("graphviz@2.42:+pangocairo")
    depends_on("igraph@0.10:")
    depends_on("libarchive@3.6: compression=zstd")
    depends_on("jansson@2.14:")
    depends_on("libdivsufsort@2.0:")
    depends_on("libxml2@2.9:")
    depends_on("lttng-tools@2.13:", type=("build", "link", "run"))
    depends_on("lttng-ust@2.13:")
    depends_on("lz4")
    depends_on("xxhash@0.8:")
    depends_on("zlib-api")
    depends_on("zstd")
    depends_on("zydis@4.0:")

    def cmake_args(self):
        return [self.define("KTAIL_TESTS", False)]
