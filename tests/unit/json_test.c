/* JSON: commas, escapes, and strings that are no UTF-8 or would be markup. */
#include "core/base/json.h"

#include "tests/unit/check.h"

static void string_is(const char *in, const char *expected)
{
	struct buf out = {0};

	buf_json_string(&out, in, strlen(in));
	CHECK_TEXT(buf_str(&out), expected);
	buf_release(&out);
}

static void strings(void)
{
	string_is("", "\"\"");
	string_is("a\"b\\c\n\t\x01\x7f", "\"a\\\"b\\\\c\\n\\t\\u0001\\u007f\"");
	string_is("</script>&", "\"\\u003c/script\\u003e\\u0026\"");
	string_is("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\"");
	string_is("\xff\xc0\xaf\xed\xa0\x80\xf4\x90\x80\x80x",
		  "\"\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffdx\"");
	string_is("\xe2\x82", "\"\\ufffd\\ufffd\"");
}

static void structure(void)
{
	struct buf out = {0};
	struct json j = { .out = &out };

	json_open(&j, '{');
	json_key(&j, "a");
	json_open(&j, '[');
	json_u64(&j, UINT64_MAX);
	json_i64(&j, -1);
	json_open(&j, '[');
	json_close(&j, ']');
	json_fixed(&j, 1.25, 3);
	json_close(&j, ']');
	json_key(&j, "b");
	json_bool(&j, true);
	json_key(&j, "c");
	json_null(&j);
	json_key(&j, "d");
	json_string(&j, "x");
	json_close(&j, '}');
	CHECK_TEXT(buf_str(&out), "{\"a\":[18446744073709551615,-1,[],1.250],\"b\":true,\"c\":null,\"d\":\"x\"}");
	buf_release(&out);
}

int main(void)
{
	strings();
	structure();
	return nr_failed != 0;
}
