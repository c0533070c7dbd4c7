/*
 * Reads MMAP records as soon as the kernel writes them, so that the mapped binaries can be copied (binary_saver.h). Ring buffers
 * are emptied only about a second later; by then a short program has ended, and files that only this program could see are gone.
 * A separate thread waits for the ring buffers of MMAP, COMM and similar records, and is woken at each record. The thread leaves
 * the records in the ring buffer, and the reader of the ring buffer writes them to the file later.
 * Layer: loop
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
 * Starts the thread. @saver, @jit_maps and @python may be NULL. All arguments are borrowed until map_watch_end(). Returns NULL
 * if MMAP records are in the ring buffers of samples, so that no thread is needed, or if no thread or file is available, which
 * -v reports. The caller then waits for these ring buffers itself.
 */
struct map_watch *map_watch_begin(const struct event_set *set, struct readers *readers, struct binary_saver *saver,
				  struct jit_maps *jit_maps, struct python *python);
void map_watch_end(struct map_watch *w);

#endif
