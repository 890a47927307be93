/* routes.c - each route that is possible between nodes, measured in turn: ARMCI_Init reads
 * ARMCI_TRANSPORT again. */
#include "probes.h"

#include <string.h>

#include <armci.h>

#include "environment.h"
#include "lines.h"
#include "transport/route.h"

enum { US = 1000000 };

static const struct {
    const char *name, *setting;
} routes[] = {
    {"am", "ARMCI_TRANSPORT=am"}, {"rdma", "ARMCI_TRANSPORT=rdma"}, {"rma", "ARMCI_TRANSPORT=rma"}};

/* The probe needs windows and a choice: it may run only with ARMCI_TRANSPORT=rdma. The first result
 * is the one that counts. */
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
    *chosen = armcii_route->far ? armcii_route->far->name : NULL;
    bool told = tell_probe(false);
    if (*chosen)
        tell(f, "%s", armcii_route->far_doc);
    else
        tell(f, "one node: %s", armcii_route->near_doc);
    const char *name = *chosen ? *chosen : "one node";
    if (job->rank == 0) line_write("route\t%s", name);
    cost_figures(name);
    ARMCI_Finalize();
    return told;
}

/* A route that is not possible is replaced by another one. */
static bool measure_other(int i, bool told)
{
    environment_set(routes[i].setting);
    ARMCI_Init();
    told = tell_probe(told);
    if (strcmp(armcii_route->far->name, routes[i].name) == 0) cost_figures(routes[i].name);
    ARMCI_Finalize();
    environment_restore();
    return told;
}

void probe_routes(struct finding *f)
{
    const char *chosen;
    f->note = true;
    bool told = measure_chosen(f, &chosen);
    for (int i = 0; i < (int)(sizeof routes / sizeof routes[0]) && chosen; i++)
        if (strcmp(routes[i].name, chosen) != 0 && (job->windows || i == 0))
            told = measure_other(i, told);
}
