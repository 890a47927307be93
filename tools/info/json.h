/* json.h - the report as JSON. */
#ifndef INFO_JSON_H
#define INFO_JSON_H

#include <stdbool.h>
#include <stddef.h>

/* Everything; of the variables those for which `wanted` (NULL: all). */
void info_print_json(bool (*wanted)(size_t variable));

#endif
