/* json.c - a JSON document on a stream. */
#include "json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Bytes of the UTF-8 character at c; 0 if there is none. */
static int utf8_length(const unsigned char *c)
{
    int length = *c < 0x80                 ? 1
                 : *c >= 0xc2 && *c < 0xe0 ? 2
                 : *c >= 0xe0 && *c < 0xf0 ? 3
                 : *c >= 0xf0 && *c < 0xf5 ? 4
                                           : 0;
    for (int i = 1; i < length; i++)
        if ((c[i] & 0xc0) != 0x80) return 0;
    return length;
}

static void put_text(FILE *f, const char *text)
{
    putc('"', f);
    for (const unsigned char *c = (const unsigned char *)text; *c;) {
        int length = utf8_length(c);
        if (*c == '"' || *c == '\\')
            fprintf(f, "\\%c", *c);
        else if (*c < ' ')
            fprintf(f, "\\u%04x", *c);
        else if (length == 0)
            fputs("\\ufffd", f);
        else
            fwrite(c, 1, (size_t)length, f);
        c += length ? length : 1;
    }
    putc('"', f);
}

static void new_line(struct json *j)
{
    if (j->line) fprintf(j->file, "\n%*s", j->depth, "");
    j->line = false;
}

static void begin_value(struct json *j, const char *key)
{
    if (j->comma) fputs(j->line ? "," : ", ", j->file);
    j->comma = true;
    new_line(j);
    if (!key) return;
    put_text(j->file, key);
    fputs(": ", j->file);
}

void armcii_json_open(struct json *j, const char *key, char bracket)
{
    begin_value(j, key);
    putc(bracket, j->file);
    j->comma = false;
    j->depth++;
}

void armcii_json_close(struct json *j, char bracket)
{
    j->depth--;
    new_line(j);
    putc(bracket, j->file);
    j->comma = true;
    if (j->depth == 0) putc('\n', j->file);
}

void armcii_json_line(struct json *j)
{
    j->line = true;
}

void armcii_json_text(struct json *j, const char *key, const char *text)
{
    begin_value(j, key);
    put_text(j->file, text);
}

void armcii_json_bool(struct json *j, const char *key, bool value)
{
    begin_value(j, key);
    fputs(value ? "true" : "false", j->file);
}

void armcii_json_count(struct json *j, const char *key, uint64_t value)
{
    begin_value(j, key);
    fprintf(j->file, "%" PRIu64, value);
}

void armcii_json_real(struct json *j, const char *key, int decimals, double value)
{
    char text[400]; /* the longest double has 309 digits before the point */
    if (!isfinite(value)) {
        armcii_json_null(j, key);
        return;
    }
    begin_value(j, key);
    snprintf(text, sizeof text, "%.*f", decimals, value);
    /* JSON has a point where the program's locale may have something else. */
    size_t whole = strspn(text, "-0123456789");
    fprintf(j->file, "%.*s", (int)whole, text);
    if (decimals > 0) fprintf(j->file, ".%s", text + strlen(text) - decimals);
}

void armcii_json_null(struct json *j, const char *key)
{
    begin_value(j, key);
    fputs("null", j->file);
}
