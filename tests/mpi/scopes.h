/* scopes.h - who belongs to a scope of the message family, asked of the domains. */
#ifndef TEST_SCOPES_H
#define TEST_SCOPES_H

#include "harness.h"

/* The members in rising order; place: the caller's, -1 where it is none. */
struct scope {
    int n, place, list[MOST_RANKS];
};

/* The members of a scope, for the caller. */
static inline void scope_members(int scope, struct scope *s)
{
    s->n = 0;
    s->place = -1;
    for (int p = 0; p < test_ranks(); p++) {
        int domain = armci_domain_id(ARMCI_DOMAIN_SMP, p);
        bool is_first = armci_domain_glob_proc_id(ARMCI_DOMAIN_SMP, domain, 0) == p;
        bool is_near = domain == armci_domain_my_id(ARMCI_DOMAIN_SMP);
        if (scope == SCOPE_ALL || (scope == SCOPE_NODE && is_near) ||
            (scope == SCOPE_MASTERS && is_first)) {
            if (p == test_rank()) s->place = s->n;
            s->list[s->n++] = p;
        }
    }
}

#endif
