/* names.c - environment variables that have no effect: names of other libraries, and slips. */
#include "info.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/config.h"

extern char **environ;

static const char *const of_armci_mpi[] = {"ARMCI_ACCUMULATE_GRANULARITY",
                                           "ARMCI_CACHE_RANK_TRANSLATION",
                                           "ARMCI_DISABLE_SHM_ACC",
                                           "ARMCI_EXPLICIT_NB_PROGRESS",
                                           "ARMCI_FLUSH_BARRIERS",
                                           "ARMCI_FLUSH_REQUEST_ATOMICS",
                                           "ARMCI_IOV_CHECKS",
                                           "ARMCI_IOV_DTYPE_CHUNK",
                                           "ARMCI_IOV_NO_MPI_BOTTOM",
                                           "ARMCI_MSG_BARRIER_SYNCS",
                                           "ARMCI_NO_FLUSH_BARRIERS",
                                           "ARMCI_NO_FLUSH_LOCAL",
                                           "ARMCI_PROGRESS_THREAD",
                                           "ARMCI_PROGRESS_USLEEP",
                                           "ARMCI_RMA_ATOMICITY",
                                           "ARMCI_RMA_NOCHECK",
                                           "ARMCI_RMA_ORDERING",
                                           "ARMCI_SHM_LIMIT",
                                           "ARMCI_SHR_BUF_METHOD",
                                           "ARMCI_SYNC_AT_BARRIERS",
                                           "ARMCI_USE_ALLOC_SHM",
                                           "ARMCI_USE_REQUEST_ATOMICS",
                                           "ARMCI_USE_RMA_REQUESTS",
                                           "ARMCI_USE_SAME_OP",
                                           NULL};
static const char *const of_the_original[] = {"ARMCI_DEFAULT_SHMMAX",
                                              "ARMCI_DEFAULT_SHMMAX_UBOUND",
                                              "ARMCI_HOSTNAME",
                                              "ARMCI_HOSTNAME_REPLACE",
                                              "ARMCI_MAX_CLIENT_TO_SERVER_FACTOR",
                                              "ARMCI_MAX_THREADS",
                                              "ARMCI_NSERV_EQ_NPROC",
                                              "ARMCI_OPENIB_DEVICE",
                                              "ARMCI_OPENIB_SERVER_POLL",
                                              "ARMCI_OPENIB_USE_SL",
                                              "ARMCI_PROFILE",
                                              "ARMCI_PSGTMP",
                                              "ARMCI_USE_ODCM",
                                              NULL};

enum { NAME_ROOM = 128 };

static bool contains(const char *const names[], const char *name)
{
    while (*names && strcmp(*names, name) != 0)
        names++;
    return *names != NULL;
}

/* The number of letters to insert, leave out or replace to make b of a, both shorter than
 * NAME_ROOM. */
static size_t edit_distance(const char *a, const char *b)
{
    size_t row[NAME_ROOM], length = strlen(b);
    for (size_t j = 0; j <= length; j++)
        row[j] = j;
    for (size_t i = 1; a[i - 1]; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= length; j++) {
            size_t least = row[j] < row[j - 1] ? row[j] + 1 : row[j - 1] + 1;
            size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            row[j] = replaced < least ? replaced : least;
        }
    }
    return row[length];
}

/* The documented variable that is meant by a misspelt name; NULL: none is near. */
static const char *nearest(const char *name)
{
    enum { MOST_EDITS = 3 };
    const struct config_entry *entry;
    const char *found = NULL;
    size_t least = MOST_EDITS + 1;
    for (size_t i = 0; (entry = armcii_config_entry(i)); i++) {
        size_t n = entry->for_tests ? least : edit_distance(name, entry->name);
        if (n < least) {
            found = entry->name;
            least = n;
        }
    }
    return found;
}

const char *info_ineffective_name(size_t i)
{
    static char name[NAME_ROOM];
    for (char *const *setting = environ; setting && *setting; setting++) {
        size_t length = strcspn(*setting, "=");
        if (length >= sizeof name || (*setting)[length] == '\0') continue;
        snprintf(name, sizeof name, "%.*s", (int)length, *setting);
        if (armcii_config_is_ineffective(name) && i-- == 0) return name;
    }
    return NULL;
}

const char *info_reason(const char *name)
{
    static char text[NAME_ROOM];
    if (strncmp(name, "COMEX_", strlen("COMEX_")) == 0) return "a variable of ComEx";
    if (contains(of_armci_mpi, name)) return "a variable of ARMCI-MPI";
    if (contains(of_the_original, name)) return "a variable of the original ARMCI";
    if (strcmp(name, "ARMCI_STATS") == 0 || strcmp(name, "ARMCI_HANG_REPORT") == 0)
        return "run the program by armci-prof, or link it with -larmci-prof -larmci";
    const char *meant = nearest(name);
    if (!meant) return "unknown";
    snprintf(text, sizeof text, "did you mean %s?", meant);
    return text;
}

static void print_list(const char *title, const char *const names[])
{
    size_t column = strlen(title);
    printf("%s", title);
    for (; *names; names++) {
        size_t length = strlen(*names) + 1; /* a comma, or a dot at the end */
        bool fits = column + 1 + length <= 140;
        column = fits ? column + 1 + length : length;
        printf("%s%s%s", fits ? " " : "\n", *names, names[1] ? "," : ".\n");
    }
}

void info_print_markdown_names(void)
{
    printf("\nWithout effect are names of other libraries. Rank 0 lists those that are set in one "
           "line, and `armci-info` says whose they are.\n\n");
    print_list("Of ARMCI-MPI:", of_armci_mpi);
    printf("\n");
    print_list("Of the original ARMCI:", of_the_original);
    printf("\nOf ComEx: all that begin with `COMEX_`. Names that end with `_DIR`, `_HOME`, "
           "`_INCLUDE`, `_LIB`, `_NETWORK`, `_PATH`, `_PREFIX`, `_ROOT`\n"
           "or `_VERSION` belong to builds and environment modules, and are not listed.\n");
}
