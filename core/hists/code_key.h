/*
 * Declares the sort keys of prec report that depend on addresses of code, such as dso, symbol and srcline. key_table.c lists these
 * and all other keys.
 * Layer: hists
 */
#ifndef CORE_HISTS_CODE_KEY_H
#define CORE_HISTS_CODE_KEY_H

struct key_table;

/*
 * Usually the keys describe the sampled address. If prec report counts branches, they describe the branch's target, and the keys
 * whose names end with _from its source. The key parent is the function of the call chain that --parent matches.
 */
extern const struct key_table code_keys;

#endif
