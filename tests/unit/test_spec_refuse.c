/* SPDX-License-Identifier: Apache-2.0 */
/* What is wrong with a config.json is told by the name of the property; what only looks wrong is accepted. */
#include <errno.h>
#include <sched.h>

#include "sandbox/common/cleanup.h"
#include "spec/parse.h"
#include "tests/unit/check.h"

/* A text, and what it gives: an error, "" for success, or a warning behind "warning: ". */
struct example {
	const char *text;
	const char *result;
};

#define WARNING "warning: "

static void check_example(const char *text, const char *result)
{
	CLEANUP_ARENA struct arena arena = {0};
	struct config_notes notes = {0};
	struct oci_config *config = NULL;
	struct error err = {0};
	char found[2200];
	int rc = config_parse(&arena, text, strlen(text), &notes, &config, &err);

	CHECK(rc == (err.code == 0 ? 0 : -EINVAL) && (rc == 0) == (config != NULL));
	snprintf(found, sizeof found, "%s", err.message);
	for (const struct config_note *note = notes.first; rc == 0 && note != NULL; note = note->next)
		if (config_note_is_warning(note))
			snprintf(found, sizeof found, WARNING "%s", note->text);
	if (!CHECK_TEXT(found, result))
		printf("# %s\n", text);
}

/* Whole texts. */
static const struct example texts[] = {
    {"{}", "ociVersion: required, but missing"},
    {"[]", "must be an object, not an array"},
    {"null", "must be an object, not null"},
    {"{\"ociVersion\":null,\"root\":{\"path\":\"r\"}}", "ociVersion: required, but missing"},
    {"{\"ociVersion\":\"\",\"root\":{\"path\":\"r\"}}", "ociVersion: must not be empty"},
    {"{\"ociVersion\":\"1.0.0\"}", "root: required, but missing"},
    {"{\"ociVersion\":\"1.0.0\",\"root\":null}", "root: required, but missing"},
    {"{\"ociVersion\":\"1.0.0\",\"root\":{}}", "root.path: required, but missing"},
    {"{\"ociVersion\":\"1.0.0\",\"root\":{\"path\":\"\"}}", "root.path: must not be empty"},
    {"{\"ociVersion\":\"1.0.0\",\"root\":{\"path\":\"r\",\"readonly\":\"yes\"}}",
     "root.readonly: must be true or false, not a string"},
    {"{\"ociVersion\":\"1.0.0\",\"root\":\"r\"}", "root: must be an object, not a string"},
};

/* Values of ociVersion. */
static const struct example versions[] = {
    {"1.0.0", ""},
    {"1.0.0-rc5", ""},
    {"1.0.0-rc2-dev", ""},
    {"1.0.2-dev", ""},
    {"1.1.0+dev", ""},
    {"1.1.0-rc.2", ""},
    {"1.2.1", ""},
    {"1.3.0", ""},
    {"1.3.99", ""},
    {"1.3.0-rc.1+build.7", ""},
    {"1.4.0", WARNING "ociVersion: 1.4.0 is newer than 1.3.0, what it added is ignored"},
    {"0.5.0-dev", "ociVersion: \"0.5.0-dev\" is not supported (1.0.0 to 1.3.0)"},
    {"2.0.0", "ociVersion: \"2.0.0\" is not supported (1.0.0 to 1.3.0)"},
    {"10.0.0", "ociVersion: \"10.0.0\" is not supported (1.0.0 to 1.3.0)"},
    {"1.0", "ociVersion: \"1.0\" is not a version like 1.3.0"},
    {"1", "ociVersion: \"1\" is not a version like 1.3.0"},
    {"1.0.0.0", "ociVersion: \"1.0.0.0\" is not a version like 1.3.0"},
    {"1.0.x", "ociVersion: \"1.0.x\" is not a version like 1.3.0"},
    {"v1.0.0", "ociVersion: \"v1.0.0\" is not a version like 1.3.0"},
    {"1.00.0", "ociVersion: \"1.00.0\" is not a version like 1.3.0"},
    {"1.0.0-", "ociVersion: \"1.0.0-\" is not a version like 1.3.0"},
    {"1.0.0-a..b", "ociVersion: \"1.0.0-a..b\" is not a version like 1.3.0"},
    {"1.0.0+", "ociVersion: \"1.0.0+\" is not a version like 1.3.0"},
    {"1.0.0 ", "ociVersion: \"1.0.0 \" is not a version like 1.3.0"},
    {"1.99999999999999999999.0", "ociVersion: \"1.99999999999999999999.0\" is not a version like 1.3.0"},
};

/* Properties beside ociVersion and root. */
static const struct example properties[] = {
    {"\"hostname\":1", "hostname: must be a string, not the number 1"},
    {"\"hostname\":\"\"", ""},
    {"\"hostname\":null", ""},
    {"\"hostname\":\"h\"", "hostname: needs a namespace of type \"uts\" in linux.namespaces"},
    {"\"domainname\":\"d\"", "domainname: needs a namespace of type \"uts\" in linux.namespaces"},
    {"\"hostname\":\"1234567890123456789012345678901234567890123456789012345678901234+\"",
     "hostname: \"1234567890123456789012345678901234567890123456789012345678901234\" is longer than 64 bytes"},
    {"\"annotations\":{\"a\":1}", "annotations[\"a\"]: must be a string, not the number 1"},
    {"\"annotations\":{\"\":\"x\"}", "annotations[\"\"]: the name must not be empty"},
    {"\"annotations\":[]", "annotations: must be an object with strings, not an array"},
    {"\"annotations\":{\"a\":\"1\",\"a\":\"2\"}", ""},
    {"\"mounts\":{}", "mounts: must be an array of objects, not an object"},
    {"\"mounts\":[null]", "mounts[0]: must be an object, not null"},
    {"\"mounts\":[{\"destination\":\"/a\"},{}]", "mounts[1].destination: required, but missing"},
    {"\"mounts\":[{\"destination\":\"/a\",\"options\":[\"ro\",7]}]",
     "mounts[0].options[1]: must be a string, not the number 7"},
    {"\"mounts\":[{\"destination\":\"/a\",\"options\":null,\"type\":null,\"uidMappings\":null}]", ""},
    {"\"mounts\":[{\"destination\":\"/a\",\"uidMappings\":[{\"containerID\":0,\"hostID\":1,\"size\":1}]}]",
     "mounts[0]: uidMappings and gidMappings must be set together"},
    {"\"mounts\":[{\"destination\":\"/a\",\"options\":[\"bind\",\"idmap\"]}]",
     "mounts[0]: idmap needs uidMappings and gidMappings or a user namespace"},
    {"\"mounts\":[{\"destination\":\"/a\",\"uidMappings\":[{\"containerID\":0,\"hostID\":1,\"size\":0}]}]",
     "mounts[0].uidMappings[0].size: 0 is out of range (1 to 4294967295)"},
    {"\"hooks\":{\"prestart\":[{\"path\":\"bin/x\"}]}", "hooks.prestart[0].path: \"bin/x\" is not an absolute path"},
    {"\"hooks\":{\"poststop\":[{}]}", "hooks.poststop[0].path: required, but missing"},
    {"\"hooks\":{\"poststop\":[{\"path\":\"/x\",\"timeout\":0}]}",
     "hooks.poststop[0].timeout: 0 is out of range (1 to 2147483647)"},
    {"\"hooks\":{\"poststop\":null,\"poststart\":[]}", ""},
    {"\"hooks\":[]", "hooks: must be an object, not an array"},
    {"\"linux\":[]", "linux: must be an object, not an array"},
    {"\"linux\":null", ""},
    {"\"windows\":7,\"solaris\":{\"x\":1}", ""},
};

/* Properties of process beside args and cwd. */
static const struct example process[] = {
    {"\"terminal\":1", "process.terminal: must be true or false, not the number 1"},
    {"\"consoleSize\":{\"height\":1}", "process.consoleSize.width: required, but missing"},
    {"\"consoleSize\":{\"height\":65536,\"width\":1}",
     "process.consoleSize.height: 65536 is out of range (0 to 65535)"},
    {"\"user\":null", ""},
    {"\"user\":{\"uid\":-1}", "process.user.uid: -1 is out of range (0 to 4294967294)"},
    {"\"user\":{\"uid\":4294967295}", "process.user.uid: 4294967295 is out of range (0 to 4294967294)"},
    {"\"user\":{\"uid\":1.0}", "process.user.uid: 1.0 is not an integer"},
    {"\"user\":{\"uid\":1e3}", "process.user.uid: 1e3 is not an integer"},
    {"\"user\":{\"uid\":\"0\"}", "process.user.uid: must be an integer, not a string"},
    {"\"user\":{\"uid\":-0}", ""},
    {"\"user\":{\"umask\":512}", "process.user.umask: 512 is out of range (0 to 511)"},
    {"\"user\":{\"additionalGids\":[1,null]}", "process.user.additionalGids[1]: must be an integer, not null"},
    {"\"user\":{\"additionalGids\":7}", "process.user.additionalGids: must be an array of integers, not the number 7"},
    {"\"env\":[\"A\"]", "process.env[0]: \"A\" is not of the form NAME=VALUE"},
    {"\"env\":[\"\"]", "process.env[0]: \"\" is not of the form NAME=VALUE"},
    {"\"env\":[\"A=\",\"=B\"]", "process.env[1]: \"=B\" has no name"},
    {"\"env\":[\"A=\\u0000\"]", "line 1, column 93: a string contains a NUL byte"},
    {"\"env\":null", ""},
    {"\"capabilities\":[\"CAP_KILL\"]", "process.capabilities: must be an object, not an array"},
    {"\"capabilities\":{\"bounding\":[\"CAP_CHOWN\",\"cap_kill\"]}",
     WARNING "process.capabilities.bounding[1]: \"cap_kill\" is unknown, ignored"},
    {"\"capabilities\":{\"bounding\":[1]}", "process.capabilities.bounding[0]: must be a string, not the number 1"},
    {"\"capabilities\":{}", ""},
    {"\"rlimits\":[{\"type\":\"RLIMIT_NOFILE\",\"soft\":2,\"hard\":1}]",
     "process.rlimits[0]: the soft limit is above the hard limit"},
    {"\"rlimits\":[{\"type\":\"RLIMIT_CPU\",\"soft\":1,\"hard\":1},{\"type\":\"RLIMIT_CPU\",\"soft\":1,\"hard\":1}]",
     "process.rlimits[1]: RLIMIT_CPU is there more than once"},
    {"\"rlimits\":[{\"type\":\"RLIMIT_X\",\"soft\":1,\"hard\":1}]",
     "process.rlimits[0].type: \"RLIMIT_X\" is unknown (known: RLIMIT_AS, RLIMIT_CORE, RLIMIT_CPU, RLIMIT_DATA, "
     "RLIMIT_FSIZE, RLIMIT_LOCKS, RLIMIT_MEMLOCK, RLIMIT_MSGQUEUE, RLIMIT_NICE, RLIMIT_NOFILE, RLIMIT_NPROC, "
     "RLIMIT_RSS, RLIMIT_RTPRIO, RLIMIT_RTTIME, RLIMIT_SIGPENDING, RLIMIT_STACK)"},
    {"\"rlimits\":[{\"type\":\"RLIMIT_CPU\",\"soft\":1}]", "process.rlimits[0].hard: required, but missing"},
    {"\"rlimits\":[{\"type\":\"RLIMIT_CPU\",\"soft\":1,\"hard\":18446744073709551616}]",
     "process.rlimits[0].hard: 18446744073709551616 is out of range (0 to 18446744073709551615)"},
    {"\"oomScoreAdj\":1001", "process.oomScoreAdj: 1001 is out of range (-1000 to 1000)"},
    {"\"oomScoreAdj\":-1001", "process.oomScoreAdj: -1001 is out of range (-1000 to 1000)"},
    {"\"scheduler\":{}", "process.scheduler.policy: required, but missing"},
    {"\"scheduler\":{\"policy\":\"SCHED_X\"}",
     "process.scheduler.policy: \"SCHED_X\" is unknown (known: SCHED_OTHER, SCHED_FIFO, SCHED_RR, SCHED_BATCH, "
     "SCHED_ISO, SCHED_IDLE, SCHED_DEADLINE)"},
    {"\"scheduler\":{\"policy\":\"SCHED_OTHER\",\"nice\":20}",
     "process.scheduler.nice: 20 is out of range (-20 to 19)"},
    {"\"scheduler\":{\"policy\":\"SCHED_OTHER\",\"priority\":1}",
     "process.scheduler.priority: can only be set for SCHED_FIFO and SCHED_RR, not for SCHED_OTHER"},
    {"\"scheduler\":{\"policy\":\"SCHED_RR\",\"priority\":99}", ""},
    {"\"scheduler\":{\"policy\":\"SCHED_FIFO\",\"runtime\":1}",
     "process.scheduler: runtime, deadline and period can only be set for SCHED_DEADLINE, not for SCHED_FIFO"},
    {"\"ioPriority\":{\"class\":\"IOPRIO_CLASS_RT\",\"priority\":8}",
     "process.ioPriority.priority: 8 is out of range (0 to 7)"},
    {"\"execCPUAffinity\":{\"initial\":\"3-1\"}",
     "process.execCPUAffinity.initial: \"3-1\" is not a list of numbers and ranges like 0-3,7"},
    {"\"execCPUAffinity\":{\"final\":\"0,,1\"}",
     "process.execCPUAffinity.final: \"0,,1\" is not a list of numbers and ranges like 0-3,7"},
    {"\"execCPUAffinity\":{\"final\":\"\"}", ""},
};

/* Properties of linux, in a configuration with the namespaces pid, mount, ipc, uts, user, network, time. */
static const struct example linux_properties[] = {
    {"\"uidMappings\":[{\"containerID\":0,\"hostID\":4294967295,\"size\":1}]",
     "linux.uidMappings[0]: reaches beyond the last id"},
    {"\"gidMappings\":[{\"containerID\":0,\"hostID\":4294967294,\"size\":1}]", ""},
    {"\"gidMappings\":[{\"containerID\":0,\"hostID\":0,\"size\":10},{\"containerID\":9,\"hostID\":50,\"size\":1}]",
     "linux.gidMappings[1]: overlaps with entry 0"},
    {"\"gidMappings\":[{\"containerID\":0,\"hostID\":0,\"size\":10},{\"containerID\":10,\"hostID\":9,\"size\":1}]",
     "linux.gidMappings[1]: overlaps with entry 0"},
    {"\"uidMappings\":[{\"containerID\":0,\"hostID\":0}]", "linux.uidMappings[0].size: required, but missing"},
    {"\"timeOffsets\":{\"realtime\":{}}", "linux.timeOffsets: \"realtime\" is unknown (known: monotonic, boottime)"},
    {"\"timeOffsets\":{\"monotonic\":{\"nanosecs\":1000000000}}",
     "linux.timeOffsets[\"monotonic\"].nanosecs: 1000000000 is out of range (0 to 999999999)"},
    {"\"timeOffsets\":{\"monotonic\":null}", ""},
    {"\"devices\":[{\"path\":\"/dev/x\",\"type\":\"c\",\"major\":1}]",
     "linux.devices[0]: a device of type c needs major and minor"},
    {"\"devices\":[{\"path\":\"dev/x\",\"type\":\"p\"}]", "linux.devices[0].path: \"dev/x\" is not an absolute path"},
    {"\"devices\":[{\"path\":\"/x\",\"type\":\"d\"}]", "linux.devices[0].type: \"d\" is unknown (known: c, b, u, p)"},
    {"\"devices\":[{\"path\":\"/x\",\"type\":\"b\",\"major\":4096,\"minor\":0}]",
     "linux.devices[0].major: 4096 is out of range (0 to 4095)"},
    {"\"devices\":[{\"path\":\"/x\",\"type\":\"b\",\"major\":0,\"minor\":1048576}]",
     "linux.devices[0].minor: 1048576 is out of range (0 to 1048575)"},
    {"\"netDevices\":{\"eth0\":{\"name\":\"a/b\"}}",
     "linux.netDevices[\"eth0\"].name: \"a/b\" is not a name for a network device"},
    {"\"netDevices\":{\"1234567890123456\":{}}",
     "linux.netDevices[\"1234567890123456\"]: the name is longer than 15 bytes"},
    {"\"netDevices\":{\"\":{}}", "linux.netDevices[\"\"]: the name must not be empty"},
    {"\"rootfsPropagation\":\"\"", ""},
    {"\"rootfsPropagation\":\"open\"", "linux.rootfsPropagation: \"open\" is unknown (known: private, shared, slave, "
				       "unbindable, rprivate, rshared, rslave, runbindable)"},
    {"\"maskedPaths\":[\"proc\"]", "linux.maskedPaths[0]: \"proc\" is not an absolute path"},
    {"\"readonlyPaths\":[\"\"]", "linux.readonlyPaths[0]: \"\" is not an absolute path"},
    {"\"personality\":{}", "linux.personality.domain: required, but missing"},
    {"\"personality\":{\"domain\":\"LINUX\",\"flags\":[\"X\"]}",
     "linux.personality.flags: must be an empty array: there are no flags"},
    {"\"memoryPolicy\":{\"mode\":\"MPOL_DEFAULT\",\"nodes\":\"0\"}",
     "linux.memoryPolicy.nodes: must not be set for MPOL_DEFAULT"},
    {"\"memoryPolicy\":{\"mode\":\"MPOL_BIND\"}", "linux.memoryPolicy.nodes: required for MPOL_BIND"},
    {"\"memoryPolicy\":{\"mode\":\"MPOL_PREFERRED\"}", ""},
    {"\"memoryPolicy\":{\"mode\":\"MPOL_BIND\",\"nodes\":\"0\",\"flags\":[\"MPOL_F_STATIC_NODES\","
     "\"MPOL_F_RELATIVE_NODES\"]}",
     "linux.memoryPolicy.flags: MPOL_F_STATIC_NODES and MPOL_F_RELATIVE_NODES exclude each other"},
    {"\"intelRdt\":{\"closID\":\"a/b\"}", "linux.intelRdt.closID: \"a/b\" is not the name of a file"},
    {"\"intelRdt\":{\"closID\":\"..\"}", "linux.intelRdt.closID: \"..\" is not the name of a file"},
    {"\"intelRdt\":{\"closID\":\"/\"}", ""},
    {"\"intelRdt\":{\"memBwSchema\":\"L3:0=1\"}", "linux.intelRdt.memBwSchema: \"L3:0=1\" does not start with MB:"},
    {"\"intelRdt\":{\"schemata\":[\"L3:0=1\\nMB:0=2\"]}",
     "linux.intelRdt.schemata[0]: \"L3:0=1 MB:0=2\" contains a newline"},
    {"\"sysctl\":{\"net.ipv4.ip_forward\":1}",
     "linux.sysctl[\"net.ipv4.ip_forward\"]: must be a string, not the number 1"},
    {"\"seccomp\":{}", "linux.seccomp.defaultAction: required, but missing"},
    {"\"seccomp\":{\"defaultAction\":\"SCMP_ACT_X\"}",
     "linux.seccomp.defaultAction: \"SCMP_ACT_X\" is unknown (known: SCMP_ACT_ALLOW, SCMP_ACT_ERRNO, SCMP_ACT_KILL, "
     "SCMP_ACT_KILL_PROCESS, SCMP_ACT_KILL_THREAD, SCMP_ACT_LOG, SCMP_ACT_NOTIFY, SCMP_ACT_TRACE, SCMP_ACT_TRAP)"},
    {"\"seccomp\":{\"defaultAction\":\"SCMP_ACT_ALLOW\",\"defaultErrnoRet\":1}",
     "linux.seccomp.defaultErrnoRet: the action SCMP_ACT_ALLOW has no errno"},
    {"\"seccomp\":{\"defaultAction\":\"SCMP_ACT_ERRNO\",\"defaultErrnoRet\":65536}",
     "linux.seccomp.defaultErrnoRet: 65536 is out of range (0 to 65535)"},
    {"\"seccomp\":{\"defaultAction\":\"SCMP_ACT_ALLOW\",\"listenerMetadata\":\"x\"}",
     "linux.seccomp.listenerMetadata: must not be set without listenerPath"},
    {"\"seccomp\":{\"defaultAction\":\"SCMP_ACT_ALLOW\",\"syscalls\":[{\"names\":[],\"action\":\"SCMP_ACT_LOG\"}]}",
     "linux.seccomp.syscalls[0].names: must have at least one entry"},
    {"\"seccomp\":{\"defaultAction\":\"SCMP_ACT_ALLOW\",\"syscalls\":[{\"names\":[\"a\"],\"action\":\"SCMP_ACT_LOG\","
     "\"errnoRet\":1}]}",
     "linux.seccomp.syscalls[0].errnoRet: the action SCMP_ACT_LOG has no errno"},
    {"\"seccomp\":{\"defaultAction\":\"SCMP_ACT_ALLOW\",\"syscalls\":[{\"names\":[\"a\"],\"action\":"
     "\"SCMP_ACT_NOTIFY\"}]}",
     "linux.seccomp.listenerPath: required for SCMP_ACT_NOTIFY"},
    {"\"seccomp\":{\"defaultAction\":\"SCMP_ACT_ALLOW\",\"syscalls\":[{\"names\":[\"a\"],\"action\":\"SCMP_ACT_LOG\","
     "\"args\":[{\"index\":6,\"value\":1,\"op\":\"SCMP_CMP_EQ\"}]}]}",
     "linux.seccomp.syscalls[0].args[0].index: 6 is out of range (0 to 5)"},
    {"\"seccomp\":{\"defaultAction\":\"SCMP_ACT_ALLOW\",\"flags\":[\"SECCOMP_FILTER_FLAG_NEW_LISTENER\"]}",
     "linux.seccomp.flags[0]: \"SECCOMP_FILTER_FLAG_NEW_LISTENER\" is unknown (known: SECCOMP_FILTER_FLAG_TSYNC, "
     "SECCOMP_FILTER_FLAG_LOG, SECCOMP_FILTER_FLAG_SPEC_ALLOW, SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV)"},
};

/* Properties of linux.resources. */
static const struct example resources[] = {
    {"\"memory\":{\"limit\":99999999999999999999}",
     "linux.resources.memory.limit: 99999999999999999999 is out of range (-1 to 9223372036854775807)"},
    {"\"memory\":{\"limit\":-2}", "linux.resources.memory.limit: -2 is out of range (-1 to 9223372036854775807)"},
    {"\"memory\":{\"limit\":1.5}", "linux.resources.memory.limit: 1.5 is not an integer"},
    {"\"memory\":{\"swappiness\":101}", "linux.resources.memory.swappiness: 101 is out of range (0 to 100)"},
    {"\"memory\":{\"disableOOMKiller\":\"true\"}",
     "linux.resources.memory.disableOOMKiller: must be true or false, not a string"},
    {"\"memory\":null,\"cpu\":{\"shares\":null}", ""},
    {"\"cpu\":{\"quota\":-9223372036854775809}", "linux.resources.cpu.quota: -9223372036854775809 is out of range "
						 "(-9223372036854775808 to 9223372036854775807)"},
    {"\"cpu\":{\"quota\":5,\"burst\":6}", "linux.resources.cpu.burst: is larger than quota"},
    {"\"cpu\":{\"quota\":-1,\"burst\":6}", ""},
    {"\"cpu\":{\"cpus\":\"x\"}", "linux.resources.cpu.cpus: \"x\" is not a list of numbers and ranges like 0-3,7"},
    {"\"cpu\":{\"idle\":2}", "linux.resources.cpu.idle: 2 is out of range (0 to 1)"},
    {"\"pids\":{}", ""},
    {"\"pids\":{\"limit\":9223372036854775808}", "linux.resources.pids.limit: 9223372036854775808 is out of range "
						 "(-9223372036854775808 to 9223372036854775807)"},
    {"\"blockIO\":{\"weight\":65536}", "linux.resources.blockIO.weight: 65536 is out of range (0 to 65535)"},
    {"\"blockIO\":{\"weightDevice\":[{\"major\":8,\"minor\":0}]}",
     "linux.resources.blockIO.weightDevice[0]: needs weight or leafWeight"},
    {"\"blockIO\":{\"throttleReadBpsDevice\":[{\"major\":8,\"rate\":1}]}",
     "linux.resources.blockIO.throttleReadBpsDevice[0].minor: required, but missing"},
    {"\"hugepageLimits\":[{\"pageSize\":\"64kB\",\"limit\":1}]",
     "linux.resources.hugepageLimits[0].pageSize: \"64kB\" is not a page size like 64KB, 2MB or 1GB"},
    {"\"hugepageLimits\":[{\"pageSize\":\"0MB\",\"limit\":1}]",
     "linux.resources.hugepageLimits[0].pageSize: \"0MB\" is not a page size like 64KB, 2MB or 1GB"},
    {"\"network\":{\"classID\":4294967296}",
     "linux.resources.network.classID: 4294967296 is out of range (0 to 4294967295)"},
    {"\"rdma\":{\"m\":{}}", "linux.resources.rdma[\"m\"]: needs hcaHandles or hcaObjects"},
    {"\"rdma\":{\"m\":{\"hcaHandles\":\"x\"}}",
     "linux.resources.rdma[\"m\"].hcaHandles: must be an integer, not a string"},
    {"\"unified\":{\"../memory.max\":\"1\"}",
     "linux.resources.unified[\"../memory.max\"]: the name is not the name of a file"},
    {"\"devices\":[{\"access\":\"r\"}]", "linux.resources.devices[0].allow: required, but missing"},
    {"\"devices\":[{\"allow\":true,\"access\":\"rx\"}]",
     "linux.resources.devices[0].access: \"rx\" is not composed of r, w and m"},
    {"\"devices\":[{\"allow\":true,\"type\":\"p\"}]",
     "linux.resources.devices[0].type: \"p\" is unknown (known: a, b, c)"},
    {"\"devices\":[{\"allow\":true,\"type\":\"\",\"access\":\"\"}]", ""},
};

/* Whole values of linux.namespaces, and a property that depends on them. */
static const struct {
	const char *namespaces;
	const char *property;
	const char *result;
} namespaces[] = {
    {"{\"type\":\"pid\"},{\"type\":\"pid\"}", "\"x\":1", "linux.namespaces[1]: duplicated namespace \"pid\""},
    {"{\"type\":\"pid\",\"path\":\"proc/1\"}", "\"x\":1",
     "linux.namespaces[0].path: \"proc/1\" is not an absolute path"},
    {"{\"type\":\"pidx\"}", "\"x\":1",
     "linux.namespaces[0].type: \"pidx\" is unknown (known: mount, pid, network, uts, ipc, user, cgroup, time)"},
    {"{}", "\"x\":1", "linux.namespaces[0].type: required, but missing"},
    {"null", "\"x\":1", "linux.namespaces[0]: must be an object, not null"},
    {"", "\"maskedPaths\":[\"/x\"]", "linux.maskedPaths: needs a namespace of type \"mount\" in linux.namespaces"},
    {"", "\"readonlyPaths\":[\"/x\"]", "linux.readonlyPaths: needs a namespace of type \"mount\" in linux.namespaces"},
    {"", "\"maskedPaths\":[]", ""},
    {"", "\"uidMappings\":[{\"containerID\":0,\"hostID\":0,\"size\":1}]",
     "linux.uidMappings: needs a namespace of type \"user\" in linux.namespaces"},
    {"", "\"gidMappings\":[{\"containerID\":0,\"hostID\":0,\"size\":1}]",
     "linux.gidMappings: needs a namespace of type \"user\" in linux.namespaces"},
    {"{\"type\":\"user\",\"path\":\"/x\"}", "\"gidMappings\":[{\"containerID\":0,\"hostID\":0,\"size\":1}]",
     WARNING "linux.uidMappings and linux.gidMappings are ignored: the user namespace exists already"},
    {"", "\"timeOffsets\":{\"boottime\":{\"secs\":1}}",
     "linux.timeOffsets: needs a namespace of type \"time\" in linux.namespaces"},
    {"{\"type\":\"time\",\"path\":\"/x\"}", "\"timeOffsets\":{\"boottime\":{\"secs\":1}}",
     "linux.timeOffsets: cannot be set for the existing time namespace /x"},
    {"", "\"netDevices\":{\"eth0\":{}}", "linux.netDevices: needs a namespace of type \"network\" in linux.namespaces"},
};

static void check_all(const struct example *examples, size_t count, const char *before, const char *after)
{
	char text[4096];

	for (size_t i = 0; i < count; i++) {
		snprintf(text, sizeof text, "%s%s%s", before, examples[i].text, after);
		check_example(text, examples[i].result);
	}
}

#define START "{\"ociVersion\":\"1.3.0\",\"root\":{\"path\":\"r\"},"
#define NAMESPACES                                                                                           \
	"{\"type\":\"pid\"},{\"type\":\"mount\"},{\"type\":\"ipc\"},{\"type\":\"uts\"},{\"type\":\"user\"}," \
	"{\"type\":\"network\"},{\"type\":\"time\"}"

int main(void)
{
	check_all(texts, ARRAY_SIZE(texts), "", "");
	check_all(versions, ARRAY_SIZE(versions), "{\"root\":{\"path\":\"r\"},\"ociVersion\":\"", "\"}");
	check_all(properties, ARRAY_SIZE(properties), START, "}");
	check_all(process, ARRAY_SIZE(process), START "\"process\":{\"args\":[\"a\"],\"cwd\":\"/\",", "}}");
	check_all(linux_properties, ARRAY_SIZE(linux_properties), START "\"linux\":{\"namespaces\":[" NAMESPACES "],",
		  "}}");
	check_all(resources, ARRAY_SIZE(resources), START "\"linux\":{\"resources\":{", "}}}");
	for (size_t i = 0; i < ARRAY_SIZE(namespaces); i++) {
		char text[4096];
		snprintf(text, sizeof text, START "\"linux\":{\"namespaces\":[%s],%s}}", namespaces[i].namespaces,
			 namespaces[i].property);
		check_example(text, namespaces[i].result);
	}
	check_example(START "\"process\":{\"args\":[\"a\"]}}", "process.cwd: required, but missing");
	check_example(START "\"process\":{\"args\":[\"a\"],\"cwd\":\"x\"}}",
		      "process.cwd: \"x\" is not an absolute path");
	check_example(START "\"process\":{\"cwd\":\"/\"}}", "process.args: must not be empty");
	check_example(START "\"process\":{\"args\":[],\"cwd\":\"/\"}}", "process.args: must not be empty");
	check_example(START "\"process\":{\"args\":\"a\",\"cwd\":\"/\"}}",
		      "process.args: must be an array of strings, not a string");
	check_example(START "\"process\":{\"args\":[\"a\",\"b\",{}],\"cwd\":\"/\"}}",
		      "process.args[2]: must be a string, not an object");
	check_example(START "\"process\":null}", "");
	return check_result();
}
