/* variables.h - the environment variables, as a report and as doc/variables.md. */
#ifndef INFO_VARIABLES_H
#define INFO_VARIABLES_H

#include <stdbool.h>
#include <stddef.h>

/* Is the value in force of entry i another one than the default? */
bool info_is_changed(size_t i);
/* Every variable with its type, default and value in force; or only those whose value is not the default. */
void info_print_variables(void);
void info_print_changed(void);
void info_print_markdown(void);

#endif
