/* prec: find the command, run it, see that its output arrived. Layer: cmd */
#include <stdio.h>

int main(int argc, char **argv)
{
	(void)argc, (void)argv;
	return 0;
}
