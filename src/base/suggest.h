/* suggest.h - which known word did the user mean? */
#ifndef ARMCII_SUGGEST_H
#define ARMCII_SUGGEST_H

#include <stdbool.h>
#include <stddef.h>

/* The search so far; start with {word, NULL, 0}. */
struct suggestion {
    const char *word; /* what was written */
    const char *best; /* nearest candidate, NULL: none is near enough to be what was meant */
    size_t distance;  /* of best */
};

/* Take `candidate` where it is nearer than the best so far and near enough.  Letters count without case. */
void armcii_suggest_consider(struct suggestion *search, const char *candidate);

/* Letters to insert, delete, replace, or swap with their neighbour, to get from a to b, without case.  SIZE_MAX: one of
 * them is longer than 63 letters. */
size_t armcii_edit_distance(const char *a, const char *b);

#endif
