/* entry.c - state and argument checks that all public functions share. */
#include "api/entry.h"

#include <string.h>

#include "shape/accumulate.h"
#include "mpi/world.h"

struct entry armcii_entry;

bool armcii_report_off(const char *function)
{
    armcii_error(ARMCI_ERR_STATE, function, "state",
                 "called before ARMCI_Init or after ARMCI_Finalize", "%s", "off");
    return false;
}

void armcii_entry_open(void)
{
    armcii_entry.is_open = true;
}

void armcii_entry_close(void)
{
    armcii_entry.is_open = false;
    armcii_set_quiet(false);
}

int armcii_report_process(const char *function, const char *argument, int process)
{
    return armcii_error(ARMCI_ERR_RANK, function, argument, "invalid rank", "%d (of %d)", process,
                        armcii_world->size);
}

int armcii_check_count(const char *function, const char *argument, long count)
{
    if (count >= 0) return 0;
    return armcii_error(ARMCI_ERR_COUNT, function, argument, "negative", "%ld", count);
}

int armcii_check_pointer(const char *function, const char *argument, const void *pointer)
{
    if (pointer) return 0;
    return armcii_error(ARMCI_ERR_ADDRESS, function, argument, "must not be NULL", "%s", "NULL");
}

int armcii_check_element(const char *function, int datatype)
{
    if (datatype >= 0 && datatype < ELEMENT_COUNT) return 0;
    return armcii_error(ARMCI_ERR_TYPE, function, "datatype", "invalid type", "%d", datatype);
}

/* The private member has the number of the team. */
struct team *armcii_team_of(const ARMCI_Group *group)
{
    unsigned number;
    _Static_assert(sizeof number <= sizeof group->reserved, "a number is in the private member");
    if (!group || group->comm == MPI_COMM_NULL) return NULL;
    memcpy(&number, &group->reserved, sizeof number);
    return armcii_team_find(group->comm, number);
}

struct team *armcii_check_group(const char *function, const char *argument,
                                const ARMCI_Group *group)
{
    struct team *team = armcii_team_of(group);
    if (!team)
        armcii_error(ARMCI_ERR_GROUP, function, argument,
                     "invalid group, or this process is not a member", "%p", (const void *)group);
    return team;
}

struct team *armcii_world_team(const char *function)
{
    return armcii_is_running(function) ? armcii_team_world() : NULL;
}

struct team *armcii_group_team(const char *function, const ARMCI_Group *group)
{
    return armcii_is_running(function) ? armcii_check_group(function, "group", group) : NULL;
}

void PARMCIX_Set_error_handler(void (*handler)(int code, const char *text))
{
    armcii_error_set_handler(handler);
}
ARMCII_ALIAS(ARMCIX_Set_error_handler, PARMCIX_Set_error_handler);
