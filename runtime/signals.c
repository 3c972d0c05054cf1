/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/signals.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <strings.h>

#include "sandbox/common/cleanup.h"
#include "sandbox/common/number.h"

static const struct {
	const char *name;
	int number;
} signals[] = {
    {"HUP", SIGHUP},       {"INT", SIGINT},       {"QUIT", SIGQUIT}, {"ILL", SIGILL},     {"TRAP", SIGTRAP},
    {"ABRT", SIGABRT},     {"IOT", SIGIOT},       {"BUS", SIGBUS},   {"FPE", SIGFPE},     {"KILL", SIGKILL},
    {"USR1", SIGUSR1},     {"SEGV", SIGSEGV},     {"USR2", SIGUSR2}, {"PIPE", SIGPIPE},   {"ALRM", SIGALRM},
    {"TERM", SIGTERM},     {"CHLD", SIGCHLD},     {"CLD", SIGCHLD},  {"CONT", SIGCONT},   {"STOP", SIGSTOP},
    {"TSTP", SIGTSTP},     {"TTIN", SIGTTIN},     {"TTOU", SIGTTOU}, {"URG", SIGURG},     {"XCPU", SIGXCPU},
    {"XFSZ", SIGXFSZ},     {"VTALRM", SIGVTALRM}, {"PROF", SIGPROF}, {"WINCH", SIGWINCH}, {"IO", SIGIO},
    {"POLL", SIGPOLL},     {"PWR", SIGPWR},       {"SYS", SIGSYS},
#ifdef SIGSTKFLT
    {"STKFLT", SIGSTKFLT},
#endif
};

/* RTMIN, RTMIN+3, RTMAX-2: the kernel's numbers; libc keeps some of them for itself and would count from another. */
static int parse_realtime(const char *name)
{
	const int first = 34, last = 64;
	int offset = 0;

	if (strncasecmp(name, "RTMIN", 5) == 0) {
		if (name[5] == '\0')
			return first;
		return name[5] == '+' && number_parse_int(name + 6, 0, last - first, &offset) == 0 ? first + offset
												   : -EINVAL;
	}
	if (strncasecmp(name, "RTMAX", 5) == 0) {
		if (name[5] == '\0')
			return last;
		return name[5] == '-' && number_parse_int(name + 6, 0, last - first, &offset) == 0 ? last - offset
												   : -EINVAL;
	}
	return -EINVAL;
}

int signal_parse(const char *text)
{
	int number;

	if (number_parse_int(text, 0, 64, &number) == 0)
		return number;
	if (strncasecmp(text, "SIG", 3) == 0)
		text += 3;
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		if (strcasecmp(signals[i].name, text) == 0)
			return signals[i].number;
	return parse_realtime(text);
}
