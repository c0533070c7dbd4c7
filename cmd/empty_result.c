/*
 * Explains why no sample passes the user's filters. Prints each given name of a thread, file or symbol that the recording lacks,
 * with similar names that it has. If it lacks none, prints only that no sample passes.
 */
#include "cmd/input.h"

#include <string.h>

#include "core/base/buf.h"
#include "core/base/log.h"
#include "core/ui/suggest.h"
#include "core/read/filter.h"
#include "core/read/session.h"

static bool has_name(const struct names *known, const char *word)
{
	vec_for(name, &known->list)
		if (str_eq(*name, word))
			return true;
	return false;
}

static unsigned print_unknown(const struct filter *f, enum filter_list list, const char *what, const struct names *known)
{
	const char *word;
	unsigned nr = 0;

	for (size_t i = 0; (word = filter_word(f, list, i)); i++) {
		struct buf meant = {0};

		if (has_name(known, word))
			continue;
		names_suggest(&meant, word, strlen(word), known);
		info("no sample is left of %s '%s'%s", what, word, buf_str(&meant));
		buf_release(&meant);
		nr++;
	}
	return nr;
}

void print_empty_result(const struct session *s, const struct filter *f, const struct names *symbols)
{
	const struct machine *m = session_machine(s);
	struct names comms = {0}, dsos = {0}, loaded = {0};
	unsigned nr;

	for (uint32_t i = 0; i < machine_nr_comms(m); i++)
		names_add(&comms, machine_comm(m, i));
	for (uint32_t i = 0; i < machine_nr_dsos(m); i++) {
		names_add(&dsos, machine_dso(m, i)->name);
		names_add(&dsos, machine_dso(m, i)->path);
		if (!symbols && filter_word(f, FILTER_SYMBOLS, 0) && machine_dso(m, i)->requested)
			vec_for(symbol, &machine_dso(m, i)->symbols.list)
				names_add(&loaded, symbol->name);
	}
	names_sort(&comms);
	names_sort(&dsos);
	names_sort(&loaded);
	nr = print_unknown(f, FILTER_COMMS, "comm", &comms);
	nr += print_unknown(f, FILTER_DSOS, "dso", &dsos);
	nr += print_unknown(f, FILTER_SYMBOLS, "symbol", symbols ? symbols : &loaded);
	if (!nr)
		info("no sample passes the filters");
	names_release(&comms);
	names_release(&dsos);
	names_release(&loaded);
}
