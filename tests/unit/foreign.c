/* The assembler's turning of the byte order, for the tests of the codecs. */
#include "tests/mkdata/swap.c"
