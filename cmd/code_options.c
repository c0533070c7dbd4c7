/*
 * Parses and checks the options for the display of annotated code, such as --asm-raw. Also turns their values back into words of
 * a command line, for the prec annotate command that prec suggests to the user.
 */
#include "cmd/code_options.h"

#include <inttypes.h>

#include "core/base/buf.h"
#include "core/base/log.h"
#include "core/ui/shell_word.h"

int code_parse_percent_type(const struct option_desc *o, void *field, const char *arg, bool unset)
{
	if (!percent_type_parse(field, unset ? "local-period" : arg))
		return 0;
	return error("--%s is local-period, local-hits, global-period or global-hits, not '%s'", o->name, arg);
}

int code_parse_syntax(const struct option_desc *o, void *field, const char *arg, bool unset)
{
	bool *intel = field;

	*intel = !unset && str_eq(arg, "intel");
	return unset || *intel || str_eq(arg, "att") ? 0 : error("--%s is intel or att, not '%s'", o->name, arg);
}

int code_check(const struct annotate_opts *o)
{
	return o->prefix_strip && !o->prefix ? error("--prefix-strip needs --prefix: where the rest of the path is") : 0;
}

void code_put_options(const struct annotate_opts *o, struct buf *out)
{
	if (o->type)
		buf_printf(out, " --percent-type %s", percent_type_name(o->type));
	buf_puts(out, o->source ? "" : " --no-source");
	buf_puts(out, o->line_shares ? " --line-shares" : "");
	buf_puts(out, o->raw ? " --asm-raw" : "");
	buf_puts(out, o->intel ? " -M intel" : "");
	buf_put_option(out, "--prefix", o->prefix);
	if (o->prefix_strip)
		buf_printf(out, " --prefix-strip %" PRIu64, o->prefix_strip);
}
