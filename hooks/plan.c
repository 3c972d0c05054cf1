/* SPDX-License-Identifier: Apache-2.0 */
#include "hooks/plan.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sandbox/common/cleanup.h"

/* Without "env" a hook has the environment of `create`, as with runc and crun, and inside the container that of the
 * process: programs that engines register as hooks look for PATH. */
static struct plan_array plan_inherited(struct plan_builder *builder, const struct oci_config *config, const char *kind)
{
	size_t count = 0;

	if (strcmp(kind, "startContainer") == 0)
		return config->process == NULL ? (struct plan_array){0}
					       : plan_add_strings(builder, (const char *const *)config->process->env,
								  config->process->env_count);
	while (environ[count] != NULL)
		count++;
	return plan_add_strings(builder, (const char *const *)environ, count);
}

static bool has_env(const struct oci_hook *hook)
{
	return hook->env_set || hook->env_count > 0;
}

static int plan_list(struct plan_builder *builder, const struct oci_config *config, const struct oci_hook_list *list,
		     const char *kind, struct plan_array *array, struct error *err)
{
	struct arena arena CLEANUP_ARENA = {0};
	struct plan_hook *hooks = arena_array(&arena, list->count, sizeof *hooks);
	struct plan_array inherited = {0};
	bool inherits = false;

	for (size_t i = 0; i < list->count; i++)
		inherits |= !has_env(&list->items[i]);
	if (inherits)
		inherited = plan_inherited(builder, config, kind);

	for (size_t i = 0; i < list->count; i++) {
		const struct oci_hook *hook = &list->items[i];
		if (hook->path == NULL || hook->path[0] != '/')
			return error_set(err, EINVAL, "hooks.%s[%zu].path \"%s\" is not absolute", kind, i,
					 hook->path == NULL ? "" : hook->path);
		if (hook->timeout.set && hook->timeout.value <= 0)
			return error_set(err, EINVAL,
					 "hooks.%s[%zu].timeout is %d: it must be greater than zero (seconds)", kind, i,
					 hook->timeout.value);
		hooks[i].path = plan_add_string(builder, hook->path);
		hooks[i].args = plan_add_strings(builder, (const char *const *)hook->args, hook->args_count);
		hooks[i].env = has_env(hook)
				   ? plan_add_strings(builder, (const char *const *)hook->env, hook->env_count)
				   : inherited;
		hooks[i].timeout = hook->timeout.set ? hook->timeout.value : 0;
	}
	*array = plan_add_array(builder, hooks, list->count, sizeof *hooks);
	return 0;
}

int hooks_plan(struct plan_builder *builder, const struct oci_config *config, struct error *err)
{
	const struct {
		const struct oci_hook_list *list;
		const char *kind;
		struct plan_array *array;
	} lists[] = {
	    {&config->hooks.prestart, "prestart", &builder->plan.hooks_prestart},
	    {&config->hooks.create_runtime, "createRuntime", &builder->plan.hooks_create_runtime},
	    {&config->hooks.create_container, "createContainer", &builder->plan.hooks_create_container},
	    {&config->hooks.start_container, "startContainer", &builder->plan.hooks_start_container},
	    {&config->hooks.poststart, "poststart", &builder->plan.hooks_poststart},
	    {&config->hooks.poststop, "poststop", &builder->plan.hooks_poststop},
	};

	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		int rc = plan_list(builder, config, lists[i].list, lists[i].kind, lists[i].array, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* RFC 8259 section 7. The text is UTF-8: it came out of the JSON parser or names a file. */
static void put_string(FILE *out, const char *text)
{
	fputc('"', out);
	for (const unsigned char *c = (const unsigned char *)text; *c != '\0'; c++) {
		if (*c == '"' || *c == '\\')
			fprintf(out, "\\%c", *c);
		else if (*c < 0x20)
			fprintf(out, "\\u%04x", *c);
		else
			fputc(*c, out);
	}
	fputc('"', out);
}

static void put_member(FILE *out, const char *separator, const char *key, const char *value)
{
	fputs(separator, out);
	put_string(out, key);
	fputc(':', out);
	put_string(out, value);
}

void hooks_plan_state(struct plan_builder *builder, const struct oci_config *config, const char *id, const char *bundle)
{
	CLEANUP_FREE char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	if (out != NULL) {
		put_member(out, "{", "ociVersion", config->oci_version == NULL ? "" : config->oci_version);
		put_member(out, ",", "id", id);
		put_member(out, ",", "bundle", bundle);
		if (config->annotations_count > 0)
			fputs(",\"annotations\":{", out);
		for (size_t i = 0; i < config->annotations_count; i++)
			put_member(out, i == 0 ? "" : ",", config->annotations[i].key, config->annotations[i].value);
		if (config->annotations_count > 0)
			fputc('}', out);
	}
	if (out == NULL || fclose(out) != 0) {
		fputs("sandlock-oci: out of memory\n", stderr); /* as arena.h does */
		_Exit(1);
	}
	builder->plan.state_prefix = plan_add_string(builder, text);
}
