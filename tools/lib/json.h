/* json.h - writes a JSON document to a stream: objects, arrays and values, with commas, escapes and
 * indentation. */
#ifndef ARMCII_JSON_H
#define ARMCII_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Starts as {.file = stream}. */
struct json {
    FILE *file;
    int depth;
    bool comma, line; /* what comes before the next value */
};

/* `key` is NULL for values of an array and for the document itself; `bracket` is '{' or '[', and
 * '}' or ']'. */
void armcii_json_open(struct json *j, const char *key, char bracket);
void armcii_json_close(struct json *j, char bracket);
/* The next value or closing bracket starts a new line. */
void armcii_json_line(struct json *j);

void armcii_json_text(struct json *j, const char *key, const char *text);
void armcii_json_bool(struct json *j, const char *key, bool value);
void armcii_json_count(struct json *j, const char *key, uint64_t value);
/* null for a value that is not finite. */
void armcii_json_real(struct json *j, const char *key, int decimals, double value);
void armcii_json_null(struct json *j, const char *key);

#endif
