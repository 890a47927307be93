/* routes.c - each route that is possible between nodes, measured in turn: ARMCI_Init reads ARMCI_TRANSPORT again. */
#include "probes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <armci.h>

#include "lines.h"
#include "transport/route.h"

static const char *const routes[] = {"am", "rdma", "rma"};
enum { ROUTES = sizeof routes / sizeof routes[0], US = 1000000 };

/* The probe needs windows and a choice: it may run only with ARMCI_TRANSPORT=rdma. The first result is the one that counts. */
static bool tell_probe(bool told)
{
    if (told || !armcii_probe->measured) return told;
    if (job->rank != 0) return true;
    line_write("probe\tround trip\t%.3f\tno", armcii_probe->round_trip * US);
    for (int op = 0; op < PROBE_OPS; op++)
        line_write("probe\t%s\t%.3f\t%s", armcii_probe_names[op], armcii_probe->seconds[op] * US,
                   armcii_probe->complete[op] ? "yes" : "no");
    return true;
}

/* The route of the unchanged environment. */
static bool measure_chosen(struct finding *f, const char **chosen)
{
    ARMCI_Init();
    *chosen = armcii_route_far_name();
    bool told = tell_probe(false);
    if (*chosen)
        tell(f, "%s", armcii_route_far_doc());
    else
        tell(f, "one node: %s", armcii_route_near_doc());
    const char *name = *chosen ? *chosen : "one node";
    if (job->rank == 0) line_write("route\t%s", name);
    cost_figures(name);
    ARMCI_Finalize();
    return told;
}

/* A route that is not possible is replaced by another one. */
static bool measure_other(const char *name, bool told)
{
    setenv("ARMCI_TRANSPORT", name, 1);
    ARMCI_Init();
    told = tell_probe(told);
    if (strcmp(armcii_route_far_name(), name) == 0) cost_figures(name);
    ARMCI_Finalize();
    return told;
}

void probe_routes(struct finding *f)
{
    const char *chosen, *set = getenv("ARMCI_TRANSPORT");
    char *saved = set ? strdup(set) : NULL;
    f->note = true;
    bool told = measure_chosen(f, &chosen);
    for (int i = 0; i < ROUTES && chosen; i++)
        if (strcmp(routes[i], chosen) != 0 && (job->windows || i == 0)) told = measure_other(routes[i], told);
    if (saved)
        setenv("ARMCI_TRANSPORT", saved, 1);
    else
        unsetenv("ARMCI_TRANSPORT");
    free(saved);
}
