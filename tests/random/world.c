/* world.c - groups, regions, mutexes. */
#include "options.h"
#include "run.h"

/* ---- groups ---- */

static int index_in(const struct group *group, int rank)
{
    for (int i = 0; i < group->n; i++)
        if (group->member[i] == rank) return i;
    return -1;
}

/* The group that is the parent becomes the default group for a moment. */
static void create_in_default(int n, int list[], ARMCI_Group *group, ARMCI_Group *parent)
{
    ARMCI_Group before;
    ARMCI_Group_get_default(&before);
    ARMCI_Group_set_default(parent);
    ARMCI_Group_create(n, list, group);
    ARMCI_Group_set_default(&before);
}

static void check_group(struct run *run, const struct op *op, struct group *group)
{
    int rank, size;
    ARMCI_Group_rank(&group->handle, &rank);
    ARMCI_Group_size(&group->handle, &size);
    check_number(run, op, "the rank in a group", index_in(group, run->p->me), rank);
    check_number(run, op, "the size of a group", group->n, size);
    for (int i = 0; i < group->n; i++)
        check_number(run, op, "ARMCI_Absolute_id", group->member[i],
                     ARMCI_Absolute_id(&group->handle, i));
}

void world_group_create(struct run *run, const struct op *op)
{
    struct group *group = &run->p->group[op->group], *parent = &run->p->group[group->parent];
    int list[MAX_RANKS];
    for (int i = 0; i < group->n; i++)
        list[i] = index_in(parent, group->member[i]);
    if (op->variant == 0)
        create_in_default(group->n, list, &group->handle, &parent->handle);
    else
        ARMCI_Group_create_child(group->n, list, &group->handle, &parent->handle);
    if (!group_has(group, run->p->me)) return;
    group->open = true;
    check_group(run, op, group);
}

void world_group_free(struct run *run, const struct op *op)
{
    struct group *group = &run->p->group[op->group];
    if (group->open) ARMCI_Group_free(&group->handle);
    group->open = false;
}

/* ---- regions ---- */

static int allocate(struct group *group, const struct op *op, void **base, long bytes)
{
    if (op->group != WORLD && op->variant == 0)
        return ARMCI_Malloc_group_memdev(base, bytes, &group->handle, "node");
    if (op->group != WORLD || op->variant == 1)
        return ARMCI_Malloc_group(base, bytes, &group->handle);
    return op->variant == 2 ? ARMCI_Malloc_memdev(base, bytes, "") : ARMCI_Malloc(base, bytes);
}

void world_region_create(struct run *run, const struct op *op)
{
    struct region *region = &run->p->region[op->region];
    struct group *group = &run->p->group[op->group];
    void *base[MAX_RANKS];
    int me = run->p->me;
    check_status(run, op, allocate(group, op, base, region->bytes[me]));
    for (int i = 0; i < group->n; i++) {
        int rank = group->member[i];
        region->base[rank] = base[i];
        check_number(run, op, "whether a slice has an address (0 bytes have none)",
                     region->bytes[rank] > 0, base[i] != NULL);
    }
    region->mapped = true;
    if (region->bytes[me]) {
        ARMCI_Access_begin(region->base[me]);
        memcpy(region->base[me], region->shadow[me], (size_t)region->bytes[me]);
        ARMCI_Access_end(region->base[me]);
    }
    armci_msg_group_barrier(&group->handle);
}

static int deallocate(struct run *run, int r, int variant)
{
    struct region *region = &run->p->region[r];
    struct group *group = &run->p->group[region->group];
    char *own = region->base[run->p->me];
    memset(region->base, 0, sizeof region->base);
    region->mapped = false;
    if (region->group == WORLD && variant == 0) return ARMCI_Free(own);
    return ARMCI_Free_group(own, &group->handle);
}

/* Where processes swap, nobody can tell yet what is there. */
static void take_over_swaps(struct run *run, int r)
{
    struct region *region = &run->p->region[r];
    for (int i = 0; i < run->ph->areas; i++) {
        const struct area *a = &run->ph->area[i];
        if (a->region != r || a->rank != run->p->me || a->rule != RULE_SHARED_RMW || !a->swaps)
            continue;
        for (long c = 0; c < area_cells(a); c++) {
            long at = area_cell_offset(a, c);
            memcpy(region->shadow[a->rank] + at, region->base[a->rank] + at, element_size(a->type));
        }
    }
}

void world_region_free(struct run *run, const struct op *op)
{
    struct group *group = &run->p->group[op->group];
    ARMCI_AllFence();
    armci_msg_group_barrier(&group->handle);
    for (int i = 0; i < group->n; i++)
        if (group->member[i] != run->p->me)
            model_replay(run->p, run->ph, &run->replay, group->member[i], op->sequence);
    take_over_swaps(run, op->region);
    check_slice(run, op, op->region);
    check_status(run, op, deallocate(run, op->region, op->variant));
}

/* ---- the whole program ---- */

static void begin_handles(struct run *run)
{
    for (int i = 0; i <= HANDLES; i++) {
        memset(&run->handle[i], 0x55 + i, sizeof run->handle[i]);
        if (!has(FAMILY_NO_INIT) || i % 2 == 0) ARMCI_INIT_HANDLE(&run->handle[i]);
    }
}

void world_begin(struct run *run)
{
    struct program *p = run->p;
    p->arena[0] = need(malloc((size_t)arena_bytes()));
    p->arena[1] = need(ARMCI_Malloc_local(arena_bytes()));
    for (int a = 0; a < ARENAS; a++)
        memcpy(p->arena[a], p->arena_shadow[p->me][a], (size_t)arena_bytes());
    ARMCI_Group_get_world(&p->group[WORLD].handle);
    begin_handles(run);
}

static void end_handles(struct run *run)
{
    for (int i = 0; i <= HANDLES; i++) {
        ARMCI_Wait(&run->handle[i]);
        if (has(FAMILY_AGGREGATE)) ARMCI_UNSET_AGGREGATE_HANDLE(&run->handle[i]);
    }
    ARMCI_WaitAll();
}

void world_end(struct run *run)
{
    struct program *p = run->p;
    end_handles(run);
    for (int r = 0; r < p->regions; r++)
        if (p->region[r].mapped) deallocate(run, r, r % 2);
    for (int g = p->groups - 1; g > WORLD; g--)
        if (p->group[g].open) ARMCI_Group_free(&p->group[g].handle);
    if (p->has_mutexes) ARMCI_Destroy_mutexes();
    free(p->arena[0]);
    ARMCI_Free_local(p->arena[1]);
    p->arena[0] = p->arena[1] = NULL;
}
