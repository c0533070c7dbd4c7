/*
 * Reads new MMAP records at once, so that the binaries can be copied (binary_saver.h). When their ring is emptied, a second later,
 * a short program has ended, and files that only it could see are gone. A separate thread waits for the rings of the side band,
 * which wake it at each record; it leaves the records in the ring for the ring's reader.
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
 * Begins; @saver, @jit_maps and @python may be NULL. All is borrowed until map_watch_end(). NULL: not needed, as the side band is
 * in the rings of samples, or no thread or file is available, which -v reports: the caller waits for these rings then.
 */
struct map_watch *map_watch_begin(const struct event_set *set, struct readers *readers, struct binary_saver *saver,
				  struct jit_maps *jit_maps, struct python *python);
void map_watch_end(struct map_watch *w);

#endif
