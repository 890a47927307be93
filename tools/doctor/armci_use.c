/* armci_use.c - ARMCI with the unchanged environment: correctness, asynchronous progress, cost. */
#include "probes.h"

#include <stdio.h>

#include <armci.h>

#include "use.h"
#include "forced.h"

#define BUSY 0.25

void probe_armci(struct finding *f)
{
    ARMCI_Init();
    model_run(f, 2.5, 1);
    contention_run(f);
    ARMCI_Finalize();
    tell(f, "%ld checks of put, get, accumulate, rmw, mutexes, notifications", f->tried);
}

void probe_armci_progress(struct finding *f)
{
    double ms[4];
    f->note = true;
    ARMCI_Init();
    cost_busy(BUSY, ms);
    ARMCI_Finalize();
    cost_in_use()->asynchronous = tell_waiting(f, ms, "rmw", BUSY) == 0;
}

void probe_armci_speed(struct finding *f)
{
    struct cost *c = cost_in_use();
    f->note = true;
    ARMCI_Init();
    cost_measure("in use", 0.04, c);
    ARMCI_Finalize();
    const double *us = c->microseconds;
    tell(f, "put %.2f, get %.2f, accumulate %.2f, rmw %.2f us; 1 MiB: put %.0f, get %.0f, accumulate %.0f MiB/s", us[0], us[1], us[2],
         us[3], 1e6 / us[5], 1e6 / us[6], 1e6 / us[7]);
}
