/* ways.h - every way of ARMCI forced in turn, and what is better than the one in use. */
#ifndef DOCTOR_WAYS_H
#define DOCTOR_WAYS_H

#include "probe.h"
#include "use.h"

void probe_way_memfd(struct finding *f);
void probe_way_mpi_memory(struct finding *f);
void probe_way_server(struct finding *f);
void probe_way_rma(struct finding *f);
void probe_way_windows(struct finding *f);
void probe_way_create(struct finding *f);
void probe_way_hvector(struct finding *f);
void probe_way_indexed(struct finding *f);
void probe_way_batched(struct finding *f);
void probe_way_conservative(struct finding *f);
void probe_way_small_types(struct finding *f);
void probe_way_flush(struct finding *f);
void probe_way_rank_nodes(struct finding *f);

/* What the way in use costs: filled by the probes of it. */
struct cost *ways_in_use(void);
/* Is one of the ways that were right and measured clearly better?  Then write advice. */
void probe_advice(struct finding *f);

#endif
