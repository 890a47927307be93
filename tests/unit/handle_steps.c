/* handle_steps.c - common steps of the tests of handles. */
#include "handle_steps.h"

#include <check.h>
#include <string.h>

struct region *step_region, *step_other;
int step_value[STEP_VALUES];

void steps_begin(void)
{
    job_start((struct job){0});
    step_region = job_region(0, 4, STEP_BYTES);
    step_other = job_region(0, 4, STEP_BYTES);
    for (int i = 0; i < STEP_VALUES; i++)
        step_value[i] = 1000 + i;
}

char *there(int process, size_t offset)
{
    return job_address(step_region, process, offset);
}

int int_there(int process, size_t offset)
{
    int seen;
    memcpy(&seen, there(process, offset), sizeof seen);
    return seen;
}

struct op put_int(int i, int process, size_t offset)
{
    return job_put(process, &step_value[i], there(process, offset), sizeof(int));
}

struct op scaled(const int *scale, size_t offset, void *local, size_t bytes)
{
    struct op t = job_acc(ELEMENT_INT, THEM, local, there(THEM, offset), bytes);
    t.scale = scale;
    return t;
}

armci_hdl_t fresh(void)
{
    armci_hdl_t h;
    armcii_handle_clear(&h);
    return h;
}

armci_hdl_t aggregate(void)
{
    armci_hdl_t h = fresh();
    armcii_handle_set_aggregate(&h);
    return h;
}

void start(armci_hdl_t *handle, struct op t)
{
    t = job_ranged(t);
    ck_assert_int_eq(armcii_handle_start(handle, &t), 0);
}

void start_value(armci_hdl_t *handle, struct op t)
{
    ck_assert_int_eq(armcii_handle_start_value(handle, &t), 0);
}

void wait_for(armci_hdl_t *handle)
{
    ck_assert_int_eq(armcii_handle_wait(handle), 0);
}

void wait_all(void)
{
    ck_assert_int_eq(armcii_aggregates_flush(-1, false), 0);
    armcii_wait_all(-1);
}
