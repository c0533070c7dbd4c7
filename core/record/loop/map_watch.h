/*
 * Reads MMAP records as soon as the kernel writes them, so that binary_saver.c can copy the mapped files before they are
 * deleted. The ring buffers' readers (readers.h) write the records to the recording later.
 */
#ifndef CORE_RECORD_LOOP_MAP_WATCH_H
#define CORE_RECORD_LOOP_MAP_WATCH_H

struct event_set;
struct jit_maps;
struct binary_saver;
struct map_watch;
struct python;
struct readers;

/*
 * Starts the thread. It waits for the ring buffers of MMAP, COMM and similar records, is woken at each record, and leaves the
 * records in the ring buffer. Readers empty ring buffers only about a second later; by then a short program has ended, and files
 * that only this program could see are gone.
 *
 * @saver, @jit_maps and @python may be NULL. All arguments are borrowed until map_watch_end(). Returns NULL if MMAP records are in
 * the ring buffers of samples, so that no thread is needed, or if no thread or file is available, which -v reports. The caller then
 * waits for these ring buffers itself.
 */
struct map_watch *map_watch_begin(const struct event_set *set, struct readers *readers, struct binary_saver *saver,
				  struct jit_maps *jit_maps, struct python *python);
void map_watch_end(struct map_watch *w);

#endif
