/* SPDX-License-Identifier: Apache-2.0 */
/* config.md "mounts": options, bind mounts, propagation, user namespaces, idmapped mounts. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sandbox/common/cleanup.h"
#include "tests/unit/rootfs_harness.h"

#define MOUNT(destination, type, source, options)                                              \
	"{\"destination\": \"" destination "\", \"type\": \"" type "\", \"source\": \"" source \
	"\", \"options\": [" options "]}"
#define PROC MOUNT("/proc", "proc", "proc", "")
#define BIND(source, destination, options) MOUNT(destination, "bind", source, options)

static unsigned int mode_of(const char *path)
{
	struct stat status = {0};

	return lstat(path, &status) == 0 ? status.st_mode & 07777u : 0xffff;
}

static bool is_type(const char *path, mode_t type)
{
	struct stat status = {0};

	return lstat(path, &status) == 0 && (status.st_mode & S_IFMT) == type;
}

static void check_words(const char *path, const char *yes, const char *no)
{
	const char *line = mount_line(path);
	char word[64];
	int used;

	for (; sscanf(yes, "%63s%n", word, &used) == 1; yes += used)
		check_that(has_word(line, word), "%s lacks %s: %s", path, word, line);
	for (; sscanf(no, "%63s%n", word, &used) == 1; no += used)
		check_that(!has_word(line, word), "%s has %s: %s", path, word, line);
}

/* What docker and podman ask for by default. */
#define ENGINE_MOUNTS                                                                                                                                                                                                                                     \
	MOUNT("/proc", "proc", "proc", "\"nosuid\", \"noexec\", \"nodev\"")                                                                                                                                                                               \
	", " MOUNT("/dev", "tmpfs", "tmpfs", "\"nosuid\", \"strictatime\", \"mode=755\", \"size=65536k\"") ", " MOUNT("/dev/pts", "devpts", "devpts", "\"nosuid\", \"noexec\", \"newinstance\", \"ptmxmode=0666\", \"mode=0620\", \"gid=5\"") ", " MOUNT( \
	    "/sys", "sysfs", "sysfs",                                                                                                                                                                                                                     \
	    "\"nosuid\", \"noexec\", \"nodev\", \"ro\"") ", " MOUNT("/dev/mqueue", "mqueue", "mqueue",                                                                                                                                                    \
								    "\"nosuid\", \"noexec\", "                                                                                                                                                            \
								    "\"nodev\"") ", " MOUNT("/dev/"                                                                                                                                                       \
											    "shm",                                                                                                                                                        \
											    "tmpfs", "shm",                                                                                                                                               \
											    "\"nosu"                                                                                                                                                      \
											    "id\", "                                                                                                                                                      \
											    "\"noex"                                                                                                                                                      \
											    "ec\", "                                                                                                                                                      \
											    "\"node"                                                                                                                                                      \
											    "v\", "                                                                                                                                                       \
											    "\"mode"                                                                                                                                                      \
											    "=1777"                                                                                                                                                       \
											    "\", "                                                                                                                                                        \
											    "\"size"                                                                                                                                                      \
											    "=65536"                                                                                                                                                      \
											    "k\"") ", " BIND("hosts",                                                                                                                                     \
													     "/etc/"                                                                                                                                      \
													     "hosts",                                                                                                                                     \
													     "\"rbind"                                                                                                                                    \
													     "\", "                                                                                                                                       \
													     "\"rpriv"                                                                                                                                    \
													     "ate\"") ", " BIND("%/hosts",                                                                                                                \
																"/etc/resolv.conf",                                                                                                       \
																"\"rbind\", \"rprivate\", \"ro\"")

static void engine_before(void)
{
	make_file("hosts", "127.0.0.1 localhost\n");
}

static void engine_inside(void)
{
	check_words("/proc", "rw nosuid nodev noexec", "ro");
	check_words("/dev", "rw nosuid", "noexec nodev relatime");
	check_words("/dev/pts", "nosuid noexec", "nodev");
	check_words("/sys", "ro nosuid nodev noexec", "");
	check_words("/dev/mqueue", "rw nosuid nodev noexec", "");
	check_words("/dev/shm", "rw nosuid nodev noexec", "");
	check_words("/etc/hosts", "rw", "ro");
	check_words("/etc/resolv.conf", "ro", "rw");
	check_that(strstr(mount_line("/dev/shm"), "size=65536k") != NULL, "size of /dev/shm: %s",
		   mount_line("/dev/shm"));
	check_that(mode_of("/dev/shm") == 01777, "mode of /dev/shm is %o", mode_of("/dev/shm"));
	check_that(mode_of("/dev") == 0755, "mode of /dev is %o", mode_of("/dev"));
	check_that(file_is("/etc/hosts", "127.0.0.1 localhost\n"), "/etc/hosts");
	check_that(open("/etc/resolv.conf", O_WRONLY) < 0 && (errno == EROFS || errno == EACCES),
		   "/etc/resolv.conf can be written");
	CLEANUP_CLOSE int terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC);
	check_that(terminal >= 0, "open /dev/ptmx: %s", strerror(errno));
	CLEANUP_CLOSE int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	check_that(null >= 0 && write(null, "x", 1) == 1, "/dev/null: %s", strerror(errno));
	check_that(access("/etc", F_OK) == 0 && access("/tmp", F_OK) < 0, "the root is not that of the container");
}

static void flags_before(void)
{
	make_directory("volume/below");
	make_file("volume/program", "");
	check_that(mount("tmpfs", "volume/below", "tmpfs", MS_NOSUID, "") == 0, "mount");
	make_directory("volume/below/deep");
	make_directory("guarded");
	check_that(mount("tmpfs", "guarded", "tmpfs", MS_NOSUID | MS_NODEV | MS_NOATIME, "") == 0, "mount");
}

static void flags_inside(void)
{
	check_words("/a", "ro nosuid nodev noexec relatime", "rw");
	check_words("/a/below", "rw nosuid", "ro noexec");
	check_words("/b", "ro", "rw");
	check_words("/b/below", "ro nosuid", "rw");
	check_words("/c", "rw noatime nodiratime", "relatime");
	check_words("/d", "rw", "noatime relatime");
	check_words("/e", "rw", "ro");
	check_that(mount_line("/e/below")[0] == '\0', "bind took a mount below along");
	check_words("/f", "rw noexec nosuid nodev noatime", "ro");
	check_words("/g", "rw nodev relatime", "nosuid noatime");
	check_words("/h", "rw nosuid noexec nodev", "");
	check_words("/h/below", "rw nosuid noexec nodev", "");
	check_words("/i", "rw nosymfollow", "");
	check_words("/j", "rw", "ro");
	check_words("/j/below", "ro noatime", "rw");
}

static void old_flags_inside(void)
{
	check_words("/a", "ro nosuid nodev noexec relatime", "rw");
	check_words("/a/below", "rw nosuid", "ro noexec");
	check_words("/c", "rw noatime nodiratime", "relatime");
	check_words("/d", "rw", "noatime relatime");
	check_words("/f", "rw noexec nosuid nodev noatime", "ro");
	check_words("/g", "rw nodev relatime", "nosuid noatime");
	check_words("/i", "rw nosymfollow nosuid nodev noatime", "");
}

static void old_userns_inside(void)
{
	check_words("/volume", "ro nosuid nodev noexec", "rw");
	check_that(strstr(mount_line("/volume"), "shared:") == NULL, "/volume: %s", mount_line("/volume"));
	check_that(is_type("/dev/null", S_IFCHR), "/dev/null");
}

static void tmpfs_before(void)
{
	make_directory("rootfs/inherit");
	check_that(chmod("rootfs/inherit", 0712) == 0 && mkdir("rootfs/explicit", 0700) == 0, "chmod");
	make_directory("rootfs/copied/sub");
	make_file("rootfs/copied/file", "text");
	make_link("file", "rootfs/copied/link");
	check_that(chown("rootfs/copied/file", 12, 34) == 0 && chmod("rootfs/copied/file", 04711) == 0 &&
		       mknod("rootfs/copied/fifo", S_IFIFO | 0600, 0) == 0 && chmod("rootfs/copied", 0750) == 0 &&
		       chown("rootfs/copied", 7, 8) == 0,
		   "prepare");
}

static void tmpfs_inside(void)
{
	struct stat status = {0};

	check_that(mode_of("/inherit") == 0712, "/inherit has mode %o", mode_of("/inherit"));
	check_that(mode_of("/explicit") == 01777, "/explicit has mode %o", mode_of("/explicit"));
	check_that(mode_of("/new") == 01777, "/new has mode %o", mode_of("/new"));
	check_that(file_is("/copied/file", "text"), "/copied/file");
	check_that(stat("/copied/file", &status) == 0 && status.st_uid == 12 && status.st_gid == 34 &&
		       mode_of("/copied/file") == 04711,
		   "owner and mode of /copied/file");
	check_that(stat("/copied", &status) == 0 && status.st_uid == 7 && status.st_gid == 8 &&
		       mode_of("/copied") == 0750,
		   "owner and mode of /copied");
	check_that(is_type("/copied/link", S_IFLNK) && is_type("/copied/fifo", S_IFIFO) &&
		       is_type("/copied/sub", S_IFDIR),
		   "what is in /copied");
	check_words("/locked", "ro", "rw");
	check_words("/locked/below", "rw", "ro");
	check_that(mkdir("/locked/x", 0755) < 0 && errno == EROFS, "/locked can be written");
	check_that(mkdir("/locked/below/x", 0755) == 0, "/locked/below cannot be written");
	check_words("/rlocked", "ro", "rw");
	check_that(strstr(mount_line("/synced"), "sync") != NULL, "/synced: %s", mount_line("/synced"));
}

static void remount_inside(void)
{
	check_words("/volume", "ro nosuid", "rw");
	check_that(strstr(mount_line("/data"), "size=128k") != NULL, "/data: %s", mount_line("/data"));
}

static void volume_before(void)
{
	make_directory("volume");
	make_file("volume/file", "content");
	make_link("file", "volume/link");
	make_link("nowhere", "volume/broken");
	make_link("point-to-nowhere", "rootfs/link");
	make_link("point-to-nowhere", "rootfs/other");
}

static bool link_is(const char *path, const char *target)
{
	char text[64] = "";

	return readlink(path, text, sizeof text - 1) > 0 && strcmp(text, target) == 0;
}

static void links_inside(void)
{
	check_that(link_is("/copy", "nowhere"), "/copy");
	check_that(file_is("/plain", "content"), "/plain");
	check_that(link_is("/link", "file"), "/link");
	check_that(file_is("/other", "content"), "/other");
	check_that(file_is("/followed", "content"), "/followed");
}

static void slash_before(void)
{
	make_directory("other");
	make_file("other/marker", "other");
	make_file("rootfs/marker", "rootfs");
}

static void slash_inside(void)
{
	check_that(file_is("/marker", "other"), "/ is not the mount");
	check_that(mount_line("/proc")[0] != '\0', "/proc is missing");
	check_that(is_type("/dev/null", S_IFCHR), "/dev/null is missing");
}

static void slash_tmpfs_inside(void)
{
	check_that(access("/marker", F_OK) < 0, "/ is not the tmpfs");
	check_words("/", "ro nosuid", "rw");
	check_that(strstr(mount_line("/"), "size=1024k") != NULL, "/: %s", mount_line("/"));
}

/* With a shared host: what the container mounts stays inside, what the host mounts later arrives with rslave. */
static void propagation_inside(void)
{
	check_that(strstr(mount_line("/slave"), "master:") != NULL, "/slave: %s", mount_line("/slave"));
	check_that(strstr(mount_line("/private"), "master:") == NULL &&
		       strstr(mount_line("/private"), "shared:") == NULL,
		   "/private: %s", mount_line("/private"));
	check_that(strstr(mount_line("/own"), "shared:") != NULL, "/own: %s", mount_line("/own"));
	check_that(strstr(mount_line("/own/below"), "shared:") == NULL, "/own/below: %s", mount_line("/own/below"));
	check_that(strstr(mount_line("/"), "shared:") == NULL && strstr(mount_line("/"), "master:") == NULL, "/: %s",
		   mount_line("/"));
	check_that(strstr(mount_line("/alone"), "unbindable") != NULL, "/alone: %s", mount_line("/alone"));
}

static void nothing_leaks(void)
{
	char text[65536];
	CLEANUP_CLOSE int fd = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
	ssize_t length = read(fd, text, sizeof text - 1);

	text[length > 0 ? length : 0] = '\0';
	check_that(strstr(text, "/rootfs") == NULL, "a mount of the container is seen outside:\n%s", text);
}

static void userns_before(void)
{
	engine_before();
	make_directory("closed/volume");
	make_file("closed/volume/file", "content");
	make_directory("volume");
	check_that(mount("tmpfs", "volume", "tmpfs", MS_NODEV | MS_NOSUID | MS_RDONLY, "") == 0, "mount");
	check_that(chmod("closed", 0) == 0, "chmod");
}

static void userns_inside(void)
{
	struct stat status = {0};

	engine_inside();
	check_that(file_is("/foo/file", "content"), "/foo/file");
	check_words("/foo", "ro", "rw");
	check_words("/volume", "ro nosuid nodev", "rw");
	check_words("/dev/null", "nosuid noexec", "");
	check_that(stat("/dev/null", &status) == 0 && status.st_uid == 0 && status.st_gid == 0, "owner of /dev/null");
	check_that(stat("/dev/custom", &status) == 0 && status.st_uid == 10 && status.st_gid == 11 &&
		       S_ISBLK(status.st_mode) && (status.st_mode & 07777) == 0157,
		   "/dev/custom: %o %u:%u", status.st_mode, status.st_uid, status.st_gid);
	check_that(is_type("/dev/fifo", S_IFIFO) && is_type("/deep/er/device", S_IFCHR), "devices");
	CLEANUP_CLOSE int zero = open("/deep/er/device", O_RDONLY | O_CLOEXEC);
	check_that(zero >= 0, "open /deep/er/device: %s", strerror(errno));
}

static void clone_inside(void)
{
	check_that(strstr(mount_line("/volume"), "master:") != NULL && strstr(mount_line("/volume"), "shared:") == NULL,
		   "/volume: %s", mount_line("/volume"));
	check_that(strstr(mount_line("/peer"), "shared:") != NULL, "/peer: %s", mount_line("/peer"));
	check_that(strstr(mount_line("/"), "shared:") == NULL, "/: %s", mount_line("/"));
}

static void sysfs_inside(void)
{
	check_words("/sys", "ro nosuid nodev noexec", "rw");
	check_that(access("/sys/kernel", F_OK) == 0, "/sys is empty");
	const char *line = mount_line("/sys/fs/cgroup");
	check_that(line[0] == '\0' || has_word(line, "ro"), "/sys/fs/cgroup: %s", line);
}

static void unreachable_before(void)
{
	make_directory("locked/rootfs");
	make_file("locked/rootfs/marker", "here");
	check_that(chown("locked/rootfs", 100000, 100000) == 0 && chmod("locked", 0700) == 0, "chmod");
}

static void unreachable_inside(void)
{
	check_that(file_is("/marker", "here"), "/marker");
	check_that(is_type("/dev/null", S_IFCHR) && mount_line("/proc")[0] != '\0', "mounts are missing");
}

static void idmap_before(void)
{
	make_directory("mapped");
	make_file("mapped/file", "");
	check_that(chown("mapped/file", 5, 6) == 0, "chown");
}

static void check_owner(const char *path, uid_t uid, gid_t gid)
{
	struct stat status = {0};

	check_that(stat(path, &status) == 0 && status.st_uid == uid && status.st_gid == gid, "%s: %u:%u", path,
		   status.st_uid, status.st_gid);
}

static void idmap_inside(void)
{
	check_owner("/a/file", 1005, 2006);
	check_owner("/b/file", 1005, 2006);
	check_owner("/c/file", 3005, 4006);
	check_owner("/d/file", 5, 6);
}

static void idmap_userns_inside(void)
{
	check_owner("/a/file", 5, 6);
	check_owner("/b/file", 65534, 65534);
	check_owner("/c/file", 15, 26);
}

#define MAPPED(destination, options, uids, gids)                                                                    \
	"{\"destination\": \"" destination "\", \"type\": \"bind\", \"source\": \"mapped\", \"options\": [" options \
	"], \"uidMappings\": [" uids "], \"gidMappings\": [" gids "]}"
#define IDS(inside, outside, size) "{\"containerID\": " inside ", \"hostID\": " outside ", \"size\": " size "}"

static const struct rootfs_case cases[] = {
    {.name = "engine defaults", .mounts = ENGINE_MOUNTS, .before = engine_before, .inside = engine_inside},
    {.name = "flags",
     .mounts = PROC
     ", " BIND("volume", "/a", "\"rbind\", \"ro\", \"nosuid\", \"nodev\", \"noexec\"") ", " BIND("volume", "/b", "\"rbind\", \"rro\"") ", " BIND("volume", "/c", "\"bind\", \"noatime\", \"nodiratime\"") ", " BIND("volume", "/d", "\"bind\", \"strictatime\"") ", " BIND(
	 "volume", "/e",
	 "\"bind\", \"ro\", \"rw\"") ", " BIND("guarded", "/f",
					       "\"rbind\", \"noexec\"") ", " BIND("guarded", "/g",
										  "\"rbind\", \"suid\", "
										  "\"relatime\"") ", " BIND("volu"
													    "me",
													    "/h",
													    "\"rb"
													    "ind"
													    "\", "
													    "\"rn"
													    "osui"
													    "d\","
													    " \"r"
													    "noex"
													    "ec\""
													    ", "
													    "\"rn"
													    "odev"
													    "\"") ","
														  " " BIND("volume", "/i", "\"bind\", \"nosymfollow\", \"defaults\", \"x-systemd.automount\"") ", " BIND(
														      "volume",
														      "/j",
														      "\"rbind\", \"rro\", \"rnoatime\", \"rw\""),
     .before = flags_before,
     .inside = flags_inside},
    {.name = "engine defaults on an old kernel",
     .old_kernel = true,
     .mounts = ENGINE_MOUNTS,
     .before = engine_before,
     .inside = engine_inside},
    {.name = "flags on an old kernel",
     .old_kernel = true,
     .mounts = PROC
     ", " BIND("volume", "/a", "\"rbind\", \"ro\", \"nosuid\", \"nodev\", \"noexec\"") ", " BIND("volume", "/c", "\"bind\", \"noatime\", \"nodiratime\", \"rprivate\"") ", " BIND(
	 "volume", "/d",
	 "\"bind\", \"strictatime\"") ", " BIND("guarded", "/f",
						"\"rbind\", \"noexec\"") ", " BIND("guarded", "/g",
										   "\"rbind\", \"suid\", "
										   "\"relatime\"") ", " BIND("gua"
													     "rde"
													     "d",
													     "/i",
													     "\"b"
													     "ind"
													     "\","
													     " \""
													     "nos"
													     "ymf"
													     "oll"
													     "ow"
													     "\""),
     .before = flags_before,
     .inside = old_flags_inside},
    {.name = "rro on an old kernel",
     .old_kernel = true,
     .mounts = BIND("volume", "/a", "\"rbind\", \"rro\""),
     .before = flags_before,
     .error = "Linux 5.12"},
    {.name = "user namespace on an old kernel",
     .old_kernel = true,
     .user_namespace = true,
     .mounts = PROC
     ", " BIND("volume", "/volume", "\"rbind\", \"noexec\"") ", " MOUNT("/dev", "tmpfs", "tmpfs", "\"mode=755\""),
     .before = userns_before,
     .inside = old_userns_inside},
    {.name = "tmpfs",
     .mounts = PROC
     ", " MOUNT("/inherit", "tmpfs", "tmpfs", "\"nosuid\"") ", " MOUNT("/explicit", "tmpfs", "tmpfs", "\"mode=1777\"") ", " MOUNT(
	 "/new", "tmpfs", "x",
	 "") ", " MOUNT("/copied", "tmpfs", "tmpfs",
			"\"tmpcopyup\"") ", " MOUNT("/locked", "tmpfs", "tmpfs",
						    "\"ro\"") ", " MOUNT("/locked/below", "tmpfs", "tmpfs",
									 "") ", " MOUNT("/rlocked", "tmpfs", "tmpfs",
											"\"rro\"") ", " MOUNT("/synced",
													      "tmpfs",
													      "tmpfs",
													      "\"sync"
													      "\""),
     .before = tmpfs_before,
     .inside = tmpfs_inside},
    {.name = "remount",
     .mounts = PROC
     ", " BIND("volume", "/volume", "\"bind\"") ", " MOUNT("/data", "tmpfs", "tmpfs", "\"size=64k\"") ", " BIND(
	 "volume", "/volume", "\"bind\", \"remount\", \"ro\", \"nosuid\"") ", " MOUNT("/data", "tmpfs", "tmpfs",
										      "\"remount\", \"size=128k\""),
     .before = volume_before,
     .inside = remount_inside},
    {.name = "links",
     .mounts = PROC ", " BIND("volume/broken", "/copy", "\"bind\", \"copy-symlink\"") ", " BIND(
	 "volume/file", "/plain",
	 "\"bind\", \"copy-symlink\"") ", " BIND("volume/link", "/link",
						 "\"bind\", \"src-nofollow\", "
						 "\"dest-nofollow\"") ", " BIND("volume/"
										"link",
										"/other",
										"\"bind\", "
										"\"dest-"
										"nofollow"
										"\"") ","
										      " " BIND("vol"
											       "ume"
											       "/"
											       "lin"
											       "k",
											       "/fo"
											       "llo"
											       "we"
											       "d",
											       "\"b"
											       "ind"
											       "\""),
     .before = volume_before,
     .inside = links_inside},
    {.name = "dest-nofollow on procfs",
     .mounts = PROC ", " BIND("volume/link", "/proc/self", "\"bind\", \"src-nofollow\", \"dest-nofollow\""),
     .before = volume_before,
     .error = "\"/proc/self\" cannot be mounted because it is inside /proc"},
    {.name = "bind on /",
     .mounts = BIND("other", "/", "\"rbind\"") ", " PROC,
     .before = slash_before,
     .inside = slash_inside},
    {.name = "tmpfs on /",
     .root = "\"path\": \"rootfs\", \"readonly\": true",
     .mounts = MOUNT("/", "tmpfs", "tmpfs", "\"nosuid\", \"size=1m\", \"mode=0755\"") ", " PROC,
     .before = slash_before,
     .inside = slash_tmpfs_inside},
    {.name = "propagation",
     .shared = true,
     .mounts = PROC
     ", " BIND("volume", "/slave", "\"rbind\", \"rslave\"") ", " BIND("volume", "/private", "\"rbind\", \"rprivate\"") ", " BIND(
	 "volume", "/own", "\"rbind\", \"private\", \"shared\"") ", " MOUNT("/own/below", "tmpfs", "tmpfs",
									    "\"private\"") ", " MOUNT("/alone", "tmpfs",
												      "tmpfs",
												      "\"unbindable\""),
     .before = volume_before,
     .inside = propagation_inside,
     .outside = nothing_leaks},
    {.name = "user namespace",
     .user_namespace = true,
     .mounts = ENGINE_MOUNTS
     ", " BIND("closed/volume", "/foo", "\"bind\", \"ro\"") ", " BIND("volume", "/volume", "\"rbind\""),
     .linux_ = "\"devices\": [{\"path\": \"/dev/custom\", \"type\": \"b\", \"major\": 1, \"minor\": 5, \"uid\": 10, "
	       "\"gid\": 11, \"fileMode\": 111}, {\"path\": \"/dev/fifo\", \"type\": \"p\"}, {\"path\": "
	       "\"/deep/er/device\", \"type\": \"c\", \"major\": 1, \"minor\": 5}]",
     .before = userns_before,
     .inside = userns_inside},
    {.name = "a clone of the host's is no peer",
     .user_namespace = true,
     .shared = true,
     .mounts = PROC ", " BIND("volume", "/volume", "\"rbind\"") ", " BIND("volume", "/peer", "\"rbind\", \"rshared\""),
     .before = volume_before,
     .inside = clone_inside,
     .outside = nothing_leaks},
    {.name = "sysfs without a network namespace",
     .user_namespace = true,
     .host_network = true,
     .mounts = PROC ", " MOUNT("/sys", "sysfs", "sysfs", "\"nosuid\", \"noexec\", \"nodev\", \"ro\""),
     .inside = sysfs_inside},
    {.name = "unreachable root",
     .user_namespace = true,
     .root = "\"path\": \"locked/rootfs\"",
     .mounts = PROC ", " MOUNT("/dev", "tmpfs", "tmpfs", "\"mode=755\""),
     .before = unreachable_before,
     .inside = unreachable_inside},
    {.name = "idmapped",
     .kernel = 603, /* tmpfs */
     .mounts = PROC
     ", " MAPPED("/a", "\"bind\", \"idmap\"", IDS("0", "1000", "10"), IDS("0", "2000", "10")) ", " MAPPED(
	 "/b", "\"rbind\", \"ridmap\"", IDS("0", "1000", "10"),
	 IDS("0", "2000",
	     "10")) ", " BIND("mapped", "/c",
			      "\"bind\", \"idmap=uids=0-3000-10#100-50-1;gids=0-4000-10\"") ", " BIND("mapped", "/d",
												      "\"bind\""),
     .before = idmap_before,
     .inside = idmap_inside},
    {.name = "idmapped in a user namespace",
     .kernel = 603,
     .user_namespace = true,
     .mounts = PROC ", " BIND("mapped", "/a", "\"bind\", \"idmap\"") ", " BIND("mapped", "/b", "\"bind\"") ", " BIND(
	 "mapped", "/c", "\"bind\", \"idmap=uids=@0-10-10;gids=0-100020-10\""),
     .before = idmap_before,
     .inside = idmap_userns_inside},
    {.name = "idmap without mappings",
     .mounts = BIND("mapped", "/a", "\"bind\", \"idmap\""),
     .before = idmap_before,
     .error = "user namespace"},
    {.name = "idmap of a tmpfs", .mounts = MOUNT("/a", "tmpfs", "tmpfs", "\"idmap\""), .error = "idmap"},
    {.name = "broken idmap",
     .mounts = BIND("mapped", "/a", "\"bind\", \"idmap=uids=0-1\""),
     .before = idmap_before,
     .error = "invalid mount option \"idmap=uids=0-1\""},
    {.name = "missing source",
     .mounts = BIND("nowhere", "/a", "\"bind\""),
     .error = "/nowhere: no such file or directory"},
    {.name = "bad data", .mounts = MOUNT("/a", "tmpfs", "tmpfs", "\"size=banana\""), .error = "size"},
    {.name = "unknown type", .mounts = MOUNT("/a", "nosuchfs", "x", ""), .error = "nosuchfs"},
    {.name = "directory on a file",
     .mounts = BIND("volume", "/marker", "\"bind\""),
     .before = slash_before,
     .error = "volume"},
    {.name = "tmpcopyup on /", .mounts = MOUNT("/", "tmpfs", "tmpfs", "\"tmpcopyup\""), .error = "tmpcopyup"},
    {.name = "something else on /proc",
     .mounts = MOUNT("/proc", "tmpfs", "tmpfs", ""),
     .error = "cannot be mounted because it is not of type proc"},
    {.name = "below /proc",
     .mounts = PROC ", " BIND("/etc/hostname", "/proc/./sys//kernel/hostname", "\"bind\""),
     .error = "cannot be mounted because it is inside /proc"},
    {.name = "an entry of lxcfs", .mounts = PROC ", " BIND("/etc/hostname", "/proc/uptime", "\"bind\"")},
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
