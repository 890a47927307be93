/* config_model.c - what an environment means to the library, worked out from the documented types alone. */
#include "config_model.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Asked for once: the library works each entry's text out anew. */
const struct config_entry *model_table(size_t i)
{
    static const struct config_entry *known[MODEL_ENTRIES];
    static size_t n;
    while (n < MODEL_ENTRIES && (n == 0 || known[n - 1] != NULL)) {
        known[n] = armcii_config_entry(n);
        n++;
    }
    return i < MODEL_ENTRIES ? known[i] : NULL;
}

size_t model_entries(void)
{
    static size_t n;
    while (model_table(n) != NULL)
        n++;
    return n;
}

size_t model_entry(const char *name, size_t length)
{
    size_t i = 0;
    for (; model_table(i) != NULL; i++) {
        const char *known = model_table(i)->name;
        if (strlen(known) == length && memcmp(known, name, length) == 0) break;
    }
    return i;
}

/* ---- words */

static bool is_one_of(const char *text, const char *const words[], size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcasecmp(words[i], text) == 0) return true;
    return false;
}

/* Words that a variable takes, but does not show. */
static const struct {
    const char *name, *word, *shown;
} silent[] = {
    {"ARMCI_VERBOSE", "yes", "1"},       {"ARMCI_VERBOSE", "true", "1"}, {"ARMCI_VERBOSE", "on", "1"},
    {"ARMCI_VERBOSE", "y", "1"},         {"ARMCI_VERBOSE", "t", "1"},    {"ARMCI_VERBOSE", "no", "0"},
    {"ARMCI_VERBOSE", "false", "0"},     {"ARMCI_VERBOSE", "off", "0"},  {"ARMCI_VERBOSE", "n", "0"},
    {"ARMCI_VERBOSE", "f", "0"},         {"ARMCI_SHM", "yes", "auto"},   {"ARMCI_STRIDED_METHOD", "direct", "auto"},
    {"ARMCI_TRANSPORT", "server", "am"},
};

/* The word of the documentation that another spelling stands for; `flag`: yes and no may have many spellings. */
static const char *shown_word(const char *name, const char *text, bool flag)
{
    static const char *const yes[] = {"true", "on", "1", "y", "t"}, *const no[] = {"false", "off", "0", "n", "f"};
    if (flag && is_one_of(text, yes, 5)) text = "yes";
    if (flag && is_one_of(text, no, 5)) text = "no";
    for (size_t i = 0; i < sizeof silent / sizeof silent[0]; i++)
        if (strcmp(name, silent[i].name) == 0 && strcasecmp(text, silent[i].word) == 0) return silent[i].shown;
    return text;
}

/* The place of a word in "one|two|three". */
static bool word_value(const char *type, const char *text, uint64_t *value)
{
    size_t length = strlen(text);
    for (uint64_t place = 0;; place++) {
        size_t here = strcspn(type, "|");
        if (here == length && strncasecmp(type, text, length) == 0) {
            *value = place;
            return true;
        }
        if (type[here] == '\0') return false;
        type += here + 1;
    }
}

/* ---- numbers */

/* Digits, where `suffix` allows it with a unit; what is too large for the type is the largest number. */
static bool number_value(const char *text, size_t length, bool suffix, uint64_t *value)
{
    static const char units[] = "kmgt";
    unsigned __int128 number = 0, most = UINT64_MAX;
    int shift = 0;
    if (length == 0) return false;
    const char *unit = strchr(units, tolower((unsigned char)text[length - 1]));
    if (suffix && unit != NULL) {
        shift = 10 * (int)(unit - units + 1);
        length--;
    }
    if (length == 0) return false;
    for (size_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9') return false;
        number = number * 10 + (unsigned)(text[i] - '0');
        if (number > most) number = most;
    }
    number <<= shift;
    *value = (uint64_t)(number > most ? most : number);
    return true;
}

/* A number between the bounds of "number LEAST..MOST" or "bytes LEAST..MOST"; "auto or" before it allows one word, which is 0. */
static bool bounded_value(const char *type, const char *text, uint64_t *value)
{
    if (strncmp(type, "auto or ", 8) == 0) {
        *value = 0;
        if (strcasecmp(text, "auto") == 0) return true;
        type += 8;
    }
    bool bytes = strncmp(type, "bytes ", 6) == 0;
    const char *least_text = strchr(type, ' ') + 1, *dots = strstr(type, "..");
    uint64_t least, most, number;
    return number_value(least_text, (size_t)(dots - least_text), bytes, &least) && number_value(dots + 2, strlen(dots + 2), bytes, &most) &&
           number_value(text, strlen(text), bytes, &number) && number >= least && number <= most && (*value = number, true);
}

/* "yes, no or file name": the third, with a dot or a slash and of what can be shown. */
static bool is_shown_file(const char *text)
{
    for (const char *p = text; *p != '\0'; p++)
        if (iscntrl((unsigned char)*p)) return false;
    return strlen(text) < 256 && (strchr(text, '.') != NULL || strchr(text, '/') != NULL);
}

/* ---- remedies */

/* +NAME or -NAME: the bit of the remedy's name that is added or left out. */
static bool remedy_bit(const char *text, size_t length, uint64_t *added, uint64_t *left_out)
{
    for (int r = 0; r < REMEDIES; r++) {
        const char *name = armcii_config_remedy((enum remedy)r, NULL);
        if (length != strlen(name) + 1 || strncasecmp(text + 1, name, length - 1) != 0) continue;
        *added = *text == '+' ? 1ull << r : 0;
        *left_out = *text == '-' ? 1ull << r : 0;
        return *added | *left_out;
    }
    return false;
}

/* auto, none, then names, the last one of which counts.  Bit 63: none; bits 0 on: added; bits 32 on: left out. */
static bool list_value(const char *text, uint64_t *value)
{
    static const char *const empty[] = {"auto", "yes", "true", "on", "1", "y", "t"}, *const none[] = {"none", "no", "false", "off",
                                                                                                      "0",    "n",  "f"};
    *value = 0;
    for (bool first = true;; first = false) {
        char item[40] = "";
        size_t length = strcspn(text, ",");
        uint64_t added, left_out;
        if (length < sizeof item) memcpy(item, text, length);
        if (remedy_bit(item, strlen(item), &added, &left_out))
            *value = (*value & ~((added | left_out) | (added | left_out) << 32)) | added | left_out << 32;
        else if (first && is_one_of(item, none, 7))
            *value = 1ull << 63;
        else if (!first || !is_one_of(item, empty, 7))
            return false;
        if (text[length] == '\0') return true;
        text += length + 1;
    }
}

uint64_t model_merge(uint64_t list, uint64_t older)
{
    uint64_t named = (list | list >> 32) & 0x7fffffff;
    return list | (older & ~(named | named << 32));
}

bool model_value(size_t i, const char *text, uint64_t *value)
{
    const struct config_entry *entry = model_table(i);
    if (strcmp(entry->name, "ARMCI_QUIRKS") == 0) return list_value(text, value);
    if (strstr(entry->type, "..") != NULL) return bounded_value(entry->type, text, value);
    if (strcmp(entry->type, "yes, no or file name") == 0) {
        if (word_value("yes|no", shown_word(entry->name, text, true), value)) return true;
        *value = 2;
        return is_shown_file(text);
    }
    uint64_t place;
    bool flag = word_value(entry->type, "no", &place);
    return word_value(entry->type, shown_word(entry->name, text, flag), value);
}
