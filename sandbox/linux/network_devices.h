/* SPDX-License-Identifier: Apache-2.0 */
/* config-linux.md "netDevices" */
#ifndef SANDLOCK_LINUX_NETWORK_DEVICES_H
#define SANDLOCK_LINUX_NETWORK_DEVICES_H

#include <stdbool.h>
#include <sys/types.h>

#include "sandbox/common/error.h"
#include "spec/config.h"

/* Moves the devices from the current network namespace to that of the process `pid`, under their new names, with
 * their permanent global addresses, and brings them up. Call it in the program, on the host's side, once the
 * container's network namespace is there and before the createRuntime hooks. Enters the other namespace for a moment,
 * so it must not run beside other threads; `pid` must stay unreaped meanwhile. Errors: the container is not to be
 * started then; devices that were moved go down with its network namespace, physical ones come back to the host. */
int net_devices_move(const struct oci_config *config, pid_t pid, struct error *err);

/* Whether the kernel takes it as a device name, or as a template with one "%d". */
bool network_device_name_valid(const char *name);

#endif
