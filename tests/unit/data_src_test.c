/* Memory accesses in words, for values whose meaning linux/perf_event.h defines. */
#include <stdio.h>
#include <string.h>

#include <linux/perf_event.h>

#include "core/base/buf.h"
#include "core/perfdata/data_src.h"

static const struct { union perf_mem_data_src src; const char *text; } cases[] = {
	{ { .val = 0 }, "|OP No|LVL N/A|SNP N/A|TLB N/A|LCK No|BLK  N/A" },
	{ { .mem_op = PERF_MEM_OP_NA, .mem_lvl = PERF_MEM_LVL_NA, .mem_snoop = PERF_MEM_SNOOP_NA,
	    .mem_lock = PERF_MEM_LOCK_NA, .mem_dtlb = PERF_MEM_TLB_NA, .mem_lvl_num = PERF_MEM_LVLNUM_NA },
	  "|OP N/A|LVL N/A|SNP N/A|TLB N/A|LCK N/A|BLK  N/A" },
	{ { .mem_op = PERF_MEM_OP_LOAD, .mem_lvl = PERF_MEM_LVL_L1 | PERF_MEM_LVL_HIT, .mem_snoop = PERF_MEM_SNOOP_NONE,
	    .mem_dtlb = PERF_MEM_TLB_L1 | PERF_MEM_TLB_L2 | PERF_MEM_TLB_HIT },
	  "|OP LOAD|LVL L1 hit|SNP None|TLB L1 or L2 hit|LCK No|BLK  N/A" },
	{ { .mem_op = PERF_MEM_OP_STORE, .mem_lvl = PERF_MEM_LVL_L3 | PERF_MEM_LVL_MISS, .mem_snoop = PERF_MEM_SNOOP_HITM,
	    .mem_lock = PERF_MEM_LOCK_LOCKED, .mem_dtlb = PERF_MEM_TLB_WK | PERF_MEM_TLB_MISS },
	  "|OP STORE|LVL L3 miss|SNP HitM|TLB Walker miss|LCK Yes|BLK  N/A" },
	/* The level by number wins over the bits; remote and hops stand before it. */
	{ { .mem_op = PERF_MEM_OP_LOAD, .mem_lvl = PERF_MEM_LVL_L1 | PERF_MEM_LVL_HIT, .mem_lvl_num = PERF_MEM_LVLNUM_RAM,
	    .mem_remote = PERF_MEM_REMOTE_REMOTE, .mem_hops = PERF_MEM_HOPS_0 },
	  "|OP LOAD|LVL Remote core, same node RAM hit|SNP N/A|TLB N/A|LCK No|BLK  N/A" },
	{ { .mem_op = PERF_MEM_OP_LOAD, .mem_snoopx = PERF_MEM_SNOOPX_FWD, .mem_blk = PERF_MEM_BLK_DATA | PERF_MEM_BLK_ADDR },
	  "|OP LOAD|LVL N/A|SNP Fwd|TLB N/A|LCK No|BLK  Data Addr" },
};

int main(void)
{
	struct buf out = {0};
	int failures = 0;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		out.len = 0;
		data_src_print(cases[i].src.val, &out);
		if (strcmp(buf_str(&out), cases[i].text) == 0)
			continue;
		printf("want %s\ngot  %s\n", cases[i].text, buf_str(&out));
		failures++;
	}
	buf_release(&out);
	return failures != 0;
}
