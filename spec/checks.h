/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of strings for the tables: each returns NULL, or what is wrong, to go behind the quoted text. */
#ifndef SANDLOCK_SPEC_CHECKS_H
#define SANDLOCK_SPEC_CHECKS_H

/* Starts with a slash. */
const char *check_absolute(const char *text);
/* A list of numbers and ranges: "0-3,7"; blanks around them are fine. */
const char *check_list(const char *text);
/* A list as cpuset files take it: what check_list takes, and also "0-31:2/4", "N", "all". */
const char *check_cpuset(const char *text);
/* "64KB", "2MB", "1GB". */
const char *check_page_size(const char *text);
/* A composition of r, w, m. */
const char *check_device_access(const char *text);
/* The name of one file: no slash, not "." or "..". */
const char *check_file_name(const char *text);
/* A name that the kernel takes for a network device (dev_valid_name). */
const char *check_net_device(const char *text);
/* closID: "/" or the name of one directory. */
const char *check_clos_id(const char *text);
const char *check_no_newline(const char *text);
/* Starts with "MB:", one line. */
const char *check_mem_bw_schema(const char *text);
/* At most 64 bytes: __NEW_UTS_LEN of the kernel. */
const char *check_uts_name(const char *text);

#endif
