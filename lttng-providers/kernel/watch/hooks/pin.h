/* SPDX-License-Identifier: GPL-2.0 */
/* Pages of a process that the kernel pins in the course of a traced ioctl: gpu_stack_pin.
 */
#ifndef DW_PIN_H
#define DW_PIN_H

int dw_pin_init(void);
void dw_pin_exit(void);

#endif
