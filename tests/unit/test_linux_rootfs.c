/* SPDX-License-Identifier: Apache-2.0 */
/* config.md "root", config-linux.md "devices", "maskedPaths", "readonlyPaths", "rootfsPropagation"; hostile images. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "sandbox/common/cleanup.h"
#include "tests/unit/rootfs_harness.h"

#define MOUNT(destination, type, source, options)                                              \
	"{\"destination\": \"" destination "\", \"type\": \"" type "\", \"source\": \"" source \
	"\", \"options\": [" options "]}"
#define PROC MOUNT("/proc", "proc", "proc", "\"nosuid\", \"nodev\", \"noexec\"")
#define DEV MOUNT("/dev", "tmpfs", "tmpfs", "\"nosuid\", \"mode=755\"")
#define PTS MOUNT("/dev/pts", "devpts", "devpts", "\"nosuid\", \"noexec\", \"ptmxmode=0666\"")
#define BIND(source, destination, options) MOUNT(destination, "bind", source, options)

static bool is_type(const char *path, mode_t type)
{
	struct stat status;

	return lstat(path, &status) == 0 && (status.st_mode & S_IFMT) == type;
}

static bool is_device(const char *path, mode_t type, unsigned int major_number, unsigned int minor_number, mode_t mode)
{
	struct stat status;

	return lstat(path, &status) == 0 && status.st_mode == (type | mode) &&
	       (type == S_IFIFO || status.st_rdev == makedev(major_number, minor_number));
}

static bool link_is(const char *path, const char *target)
{
	char text[256] = "";

	return readlink(path, text, sizeof text - 1) >= 0 && strcmp(text, target) == 0;
}

static bool is_empty(const char *path)
{
	char buffer[8];
	CLEANUP_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);

	return fd >= 0 && read(fd, buffer, sizeof buffer) == 0;
}

static void devices_before(void)
{
	make_directory("rootfs/old");
	check_that(mknod("rootfs/old/zero", S_IFCHR | 0600, makedev(1, 5)) == 0, "mknod");
}

static void devices_inside(void)
{
	struct stat status = {0};

	check_that(is_device("/dev/null", S_IFCHR, 1, 3, 0666) && is_device("/dev/zero", S_IFCHR, 1, 5, 0666) &&
		       is_device("/dev/full", S_IFCHR, 1, 7, 0666) && is_device("/dev/random", S_IFCHR, 1, 8, 0666) &&
		       is_device("/dev/urandom", S_IFCHR, 1, 9, 0600) && is_device("/dev/tty", S_IFCHR, 5, 0, 0666),
		   "default devices");
	check_that(is_device("/dev/block", S_IFBLK, 8, 666, 0660) && stat("/dev/block", &status) == 0 &&
		       status.st_uid == 10 && status.st_gid == 11,
		   "/dev/block");
	check_that(is_device("/dev/fifo", S_IFIFO, 0, 0, 0640), "/dev/fifo");
	check_that(is_device("/dev/net/tun", S_IFCHR, 10, 200, 0666), "/dev/net/tun");
	check_that(is_device("/opt/device", S_IFCHR, 10, 229, 0157), "/opt/device");
	check_that(is_device("/old/zero", S_IFCHR, 1, 5, 0600), "/old/zero");
	check_that(link_is("/dev/fd", "/proc/self/fd") && link_is("/dev/stdin", "/proc/self/fd/0") &&
		       link_is("/dev/stdout", "/proc/self/fd/1") && link_is("/dev/stderr", "/proc/self/fd/2") &&
		       link_is("/dev/ptmx", "pts/ptmx"),
		   "links of /dev");
	check_that(umask(0) == 022, "the umask was changed");
}

static void image_dev_before(void)
{
	make_directory("rootfs/dev/ptmx");
	make_link("elsewhere", "rootfs/dev/fd");
	check_that(mknod("rootfs/dev/null", S_IFCHR | 0640, makedev(1, 3)) == 0, "mknod");
}

static void image_dev_inside(void)
{
	check_that(is_device("/dev/null", S_IFCHR, 1, 3, 0640), "/dev/null was changed");
	check_that(is_device("/dev/zero", S_IFCHR, 1, 5, 0666), "/dev/zero is missing");
	check_that(link_is("/dev/fd", "elsewhere") && link_is("/dev/ptmx", "pts/ptmx"), "links of /dev");
}

static void bound_dev_before(void)
{
	make_directory("dev");
	make_file("dev/marker", "");
}

static void bound_dev_inside(void)
{
	check_that(access("/dev/marker", F_OK) == 0, "/dev is not the mount");
	check_that(!is_type("/dev/null", S_IFCHR) && !is_type("/dev/ptmx", S_IFLNK) && !is_type("/dev/x", S_IFCHR),
		   "something was made in a /dev of the host");
	check_that(is_device("/elsewhere", S_IFCHR, 1, 5, 0666), "/elsewhere");
}

/* Hostile images. What is outside of rootfs/ must stay as it is. */
static void outside_before(void)
{
	make_directory("outside/sub");
	make_file("outside/ptmx", "marker");
	make_file("outside/null", "marker");
	make_directory("volume");
	make_file("volume/file", "content");
}

static void outside_is_untouched(void)
{
	check_that(file_is("outside/ptmx", "marker") && file_is("outside/null", "marker"),
		   "files outside were changed");
	check_that(access("outside/zero", F_OK) < 0 && access("outside/shm", F_OK) < 0 &&
		       access("outside/new", F_OK) < 0 && access("outside/fd", F_OK) < 0 && rmdir("outside/sub") == 0,
		   "files outside were created");
	check_that(mount_line("/tmp/sandlock-test-rootfs/outside")[0] == '\0', "something is mounted outside");
}

static void dev_link_before(void)
{
	outside_before();
	make_link("/tmp/sandlock-test-rootfs/outside", "rootfs/dev");
}

static void dev_relative_before(void)
{
	outside_before();
	make_link("../outside", "rootfs/dev");
}

static void dev_up_before(void)
{
	outside_before();
	make_directory("rootfs/outside");
	make_link("../../../../outside", "rootfs/dev");
}

static void dev_up_inside(void)
{
	check_that(is_type("/outside/null", S_IFCHR) && mount_line("/outside")[0] != '\0', "/dev does not lead inside");
}

static void dev_alias_before(void)
{
	make_link("dev", "rootfs/alias");
}

static void dev_alias_inside(void)
{
	check_that(strstr(mount_line("/dev"), " second ") != NULL, "/dev: %s", mount_line("/dev"));
	check_that(is_type("/dev/null", S_IFCHR), "/dev/null is missing");
}

static void proc_link_before(void)
{
	outside_before();
	make_link("../outside", "rootfs/proc");
}

static void proc_inside_link_before(void)
{
	make_directory("rootfs/elsewhere");
	make_link("elsewhere", "rootfs/proc");
}

static void sys_parent_link_before(void)
{
	make_directory("rootfs/real/sys");
	make_link("real", "rootfs/run");
}

static void null_link_before(void)
{
	outside_before();
	make_directory("rootfs/dev");
	make_link("../../outside/null", "rootfs/dev/null");
}

static void null_file_before(void)
{
	make_directory("rootfs/dev");
	make_file("rootfs/dev/null", "data");
}

static void etc_link_before(void)
{
	outside_before();
	make_link("/", "rootfs/etc");
	make_link("../../../../outside/new", "rootfs/dangling");
	make_link("loop", "rootfs/loop");
	make_link("/a/../../b/./c", "rootfs/deep");
	make_directory("rootfs/a");
}

static void etc_link_inside(void)
{
	check_that(file_is("/hosts", "content") && mount_line("/hosts")[0] != '\0', "/etc/hosts");
	check_that(file_is("/outside/new", "content"), "a dangling link is not followed inside: /outside/new");
	check_that(file_is("/up", "content"), "/../../up");
	check_that(file_is("/b/c", "content"), "/deep");
	check_that(file_is("/new/directory/file", "content"), "/new/directory/file");
}

static void proc_sys_link_before(void)
{
	make_directory("volume");
	make_file("volume/file", "content");
	make_link("/proc/sys/kernel", "rootfs/innocent");
	make_link("/proc/self/attr", "rootfs/self");
}

static void pts_link_before(void)
{
	outside_before();
	make_directory("rootfs/dev");
	make_link("../../outside", "rootfs/dev/pts");
	make_link("/../outside", "rootfs/dev/shm");
}

static void pts_link_inside(void)
{
	check_that(strstr(mount_line("/outside"), " - tmpfs") != NULL, "/dev/shm: %s", mount_line("/outside"));
}

/* Masks */
static void masks_before(void)
{
	make_directory("rootfs/directory/below");
	make_file("rootfs/directory/below/secret", "secret");
	make_file("rootfs/file", "secret");
	make_directory("rootfs/other");
	make_file("rootfs/other/file", "secret");
	check_that(mknod("rootfs/block", S_IFBLK | 0666, 0) == 0 && mkfifo("rootfs/fifo", 0666) == 0, "mknod");
	make_link("file", "rootfs/link");
	make_file("rootfs/target", "secret");
	make_link("../../../target", "rootfs/upwards");
	make_directory("rootfs/readonly/below");
	make_file("rootfs/readonly/file", "text");
	make_file("rootfs/rofile", "text");
	make_directory("rootfs/volume");
	make_directory("volume/below");
}

static void masks_inside(void)
{
	check_that(is_empty("/file") && is_empty("/target") && is_empty("/link"), "a file can be read");
	check_that(access("/directory/below", F_OK) < 0 && access("/other/file", F_OK) < 0, "a directory can be read");
	check_that(mkdir("/directory/new", 0755) < 0 && errno == EROFS, "a masked directory can be written");
	check_that(is_empty("/block") && is_empty("/fifo"), "a node is there");
	check_that(is_empty("/proc/keys") && access("/proc/acpi/wakeup", F_OK) < 0, "/proc is not masked");
	check_that(mkdir("/readonly/x", 0755) < 0 && errno == EROFS, "/readonly can be written");
	check_that(open("/readonly/file", O_WRONLY) < 0 && errno == EROFS, "/readonly/file can be written");
	check_that(open("/rofile", O_WRONLY) < 0 && errno == EROFS, "/rofile can be written");
	check_that(open("/proc/sys/kernel/hostname", O_WRONLY) < 0 && errno == EROFS, "/proc/sys can be written");
	check_that(mkdir("/volume/below/x", 0755) < 0 && errno == EROFS, "/volume/below can be written");
	const char *line = mount_line("/proc/bus");
	check_that(has_word(line, "ro") && has_word(line, "nosuid") && has_word(line, "nodev") &&
		       has_word(line, "noexec"),
		   "/proc/bus: %s", line);
	line = mount_line("/volume");
	check_that(has_word(line, "ro") && has_word(line, "nosuid") && has_word(line, "noatime"), "/volume: %s", line);
	line = mount_line("/volume/below");
	check_that(has_word(line, "ro") && has_word(line, "nodev"), "/volume/below: %s", line);
	check_that(mkdir("/writable", 0755) == 0, "the root cannot be written: %s", strerror(errno));
}

static void old_masks_inside(void)
{
	check_that(is_empty("/file") && access("/directory/below", F_OK) < 0, "masks");
	const char *line = mount_line("/volume");
	check_that(has_word(line, "ro") && has_word(line, "nosuid") && has_word(line, "noatime"), "/volume: %s", line);
	line = mount_line("/proc/bus");
	check_that(has_word(line, "ro") && has_word(line, "nosuid") && has_word(line, "nodev"), "/proc/bus: %s", line);
	check_that(mkdir("/x", 0755) < 0 && errno == EROFS, "the root can be written");
}

static void masks_without_null_inside(void)
{
	struct stat one, two;

	check_that(is_empty("/file") && is_empty("/target"), "a file can be read");
	check_that(open("/file", O_WRONLY) < 0 && (errno == EROFS || errno == EACCES), "/file can be written");
	check_that(stat("/file", &one) == 0 && stat("/target", &two) == 0 && one.st_ino == two.st_ino,
		   "not the same file covers both");
	check_that(access("/directory/below", F_OK) < 0, "a directory can be read");
	check_that(access("/proc/self/mountinfo", F_OK) == 0 && access("/marker", F_OK) < 0, "something covers /");
}

static void fake_null_before(void)
{
	masks_before();
	make_directory("dev");
	make_file("dev/null", "secret");
}

static void volume_mount_before(void)
{
	masks_before();
	check_that(mount("tmpfs", "volume", "tmpfs", MS_NOSUID | MS_NOATIME, "") == 0, "mount");
	make_directory("volume/below");
	check_that(mount("tmpfs", "volume/below", "tmpfs", MS_NODEV, "") == 0, "mount");
}

#define MASKS                                                                                                          \
	"\"maskedPaths\": [\"/directory\", \"/file\", \"/other\", \"/block\", \"/fifo\", \"/upwards\", \"/nowhere\", " \
	"\"/file/nowhere\", \"/proc/keys\", \"/proc/acpi\", \"/directory/below\"], \"readonlyPaths\": "                \
	"[\"/readonly\", "                                                                                             \
	"\"/rofile\", \"/nowhere\", \"/proc/sys\", \"/proc/bus\", \"/volume\"]"

static void readonly_inside(void)
{
	check_that(mkdir("/x", 0755) < 0 && errno == EROFS, "the root can be written");
	check_that(has_word(mount_line("/"), "ro") && has_word(mount_line("/"), "nodev"), "/: %s", mount_line("/"));
	check_that(mkdir("/dev/x", 0755) == 0, "/dev cannot be written");
}

static void readonly_before(void)
{
	check_that(mount("tmpfs", "rootfs", "tmpfs", MS_NODEV | MS_NOATIME, "") == 0, "mount");
}

static void slash_inside(void)
{
	check_that(file_is("/tmp/sandlock-test-rootfs/volume/file", "content"), "the root is another one");
	check_that(is_type("/dev/null", S_IFCHR) && access("/proc/self", F_OK) == 0, "mounts are missing");
}

static void slash_outside(void)
{
	struct stat status = {0};

	check_that(stat("/dev/ptmx", &status) == 0 && status.st_rdev == makedev(5, 2), "/dev/ptmx was changed");
}

/* What the container mounts must not be seen outside, and the other way round only with slave. */
static void nothing_leaks(void)
{
	char text[65536];
	CLEANUP_CLOSE int fd = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
	ssize_t length = read(fd, text, sizeof text - 1);

	text[length > 0 ? length : 0] = '\0';
	check_that(strstr(text, "/rootfs") == NULL, "a mount of the container is seen outside:\n%s", text);
	check_that(strstr(text, " - sysfs ") != NULL && strstr(text, " /proc ") != NULL, "mounts are gone:\n%s", text);
}

static void shared_inside(void)
{
	check_that(strstr(mount_line("/"), "shared:") != NULL, "/: %s", mount_line("/"));
	check_that(mount("tmpfs", "/dev", "tmpfs", 0, "") == 0, "mount: %s", strerror(errno));
}

static void slave_inside(void)
{
	check_that(strstr(mount_line("/"), "master:") != NULL, "/: %s", mount_line("/"));
}

static void private_inside(void)
{
	check_that(strstr(mount_line("/"), "master:") == NULL && strstr(mount_line("/"), "shared:") == NULL, "/: %s",
		   mount_line("/"));
}

static void unbindable_inside(void)
{
	check_that(strstr(mount_line("/"), "unbindable") != NULL, "/: %s", mount_line("/"));
	check_that(is_empty("/dev/null"), "/dev/null");
}

static void no_pivot_inside(void)
{
	check_that(access("/rootfs", F_OK) < 0 && access("/etc", F_OK) < 0, "the root is not that of the container");
	check_that(mount_line("/proc")[0] != '\0' && is_empty("/dev/null"), "mounts are missing");
}

/* The kernel lets a user namespace mount sysfs where one is visible: the host's must not be. */
static void no_pivot_sysfs_inside(void)
{
	no_pivot_inside();
	check_that(mkdir("/new", 0755) == 0, "mkdir");
	check_that(unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWNET) == 0, "unshare: %s", strerror(errno));
	int result = mount("sysfs", "/new", "sysfs", 0, NULL);
	check_that(result < 0 && errno == EPERM, "the host's /sys is visible: %d %s", result, strerror(errno));
}

static void host_namespace_before(void)
{
	make_file("rootfs/marker", "");
}

static void host_namespace_inside(void)
{
	check_that(access("/marker", F_OK) == 0 && access("/proc/self", F_OK) == 0 && is_empty("/dev/null"),
		   "the root is incomplete");
}

static void host_namespace_outside(void)
{
	check_that(umount2("/tmp/sandlock-test-rootfs/rootfs", MNT_DETACH) == 0, "umount: %s", strerror(errno));
	nothing_leaks();
	check_that(access("rootfs/proc", F_OK) == 0 && access("rootfs/proc/self", F_OK) < 0, "rootfs/proc is left");
}

#define DEVICE(path, type, numbers) "{\"path\": \"" path "\", \"type\": \"" type "\"" numbers "}"
#define NUMBERS(major, minor) ", \"major\": " major ", \"minor\": " minor

static const struct rootfs_case cases[] = {
    {.name = "devices",
     .mounts = PROC ", " DEV ", " PTS,
     .linux_ =
	 "\"devices\": [" DEVICE("/dev/block", "b", NUMBERS("8", "666") ", \"fileMode\": 432, \"uid\": 10, \"gid\": 11") ", " DEVICE("/dev/fifo", "p", ", \"fileMode\": 416") ", " DEVICE(
	     "/dev/net/tun", "u",
	     NUMBERS(
		 "10",
		 "200")) ", " DEVICE("/opt/device/", "c",
				     NUMBERS(
					 "10",
					 "229") ", \"fileMode\": 111") ", " DEVICE("/dev/urandom", "c",
										   NUMBERS(
										       "1",
										       "9") ", \"fileMode\": "
											    "384") ", " DEVICE("/old/"
													       "zero",
													       "c",
													       NUMBERS(
														   "1",
														   "5")) "]",
     .before = devices_before,
     .inside = devices_inside},
    {.name = "a /dev of the image", .mounts = PROC, .before = image_dev_before, .inside = image_dev_inside},
    {.name = "another file for a device",
     .mounts = PROC ", " DEV,
     .linux_ = "\"devices\": [" DEVICE("/old/zero", "c", NUMBERS("1", "7")) "]",
     .before = devices_before,
     .error = "file exists: /old/zero is there and is not the device 1:7"},
    {.name = "a /dev of the host",
     .mounts = PROC ", " BIND("dev", "/dev//", "\"rbind\""),
     .linux_ = "\"devices\": [" DEVICE("/dev/x", "c", NUMBERS("1", "5")) ", " DEVICE("/elsewhere", "c",
										     NUMBERS("1", "5")) "]",
     .before = bound_dev_before,
     .inside = bound_dev_inside},
    {.name = "/dev is a link outside",
     .mounts = PROC,
     .before = dev_link_before,
     .outside = outside_is_untouched,
     .error = "/dev"},
    {.name = "/dev is a relative link outside",
     .mounts = PROC,
     .before = dev_relative_before,
     .outside = outside_is_untouched,
     .error = "/dev"},
    {.name = "/dev is a link upwards",
     .mounts = PROC ", " DEV ", " MOUNT("/dev/shm", "tmpfs", "shm", ""),
     .before = dev_up_before,
     .inside = dev_up_inside,
     .outside = outside_is_untouched},
    {.name = "a link to /dev",
     .mounts = PROC ", " DEV ", " MOUNT("/alias", "tmpfs", "second", "\"mode=755\""),
     .before = dev_alias_before,
     .inside = dev_alias_inside},
    {.name = "/proc is a link outside",
     .mounts = PROC,
     .before = proc_link_before,
     .outside = outside_is_untouched,
     .error = "filesystem \"proc\" must be mounted on ordinary directory"},
    {.name = "/proc is a link",
     .mounts = PROC,
     .before = proc_inside_link_before,
     .error = "filesystem \"proc\" must be mounted on ordinary directory"},
    {.name = "sysfs below a link",
     .mounts = MOUNT("/run/sys", "sysfs", "sysfs", "\"ro\""),
     .before = sys_parent_link_before,
     .error = "must be mounted on ordinary directory"},
    {.name = "/dev/null is a link",
     .mounts = PROC,
     .before = null_link_before,
     .outside = outside_is_untouched,
     .error = "/dev/null is there and is not the device 1:3"},
    {.name = "/dev/null is a file",
     .mounts = PROC,
     .before = null_file_before,
     .error = "/dev/null is there and is not the device 1:3"},
    {.name = "/etc is a link to /",
     .mounts = PROC
     ", " BIND("volume/file", "/etc/hosts", "\"bind\"") ", " BIND("volume/file", "/dangling", "\"bind\"") ", " BIND(
	 "volume/file", "/../../up",
	 "\"bind\"") ", " BIND("volume/file", "/deep", "\"bind\"") ", " BIND("volume", "/new/directory", "\"bind\""),
     .before = etc_link_before,
     .inside = etc_link_inside,
     .outside = outside_is_untouched},
    {.name = "a link to itself",
     .mounts = BIND("volume/file", "/loop", "\"bind\""),
     .before = etc_link_before,
     .error = "symbolic link"},
    {.name = "a link into /proc",
     .mounts = PROC ", " BIND("volume/file", "/innocent/hostname", "\"bind\""),
     .before = proc_sys_link_before,
     .error = "cannot be mounted because it is inside /proc"},
    {.name = "a link into /proc/self",
     .mounts = PROC ", " BIND("volume/file", "/self/exec", "\"bind\""),
     .before = proc_sys_link_before,
     .error = "cannot be mounted because it is inside /proc"},
    {.name = "/dev/pts and /dev/shm are links",
     .mounts = PROC ", " PTS ", " MOUNT("/dev/shm", "tmpfs", "shm", "\"mode=1777\""),
     .before = pts_link_before,
     .inside = pts_link_inside,
     .outside = outside_is_untouched},
    {.name = "masks",
     .mounts = PROC ", " DEV ", " BIND("volume", "/volume", "\"rbind\""),
     .linux_ = MASKS,
     .before = volume_mount_before,
     .inside = masks_inside},
    {.name = "masks on an old kernel",
     .old_kernel = true,
     .root = "\"path\": \"rootfs\", \"readonly\": true",
     .mounts = PROC ", " DEV ", " BIND("volume", "/volume", "\"rbind\""),
     .linux_ = MASKS,
     .before = volume_mount_before,
     .inside = old_masks_inside},
    {.name = "masks in a user namespace",
     .user_namespace = true,
     .mounts = PROC ", " DEV ", " BIND("volume", "/volume", "\"rbind\""),
     .linux_ = MASKS,
     .before = volume_mount_before,
     .inside = NULL},
    {.name = "masks without /dev/null",
     .mounts = PROC ", " BIND("dev", "/dev", "\"bind\""),
     .linux_ = "\"maskedPaths\": [\"/file\", \"/target\", \"/directory\"]",
     .before = fake_null_before,
     .inside = masks_without_null_inside},
    {.name = "masks without /dev/null in a user namespace",
     .user_namespace = true,
     .mounts = PROC ", " BIND("dev", "/dev", "\"bind\""),
     .linux_ = "\"maskedPaths\": [\"/file\", \"/target\", \"/directory\"]",
     .before = fake_null_before,
     .inside = masks_without_null_inside},
    {.name = "a masked link to itself",
     .mounts = PROC,
     .linux_ = "\"maskedPaths\": [\"/loop\"]",
     .before = etc_link_before,
     .error = "mask path /loop"},
    {.name = "a relative mask", .mounts = PROC, .linux_ = "\"maskedPaths\": [\"file\"]", .error = "maskedPaths"},
    {.name = "read-only root",
     .root = "\"path\": \"rootfs\", \"readonly\": true",
     .mounts = PROC ", " DEV,
     .before = readonly_before,
     .inside = readonly_inside},
    {.name = "the caller's root",
     .root = "\"path\": \"/\"",
     .before = outside_before,
     .inside = slash_inside,
     .outside = slash_outside},
    {.name = "the caller's root in a user namespace",
     .root = "\"path\": \"/\"",
     .user_namespace = true,
     .before = outside_before,
     .inside = slash_inside,
     .outside = slash_outside},
    {.name = "no root", .root = "\"path\": \"nowhere\"", .error = "nowhere"},
    {.name = "default propagation",
     .shared = true,
     .mounts = PROC ", " DEV,
     .inside = private_inside,
     .outside = nothing_leaks},
    {.name = "shared",
     .shared = true,
     .mounts = PROC ", " DEV,
     .linux_ = "\"rootfsPropagation\": \"shared\"",
     .inside = shared_inside,
     .outside = nothing_leaks},
    {.name = "rshared",
     .shared = true,
     .mounts = PROC ", " DEV,
     .linux_ = "\"rootfsPropagation\": \"rshared\"",
     .inside = shared_inside,
     .outside = nothing_leaks},
    {.name = "slave",
     .shared = true,
     .mounts = PROC ", " DEV,
     .linux_ = "\"rootfsPropagation\": \"slave\"",
     .inside = slave_inside,
     .outside = nothing_leaks},
    {.name = "private",
     .shared = true,
     .mounts = PROC ", " DEV,
     .linux_ = "\"rootfsPropagation\": \"private\"",
     .inside = private_inside,
     .outside = nothing_leaks},
    {.name = "rprivate",
     .shared = true,
     .mounts = PROC ", " DEV,
     .linux_ = "\"rootfsPropagation\": \"rprivate\"",
     .inside = private_inside,
     .outside = nothing_leaks},
    {.name = "unbindable",
     .shared = true,
     .mounts = PROC ", " DEV,
     .linux_ = "\"rootfsPropagation\": \"unbindable\", \"readonlyPaths\": [\"/dev\"]",
     .inside = unbindable_inside,
     .outside = nothing_leaks},
    {.name = "no pivot",
     .shared = true,
     .no_pivot = true,
     .mounts = PROC ", " DEV,
     .inside = no_pivot_sysfs_inside,
     .outside = nothing_leaks},
    {.name = "no pivot in a user namespace",
     .user_namespace = true,
     .no_pivot = true,
     .mounts = PROC ", " DEV,
     .inside = no_pivot_inside,
     .outside = nothing_leaks},
    {.name = "no mount namespace",
     .shared = true,
     .no_mount_namespace = true,
     .mounts = PROC ", " DEV,
     .before = host_namespace_before,
     .inside = host_namespace_inside,
     .outside = host_namespace_outside},
    {.name = "failure without a mount namespace",
     .no_mount_namespace = true,
     .mounts = PROC ", " DEV ", " MOUNT("/x", "tmpfs", "tmpfs", "\"size=banana\""),
     .before = host_namespace_before,
     .outside = nothing_leaks,
     .error = "size"},
    {.name = "/ without a mount namespace",
     .no_mount_namespace = true,
     .mounts = BIND("/", "/", "\"rbind\""),
     .error = "needs a mount namespace"},
    {.name = "the host's pids", .host_pids = true, .mounts = PROC ", " DEV, .inside = private_inside},
};

int main(void)
{
	int failed = 0;

	if (geteuid() != 0) {
		fputs("needs root\n", stderr);
		return 77;
	}
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		failed += rootfs_case_run(&cases[i]) != 0;
	printf("%zu cases, %d failed\n", ARRAY_SIZE(cases), failed);
	return failed == 0 ? 0 : 1;
}
