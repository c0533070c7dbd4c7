/*
 * Guesses the architecture of a recording whose header does not have it, from the ELF header of a mapped file. The file must
 * still have the build id or inode that was recorded.
 */
#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/arch.h"
#include "core/base/file.h"
#include "core/binary/build_id.h"
#include "core/model/dso.h"
#include "core/model/machine.h"

#define MACHINE_AT	18	/* e_machine, u16, in the ELF header of either class */
#define HEAD_SIZE	20

/* Only 64-bit programs, because 32-bit programs also run on 64-bit machines. */
static const struct { uint16_t machine; const char *name; } machines[] = {
	{ EM_X86_64, "x86_64" }, { EM_AARCH64, "aarch64" },
};

static bool is_what_was_mapped(const struct dso *dso, int fd)
{
	struct build_id id;
	struct stat st;

	if (dso->build_id.size)
		return !build_id_of_file(&id, dso->path) && build_id_equal(&id, &dso->build_id);
	return dso->mapped.ino && !fstat(fd, &st) && (uint64_t)st.st_ino == dso->mapped.ino;
}

static const struct arch *arch_of_head(const uint8_t *head)
{
	unsigned machine = head[EI_DATA] == ELFDATA2MSB ? head[MACHINE_AT] << 8 | head[MACHINE_AT + 1] :
							  head[MACHINE_AT + 1] << 8 | head[MACHINE_AT];

	if (memcmp(head, ELFMAG, SELFMAG))
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(machines); i++)
		if (machines[i].machine == machine)
			return arch_find(machines[i].name);
	return NULL;
}

static const struct arch *arch_of_dso(const struct dso *dso)
{
	const struct arch *arch = NULL;
	uint8_t head[HEAD_SIZE];
	int fd = open_regular(dso->path);

	if (fd < 0)
		return NULL;
	if (pread(fd, head, sizeof(head), 0) == (ssize_t)sizeof(head) && is_what_was_mapped(dso, fd))
		arch = arch_of_head(head);
	close(fd);
	return arch;
}

const struct arch *guess_arch(const struct machine *m)
{
	const struct arch *arch = NULL;

	for (uint32_t i = 0; i < machine_nr_dsos(m) && !arch; i++) {
		const struct dso *dso = machine_dso(m, i);

		if (dso->kind == DSO_USER && dso->path[0] == '/')
			arch = arch_of_dso(dso);
	}
	return arch;
}
