/* Names are shortened where they are least missed, and never wider than asked; amounts have three digits that tell. */
#include "core/ui/fit.h"

#include "core/base/buf.h"
#include "tests/unit/check.h"

static void check_name(const char *name, size_t width, const char *want)
{
	struct buf out = {0};

	fit_name(name, strlen(name), width, &out);
	CHECK_TEXT(buf_str(&out), want);
	buf_release(&out);
}

static void check_duration(uint64_t ns, const char *want)
{
	struct buf out = {0};

	put_duration(&out, ns);
	CHECK_TEXT(buf_str(&out), want);
	buf_release(&out);
}

static void check_length(uint64_t ns, const char *want)
{
	struct buf out = {0};

	put_length(&out, ns);
	CHECK_TEXT(buf_str(&out), want);
	buf_release(&out);
}

static void check_amount(uint64_t n, const char *want)
{
	struct buf out = {0};

	put_amount(&out, n);
	CHECK_TEXT(buf_str(&out), want);
	buf_release(&out);
}

/* Whatever the name, of brackets in any order: no wider than asked, and whole where there is room. */
static void check_random(void)
{
	static const char letters[] = "<>()<>(),:ab  []-\xc3\xa4";
	uint64_t seed = 5;
	char name[60];

	for (unsigned n = 0; n < 20000; n++) {
		size_t len = random_below(&seed, sizeof(name)), width = random_below(&seed, 70);
		struct buf out = {0};

		for (size_t i = 0; i < len; i++)
			name[i] = letters[random_below(&seed, sizeof(letters) - 1)];
		fit_name(name, len, width, &out);
		CHECK(text_columns(out.data, out.len) <= width, "'%.*s' in %zu", (int)len, name, width);
		CHECK(text_columns(name, len) > width || (out.len == len && (!len || !memcmp(out.data, name, len))),
		      "'%.*s' fits %zu", (int)len, name, width);
		buf_release(&out);
	}
}

static void check_lengths(void)
{
	check_length(0, "0 ns");
	check_length(999, "999 ns");
	check_length(1000, "1.00 us");
	check_length(9994, "9.99 us");
	check_length(9996, "10.0 us");
	check_length(99960, "100 us");
	check_length(999600, "1.00 ms");
	check_length(2084000, "2.08 ms");
	check_length(1410000000, "1.41 s");
	check_length(123456000000000, "123456 s");
}

static void check_file(const char *name, size_t width, const char *want)
{
	struct buf out = {0};

	fit_file_name(name, strlen(name), width, &out);
	CHECK_TEXT(buf_str(&out), want);
	buf_release(&out);
}

static void check_files(void)
{
	check_file("libc.so.6", 9, "libc.so.6");
	check_file("libc.so.6", 8, "libc");
	check_file("[kernel.kallsyms]", 8, "[kernel]");
	check_file("ld-linux-x86-64.so.2", 12, "ld-linux-...");
	check_file(".so.conf-and-more", 8, ".so.conf");
	check_name("exc_page_fault  [kernel.kallsyms]", 33, "exc_page_fault  [kernel.kallsyms]");
	check_name("exc_page_fault  [kernel.kallsyms]", 32, "exc_page_fault  [kernel]");
	check_name("exc_page_fault  [kernel.kallsyms]", 24, "exc_page_fault  [kernel]");
	check_name("exc_page_fault  [kernel.kallsyms]", 17, "exc_page_fault");
	check_name("[k] exc_page_fault  [kernel.kallsyms]", 21, "[k] exc_page_fault");
	check_name("f  [ld-linux-x86-64.so.2]", 20, "f  [ld-...6-64.so.2]");
	check_name("malloc  [libc.so.6]", 18, "malloc");
	check_name("operator[](int)  [a]", 15, "operator[](int)");
}

/* Short names of different template instances differ while there is room. No short name begins with "::". */
static void check_instances(void)
{
	check_name("(anonymous namespace)::sort_join<std::string, std::map<int, long>, c>::accumulate(a const&, int)", 75,
		   "sort_join<std::string, std::map<int, long>, c>::accumulate(a const&, int)");
	check_name("(anonymous namespace)::sort_join<std::string, std::map<int, long>, c>::accumulate(a const&, int)", 72,
		   "sort_join<std::string, ...>::accumulate(a const&, int)");
	check_name("(anonymous namespace)::sort_join<std::string, std::map<int, long>, c>::accumulate(a const&, int)", 50,
		   "sort_join<std::string, ...>::accumulate(...)");
	check_name("(anonymous namespace)::sort_join<std::string, std::map<int, long>, c>::accumulate(a const&, int)", 40,
		   "sort_join<std::string, ...>::accumulate");
	check_name("(anonymous namespace)::sort_join<int, std::map<int, long>, c>::accumulate(a const&, int)", 40,
		   "sort_join<int, ...>::accumulate(...)");
	check_name("(anonymous namespace)::sort_join<std::string, std::map<int, long>, c>::accumulate(a const&, int)", 30,
		   "sort_join<...>::accumulate");
	check_name("(anonymous namespace)::sort_join<std::string, std::map<int, long>, c>::accumulate(a const&, int)", 22,
		   "sort_join::accumulate");
	check_name("(anonymous namespace)::sort_join<std::string, std::map<int, long>, c>::accumulate(a const&, int)", 20,
		   "accumulate");
	check_name("store::join<std::vector<int, std::allocator<int> >, long>::run(int)", 40,
		   "join<std::vector<...>, ...>::run(int)");
	check_name("void sort_rows<std::string, int>(std::vector<int, long>)", 34, "sort_rows<std::string, int>(...)");
	check_name("void sort_rows<std::string, int>(std::vector<int, long>)", 12, "sort_rows");
	check_name("std::vector<int> store::rows_of<int, long>(unsigned long)", 24, "store::rows_of<int, ...>");
	check_name("std::_Rb_tree_const_iterator<std::pair<int const, long> >::operator++()", 36,
		   "_Rb_tree_const_iterator::operator++");
	check_name("std::_Rb_tree_const_iterator<std::pair<int const, long> >::operator++()", 32,
		   "_Rb_tree_const_it...::operator++");
	check_name("a::first(unsigned int, int)::{lambda(unsigned int, int)#1}::operator()(unsigned int, int) const", 24,
		   "{lambda#1}::operator()");
}

int main(void)
{
	check_lengths();
	check_files();
	check_instances();
	check_name("main", 4, "main");
	check_name("std::vector<std::pair<int, int>, std::allocator<std::pair<int, int>>>::push_back(int)", 40,
		   "std::vector<...>::push_back(int)");
	check_name("f<aaaaaaaaaaaa>::g<bbbbbbbb>::h", 25, "f<...>::g<bbbbbbbb>::h");
	check_name("f<aaaaaaaaaaaa>::g(bbbbbbbb, c<d>) const", 20, "f<aaaaaaaaaaaa>::g");
	check_name("f<aaaaaaaaaaaa>::g(bbbbbbbb, c<d>) const", 19, "f<aaaaaaaaaaaa>::g");
	check_name("f<aaaaaaaaaaaa>::g(bbbbbbbb, c<d>) const", 17, "f<...>::g");
	check_name("bool std::operator< <char, int>(x<y> const&)", 36, "std::operator< <char, int>(...)");
	check_name("std::ostream::operator<<(std::string const&)", 30, "std::ostream::operator<<(...)");
	check_name("X::operator->(long long long long)", 20, "X::operator->(...)");
	check_name("bool std::operator><char, int>(x<y> const&)", 36, "std::operator><char, int>(...)");
	check_name("std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >::compare(int)", 60,
		   "std::string::compare(int)");
	check_name("f<std::__cxx11::basic_string<char> >(std::__cxx11::list<int>)", 40, "f<std::string >(std::list<int>)");
	check_name("<alloc::vec::Vec<T> as core::ops::Drop>::drop", 20, "<...>::drop");
	check_name("std::map<a, b, c, d>::lower_bound(a const&)", 24, "map<a, ...>::lower_bound");
	check_name("core::iter::traits::Iterator::next", 20, "Iterator::next");
	check_name("std::__cxx11::basic_string<char, b>::compare(x, y)", 24, "basic_string::compare");
	check_name("bool std::operator< <char, int>(x<y> const&)", 20, "std::operator< <...>");
	check_name("(anonymous namespace)::a_long_class_name::f", 22, "a_long_class_name::f");
	check_name("v8::internal::(anonymous namespace)::Accessor<v8::internal::Kind>::Grow(v8::internal::Handle, int)", 24,
		   "Accessor<...>::Grow");
	check_name("v8::internal::(anonymous namespace)::Accessor<v8::internal::Kind>::GrowCapacity(a, b) [clone .part.0]", 20,
		   "GrowCapacity");
	check_name("a::first(unsigned int, int)::{lambda(unsigned int, int)#1}::operator()(unsigned int, int) const", 40,
		   "first(...)::{lambda(...)#1}::operator()");
	check_name("[.] bool std::operator< <char, int>(x<y> const&)", 24, "[.] std::operator< <...>");
	check_name("[kernel.kallsyms]", 12, "[kernel]");
	check_name("[kernel.kallsyms]", 17, "[kernel.kallsyms]");
	check_name("std::vector<std::pair<int, int>>::push_back(int)", 15, "push_back");
	check_name("std::pair<int, int>::operator()(int)", 12, "operator()");
	check_name("AClassOfALongName::method", 16, "method");
	check_name("store::index_of_records<std::string, int>::lookup_all(unsigned)", 35, "index_of_records<...>::lookup_all");
	check_name("store::index_of_records<std::string, int>::lookup_all(unsigned int)", 30, "index_of_records::lookup_all");
	check_name("store::index_of_records<std::string, int>::lookup_all(unsigned int)", 22, "lookup_all");
	check_name("store::index_of_records<std::string, int>::lookup_all(unsigned int)", 10, "lookup_all");
	check_name("store::index_of_records<std::string, int>::lookup_all(unsigned int)", 9, "lookup...");
	check_name("store::index_of_records<std::string, int>::lookup_all(unsigned int)", 5, "looku");
	check_name("a::lookup_of_all_records_by_their_keys(unsigned int)", 20, "lookup_of_all_rec...");
	check_name("store::index_of_records::f(unsigned int)", 20, "index_of_records::f");
	check_name("a_name_without_any_brackets", 15, "a_na...brackets");
	check_name("a_name_without_any_brackets", 10, "a_...ckets");
	check_name("a_name_without_any_brackets", 9, "a_name_wi");
	check_name("a_name_without_any_brackets", 3, "a_n");
	check_name("an_inlined_function_template<with, arguments> (inlined)", 43, "an_inlined_function_template<...> (inlined)");
	check_name("[.] an_inlined_function<with, arguments> (inlined)", 30, "[.] an_inlined_function<...>");
	check_name("f (inlined)", 8, "f");
	check_name("\xc3\xa4\xc3\xb6\xc3\xbc", 3, "\xc3\xa4\xc3\xb6\xc3\xbc");
	check_name("\xc3\xa4\xc3\xb6\xc3\xbc", 2, "\xc3\xa4\xc3\xb6");
	check_random();
	check_duration(0, "0 s");
	check_duration(648250000, "0.65 s");
	check_duration(12345678, "12.3 ms");
	check_duration(4000, "4.0 us");
	check_duration(123456000000, "123 s");
	check_amount(9999, "9999");
	check_amount(10000, "10.0 k");
	check_amount(1300000000, "1.30 G");
	check_amount(999600, "1.00 M");
	check_amount(UINT64_MAX, "18.4 E");
	return checks_done();
}
