/* suggest.c - edit distance between short words (Damerau, in the form in which no letter is edited twice). */
#include "base/suggest.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

enum { LONGEST = 63 };

static int lower(char c)
{
    return tolower((unsigned char)c);
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t armcii_edit_distance(const char *a, const char *b)
{
    size_t rows[3][LONGEST + 1];
    size_t *before = rows[0], *above = rows[1], *row = rows[2]; /* of letters i-2, i-1, i of a */
    size_t length = strlen(b);

    if (strlen(a) > LONGEST || length > LONGEST) return SIZE_MAX;
    for (size_t j = 0; j <= length; j++)
        row[j] = j;
    for (size_t i = 1; a[i - 1] != '\0'; i++) {
        size_t *oldest = before;
        before = above;
        above = row;
        row = oldest;
        row[0] = i;
        for (size_t j = 1; j <= length; j++) {
            size_t replaced = above[j - 1] + (lower(a[i - 1]) != lower(b[j - 1]));
            row[j] = smaller(replaced, 1 + smaller(above[j], row[j - 1]));
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]))
                row[j] = smaller(row[j], before[j - 2] + 1);
        }
    }
    return row[length];
}

void armcii_suggest_consider(struct suggestion *search, const char *candidate)
{
    size_t distance = armcii_edit_distance(search->word, candidate);
    size_t near_enough = strlen(candidate) / 3; /* beyond that a guess only confuses */

    if (distance > near_enough) return;
    if (search->best != NULL && distance >= search->distance) return;
    search->best = candidate;
    search->distance = distance;
}
