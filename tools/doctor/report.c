/* report.c - the document of --report (report.schema.json). It may be sent to anybody: names of the
 * user, of the home folder and of this node are replaced. */
#define _GNU_SOURCE
#include "report.h"

#include <ctype.h>
#include <pwd.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "../info/info.h"
#include "base/config.h"
#include "../lib/json.h"
#include "figures.h"
#include "table.h"

/* Processors and memory are in the limits of armci_info. */
static void add_machine(struct json *j)
{
    struct utsname u;
    armcii_json_line(j);
    if (uname(&u) != 0) return;
    armcii_json_open(j, "machine", '{');
    armcii_json_text(j, "system", u.sysname);
    armcii_json_text(j, "kernel", u.release);
    armcii_json_text(j, "architecture", u.machine);
    armcii_json_close(j, '}');
}

static void add_document(struct json *j)
{
    armcii_config_read(NULL, NULL); /* the job warns of invalid variables */
    armcii_json_open(j, NULL, '{');
    armcii_json_line(j);
    info_add_json(j, "armci_info", NULL);
    armcii_json_line(j);
    table_add_json(j, "doctor");
    figures_add_json(j);
    add_machine(j);
    armcii_json_line(j);
    armcii_json_close(j, '}');
}

/* ---- names that are nobody's business ---- */

struct hidden {
    const char *name, *instead;
};
enum { MOST_HIDDEN = 4 };

/* root is a word of MPI, and nobody's name. */
static void find_hidden(struct hidden hidden[MOST_HIDDEN], struct utsname *u)
{
    int n = 0;
    const struct passwd *user = getuid() == 0 ? NULL : getpwuid(getuid());
    const char *home = getenv("HOME");
    if (home && strlen(home) > 1) hidden[n++] = (struct hidden){home, "HOME"};
    if (uname(u) == 0 && u->nodename[0]) hidden[n++] = (struct hidden){u->nodename, "NODE"};
    if (user && user->pw_name[0]) hidden[n++] = (struct hidden){user->pw_name, "USER"};
    hidden[n] = (struct hidden){NULL, NULL};
}

static bool continues_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Inside a value: the names of members stay. The document begins with a bracket. */
static bool is_word_there(const char *text, const char *at, const char *word)
{
    size_t n = strlen(word);
    return at > text && strncmp(at, word, n) == 0 && !continues_word(at[n]) &&
           !continues_word(at[-1]) && strncmp(at + n, "\":", 2) != 0;
}

static void write_without(FILE *out, const char *text, const struct hidden *hidden)
{
    for (const char *at = text; *at;) {
        const struct hidden *h = hidden;
        while (h->name && !is_word_there(text, at, h->name))
            h++;
        if (h->name)
            fputs(h->instead, out);
        else
            fputc(*at, out);
        at += h->name ? strlen(h->name) : 1;
    }
}

void report_write(FILE *out)
{
    struct utsname u;
    struct hidden hidden[MOST_HIDDEN];
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    if (!memory) return;
    add_document(&(struct json){.file = memory});
    fclose(memory);
    find_hidden(hidden, &u);
    if (text) write_without(out, text, hidden);
    free(text);
}
