/* SPDX-License-Identifier: GPL-2.0 */
/* Interrupts of devices: gpu_stack_irq for the lines of the parameter irq. */
#ifndef DW_IRQ_H
#define DW_IRQ_H

int dw_irq_init(void);
void dw_irq_exit(void);

#endif
