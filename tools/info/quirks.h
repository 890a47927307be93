/* quirks.h - the known defects of the MPI library in use. */
#ifndef INFO_QUIRKS_H
#define INFO_QUIRKS_H

#include <stdbool.h>
#include <stddef.h>

/* Does row i of the table concern the library in use?  Where: jobs on one node, on several. */
bool info_quirk_concerns(size_t i, bool *on_one_node, bool *on_several);
void info_print_quirks(void);

#endif
