// SPDX-License-Identifier: GPL-2.0-only
/*
 * TEST ONLY: keep the virtio-serial ports out of suspend.
 *
 * A test's output leaves the machine through them. After a resume, the virtio
 * console driver of some kernels no longer learns that the host's end is open
 * (it asks before it has queued buffers for the answer), and the next write
 * blocks for good. The suspend tests of these machines (pm_test) cut no power,
 * so the device may just as well go on.
 */
#include <linux/device.h>
#include <linux/init.h>
#include <linux/pci.h>
#include <linux/virtio_ids.h>

#include "vhybrid.h"

#define VIRTIO_CONSOLE_TRANSITIONAL	0x1003
#define VIRTIO_CONSOLE_MODERN		(0x1040 + VIRTIO_ID_CONSOLE)

static int __init vh_channel_init(void)
{
	struct pci_dev *pdev = NULL;

	if (!vh_vendor)
		return 0;

	while ((pdev = pci_get_device(PCI_VENDOR_ID_REDHAT_QUMRANET, PCI_ANY_ID, pdev)))
		if (pdev->device == VIRTIO_CONSOLE_TRANSITIONAL ||
		    pdev->device == VIRTIO_CONSOLE_MODERN)
			dev_pm_syscore_device(&pdev->dev, true);
	return 0;
}
late_initcall(vh_channel_init);
