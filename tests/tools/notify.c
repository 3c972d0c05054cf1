// SPDX-License-Identifier: Apache-2.0
// sd_notify(3) for containers without libsystemd: notify LINE,LINE... [LINE,LINE...]; each argument is a datagram.
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

int main(int argc, char **argv)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	const char *path = getenv("NOTIFY_SOCKET");
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (path == NULL || strlen(path) >= sizeof address.sun_path) {
		fputs("no NOTIFY_SOCKET\n", stderr);
		return 1;
	}
	strcpy(address.sun_path, path);
	for (int i = 1; i < argc; i++) {
		for (char *c = argv[i]; *c != '\0'; c++)
			if (*c == ',')
				*c = '\n';
		if (sendto(fd, argv[i], strlen(argv[i]), 0, (struct sockaddr *)&address, sizeof address) < 0) {
			perror(path);
			return 1;
		}
	}
	return 0;
}
