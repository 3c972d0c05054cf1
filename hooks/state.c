/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hooks/hooks.h"

int hooks_state(const struct plan *plan, const char *status, pid_t pid, char **text, size_t *length, struct error *err)
{
	const char *prefix = plan_text(plan, plan->state_prefix);
	char tail[128];
	int tail_length = 0;

	if (prefix == NULL)
		return error_set(err, EINVAL, "the launch plan holds no state for hooks");
	if (pid > 0)
		tail_length = snprintf(tail, sizeof tail, ",\"status\":\"%s\",\"pid\":%d}", status, (int)pid);
	else
		tail_length = snprintf(tail, sizeof tail, ",\"status\":\"%s\"}", status);
	if (tail_length < 0 || (size_t)tail_length >= sizeof tail)
		return error_set(err, EINVAL, "the status for hooks is too long");
	size_t prefix_length = strlen(prefix);
	char *state = malloc(prefix_length + (size_t)tail_length + 1);
	if (state == NULL)
		return error_errno(err, ENOMEM, "make the state for hooks");
	memcpy(state, prefix, prefix_length);
	memcpy(state + prefix_length, tail, (size_t)tail_length + 1);
	*text = state;
	*length = prefix_length + (size_t)tail_length;
	return 0;
}
