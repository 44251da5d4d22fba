# SPDX-License-Identifier: MIT
# LTTng's kernel tracer works in the guest, and the modules can be loaded and removed.
# modes: watch
. /bench/devices
load hook_symbol=tty_open
expect hooked 1
lttng list -k
record empty true
unload
ktail-record --version
