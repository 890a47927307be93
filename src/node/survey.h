/* survey.h - what the processes on one kernel tell each other when they start: processors, and
 * levels of control groups. */
#ifndef ARMCII_SURVEY_H
#define ARMCII_SURVEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cgroup.h"

/* The processors of the caller's kernel, which may run several nodes of a job. */
struct node_cpus {
    size_t processes;    /* of this job on this kernel */
    size_t processors;   /* usable by these processes */
    bool oversubscribed; /* some processes share a processor */
    uint64_t *taken; /* [words], a mask: the processors of these processes; NULL if no further one
                        is left for each server */
    size_t words;
};

struct survey {
    struct node_cpus cpus;
    struct cgroups memory; /* the caller's groups */
    int levels;            /* the topmost of these, which contain all processes of the node */
};
/* Collective over the processes on the caller's kernel. */
void armcii_survey(struct survey *s);

#endif
