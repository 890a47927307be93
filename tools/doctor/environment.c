/* environment.c - the environment of this process. */
#include "environment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CHANGED = 4 };

/* Variables as they were before they were set. */
static struct {
    char name[64];
    char *value; /* NULL: not set */
} changed[MOST_CHANGED];
static int n_changed;

bool environment_has_launcher(void)
{
    static const char *const signs[] = {"PMI_RANK",          "PMI_FD",
                                        "PMIX_RANK",         "OMPI_COMM_WORLD_RANK",
                                        "MPI_LOCALRANKID",   "PMI_PORT",
                                        "ALPS_APP_PE",       "PALS_RANKID",
                                        "FLUX_TASK_RANK",    "MV2_COMM_WORLD_RANK",
                                        "JSM_NAMESPACE_RANK"};
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++)
        if (getenv(signs[i])) return true;
    /* A batch script has SLURM_PROCID, too, but is not a task of a step. */
    return getenv("SLURM_STEP_ID") && getenv("SLURM_PROCID") && getenv("SLURM_LOCALID") &&
           getenv("SLURM_STEP_NUM_TASKS");
}

int environment_rank(void)
{
    static const char *const names[] = {"PMI_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK",
                                        "SLURM_PROCID"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (getenv(names[i])) return atoi(getenv(names[i]));
    return 0;
}

void environment_set(const char *setting)
{
    const char *equals = strchr(setting, '=');
    if (!equals || n_changed == MOST_CHANGED) abort();
    char *name = changed[n_changed].name;
    snprintf(name, sizeof changed->name, "%.*s", (int)(equals - setting), setting);
    const char *before = getenv(name);
    changed[n_changed++].value = before ? strdup(before) : NULL;
    setenv(name, equals + 1, 1);
}

void environment_restore(void)
{
    while (n_changed > 0) {
        n_changed--;
        if (changed[n_changed].value)
            setenv(changed[n_changed].name, changed[n_changed].value, 1);
        else
            unsetenv(changed[n_changed].name);
        free(changed[n_changed].value);
    }
}
