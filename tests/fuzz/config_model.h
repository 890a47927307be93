/* config_model.h - what an environment means to the library, worked out from the documented types alone. */
#ifndef FUZZ_CONFIG_MODEL_H
#define FUZZ_CONFIG_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/config.h"

enum { MODEL_ENTRIES = 64 };

/* Entry i of the table, NULL after the last; how many there are, which must be fewer than MODEL_ENTRIES. */
const struct config_entry *model_table(size_t i);
size_t model_entries(void);
/* The entry of a name of `length` letters; model_entries() if there is none. */
size_t model_entry(const char *name, size_t length);
/* Is the text a right value of entry i?  Numbers as such, a word as its place in the type. */
bool model_value(size_t i, const char *text, uint64_t *value);

#endif
