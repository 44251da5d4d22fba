# SPDX-License-Identifier: MIT
# LTTng's kernel tracer works here, and the modules come and go.
# modes: watch
. /bench/devices
load hook_symbol=tty_open
expect hooked 1
lttng list -k
record empty true
unload
ktail-record --version
