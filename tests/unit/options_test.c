/* Options: every way to give one, the words that remain, what is refused and with which result. */
#include "core/ui/options.h"

#include <unistd.h>

#include "core/base/log.h"
#include "tests/unit/check.h"

struct opts {
	bool all, given, quiet;
	int verbose;
	uint64_t count, bits;
	const char *output, *graph;
	unsigned graph_calls;
};

static int on_graph(const struct option_desc *o, void *field, const char *arg, bool unset)
{
	struct opts *opts = (struct opts *)((char *)field - offsetof(struct opts, graph));

	(void)o;
	opts->graph_calls++;
	opts->graph = unset ? "none" : arg ? arg : "default";
	if (arg && str_eq(arg, "?"))
		return -2;
	return arg && str_eq(arg, "wrong") ? error("no such graph") : 0;
}

static const struct option_desc table[] = {
	OPT_GROUP("What"),
	OPT_BOOL_GIVEN('a', "all-cpus", struct opts, all, given, "record every CPU"),
	OPT_BOOL('q', "quiet", struct opts, quiet, "say less"),
	OPT_COUNT('v', "verbose", struct opts, verbose, "say more"),
	OPT_U64('c', "count", struct opts, count, "n", "how many"),
	OPT_BITS('b', "four", struct opts, bits, 4, "a bit"),
	OPT_BITS(0, "nine", struct opts, bits, 9, "two bits"),
	OPT_STRING('o', "output", struct opts, output, "file", "where to"),
	OPT_CALL_FLAGS('g', "graph", struct opts, graph, "kind", on_graph, OPTION_OPTIONAL, "chains"),
	OPT_ABSENT('s', "quarter", "there are halves"),
	OPT_END
};

/* Parse the words of @line; the first word that remains goes to *rest ("" for none). */
static int parse(struct opts *o, const char *line, bool anywhere, char *rest, size_t room)
{
	static char copy[256];		/* what the options point into */
	static char program[] = "test";
	char *argv[16] = { program }, *save;
	int argc = 1, nr = 0, first;

	snprintf(copy, sizeof(copy), "%s", line);
	for (char *w = strtok_r(copy, " ", &save); w; w = strtok_r(NULL, " ", &save))
		argv[argc++] = w;
	*o = (struct opts){0};
	first = options_parse(table, o, "prec test", anywhere, argc, argv, &nr);
	*rest = '\0';
	for (int i = first; first > 0 && i < first + nr; i++)
		snprintf(rest + strlen(rest), room - strlen(rest), "%s%s", i > first ? " " : "", argv[i]);
	return first;
}

static struct opts o;
static char rest[256];

static void accepted(const char *line, bool anywhere, const char *want_rest)
{
	CHECK(parse(&o, line, anywhere, rest, sizeof(rest)) > 0, "'%s'", line);
	CHECK_TEXT(rest, want_rest);
}

static void refused(const char *line)
{
	CHECK(parse(&o, line, true, rest, sizeof(rest)) == -1, "'%s'", line);
}

static void every_form(void)
{
	/* Options that prec lacks make no abbreviation ambiguous. */
	accepted("-a --qu", false, "");
	CHECK(o.quiet);
	accepted("-a -v -v -c 5 -o x", false, "");
	CHECK(o.all && o.given && o.verbose == 2 && o.count == 5 && str_eq(o.output, "x"));
	accepted("-avc5", false, "");
	CHECK(o.all && o.verbose == 1 && o.count == 5);
	CHECK(parse(&o, "-g? -q", false, rest, sizeof(rest)) == -2 && !o.quiet);
	accepted("-b --nine --no-four", false, "");
	CHECK(o.bits == 9);
	accepted("--all-cpus --count=7 --output y", false, "");
	CHECK(o.all && o.count == 7 && str_eq(o.output, "y"));
	accepted("--all --out=z", false, "");
	CHECK(o.all && str_eq(o.output, "z"));
	accepted("--all-cpus --no-all-cpus", false, "");
	CHECK(!o.all && o.given);
	accepted("-vv --no-verbose", false, "");
	CHECK(!o.verbose);
	accepted("-c 2k", false, "");
	CHECK(o.count == 2000);
}

static void optional_arguments(void)
{
	accepted("-g fp", true, "fp");
	CHECK(str_eq(o.graph, "default"));
	accepted("-gfp", true, "");
	CHECK(str_eq(o.graph, "fp"));
	accepted("-g=fp", true, "");
	CHECK(str_eq(o.graph, "fp"));
	accepted("--graph=dwarf,8", true, "");
	CHECK(str_eq(o.graph, "dwarf,8"));
	accepted("--no-graph", true, "");
	CHECK(str_eq(o.graph, "none"));
	refused("--graph=wrong");
}

static void words(void)
{
	accepted("-a ls -v", false, "ls -v");
	CHECK(!o.verbose);
	accepted("-a ls -v", true, "ls");
	CHECK(o.verbose == 1);
	accepted("-a -- -v ls", true, "-v ls");
	CHECK(!o.verbose);
	accepted("ls -- -v", true, "ls -v");
}

static void wrong_ones(void)
{
	refused("--nothing");
	refused("-x");
	refused("-c");
	refused("-c five");
	refused("--count=");
	refused("--quiet=yes");
	refused("--no-output=x");
	refused("--quarter");
	refused("-s");
	refused("--quarter=1");
}

static void numbers(void)
{
	uint64_t v;

	CHECK(!parse_count("10", &v) && v == 10);
	CHECK(!parse_count("3M", &v) && v == 3000000);
	CHECK(!parse_size("3M", &v) && v == 3 << 20);
	CHECK(!parse_size("1G", &v) && v == 1 << 30);
	CHECK(parse_size("", &v) && parse_size("x", &v) && parse_size("1X", &v) && parse_size("-1", &v));
	CHECK(parse_size("99999999999T", &v), "more than 64 bits");
}

int main(void)
{
	CHECK(freopen("/dev/null", "w", stderr) != NULL);
	every_form();
	optional_arguments();
	words();
	wrong_ones();
	numbers();
	return checks_done();
}
