/*
 * Copies /proc/kallsyms and the image of the vdso into the build-id cache (~/.debug), so that later commands find the symbols of
 * the recorded kernel even after a reboot.
 */
#include "core/record/loop/kernel_names.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/log.h"
#include "core/binary/build_id_cache.h"
#include "core/binary/kallsyms.h"
#include "core/model/dsos.h"
#include "core/model/load.h"

#define KALLSYMS	"/proc/kallsyms"
#define VDSO_NAME	"[vdso]"

/* Returns true the first time in a boot. */
static bool keep_kallsyms(const struct build_id_cache *c, int64_t boot)
{
	struct buf text = {0};
	struct build_id id;
	int err = build_id_of_kernel(&id);

	if (err || build_id_cache_has_leaf(c, KERNEL_NAME, "kallsyms", &id, boot) || kallsyms_are_hidden(KALLSYMS))
		return false;
	err = read_file(KALLSYMS, &text);
	if (!err)
		err = text.len ? build_id_cache_put_leaf(c, KERNEL_NAME, "kallsyms", &id, text.data, text.len) : -ENOENT;
	if (err)
		debug(1, "the kernel's names are not kept: %s", strerror(-err));
	buf_release(&text);
	return !err;
}

static void keep_vdso(const struct build_id_cache *c)
{
	struct buf image = {0};
	struct build_id id;
	char path[40];
	int fd = open_own_vdso(), err;

	if (fd < 0)
		return;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	err = build_id_of_file(&id, path);
	if (!err && !build_id_cache_has_leaf(c, VDSO_NAME, "vdso", &id, 0)) {
		err = read_file(path, &image);
		if (!err)
			err = build_id_cache_put_leaf(c, VDSO_NAME, "vdso", &id, image.data, image.len);
	}
	if (err)
		debug(1, "the vdso is not kept: %s", strerror(-err));
	buf_release(&image);
	close(fd);
}

void kernel_names_keep(void)
{
	struct build_id_cache c;
	int err = build_id_cache_open(&c, true);

	if (err) {
		debug(1, "the kernel's names are not kept: %s", strerror(-err));
		return;
	}
	if (keep_kallsyms(&c, boot_seconds()))
		keep_vdso(&c);
	build_id_cache_close(&c);
}
