/* The findings of a command, once. Layer: cmd */
#include "cmd/findings.h"

#include "core/base/finding.h"

int findings_end(struct findings *f)
{
	int status = findings_have(f, FINDING_DAMAGE) ? STATUS_DAMAGED : 0;

	findings_print(f);
	findings_release(f);
	return status;
}
