/* Build ids: out of notes that are whole, cut or of others; of files; in words. */
#include "core/binary/build_id.h"

#include <elf.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "tests/unit/check.h"

static void put_note(struct buf *b, uint32_t type, const char *name, const void *desc, uint32_t size)
{
	Elf64_Nhdr h = { .n_namesz = (uint32_t)strlen(name) + 1, .n_descsz = size, .n_type = type };

	buf_put(b, &h, sizeof(h));
	buf_put(b, name, h.n_namesz);
	buf_fill(b, '\0', round_up(h.n_namesz, 4) - h.n_namesz);
	buf_put(b, desc, size);
	buf_fill(b, '\0', round_up(size, 4) - size);
}

static void notes(void)
{
	static const uint8_t bytes[40] = { 0xde, 0xad, 0xbe, 0xef, 5, 6, 7, 8, 9, 10 };
	char text[BUILD_ID_TEXT];
	struct build_id id, other = { .size = 10 };
	struct buf b = {0};

	put_note(&b, 1, "Xen", "abc", 3);
	put_note(&b, NT_GNU_BUILD_ID, "Go", bytes, 20);
	put_note(&b, NT_GNU_BUILD_ID, "GNU", bytes, 10);
	CHECK(!build_id_of_notes(&id, b.data, b.len) && id.size == 10);
	CHECK_TEXT(build_id_text(&id, text), "deadbeef05060708090a");
	memcpy(other.data, bytes, 10);
	CHECK(build_id_equal(&id, &other));
	other.data[9]++;
	CHECK(!build_id_equal(&id, &other));
	for (size_t n = 0; n < b.len - 2; n++) {	/* the last two bytes are padding */
		char *cut = xmalloc(n + 1);

		memcpy(cut, b.data, n);
		CHECK(build_id_of_notes(&id, cut, n) == -ENOENT, "cut at %zu", n);
		free(cut);
	}
	b.len = 0;
	put_note(&b, NT_GNU_BUILD_ID, "GNU", bytes, 40);
	CHECK(!build_id_of_notes(&id, b.data, b.len) && id.size == BUILD_ID_MAX, "a long one is cut");
	memset(b.data, 0xff, 12);
	CHECK(build_id_of_notes(&id, b.data, b.len) == -ENOENT, "sizes of 4 GiB");
	buf_release(&b);
}

/* Compares with readelf on this program, if there is a readelf. */
static void of_this_file(void)
{
	FILE *p = popen("readelf -n /proc/$PPID/exe 2>/dev/null | sed -n 's/.*Build ID: //p'", "r");
	char want[128] = "", text[BUILD_ID_TEXT];
	struct build_id id = {0};
	int err = build_id_of_file(&id, "/proc/self/exe");
	char fifo[64];

	if (p && fgets(want, sizeof(want), p)) {
		want[strcspn(want, "\n")] = '\0';
		CHECK(!err);
		CHECK_TEXT(build_id_text(&id, text), want);
	}
	if (p)
		pclose(p);
	CHECK(build_id_of_file(&id, "/does/not/exist") == -ENOENT);
	CHECK(build_id_of_file(&id, "/proc/self/cmdline") == -ENOENT, "no ELF file");
	/* The recorder may find anything mapped: a fifo would make it wait for a writer. */
	CHECK(build_id_of_file(&id, "/dev/zero") == -EINVAL, "a device");
	snprintf(fifo, sizeof(fifo), "/tmp/build_id_test.%d", (int)getpid());
	CHECK(!mkfifo(fifo, 0600));
	CHECK(build_id_of_file(&id, fifo) == -EINVAL, "a fifo");
	unlink(fifo);
}

int main(void)
{
	notes();
	of_this_file();
	return checks_done();
}
