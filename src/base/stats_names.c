/* stats_names.c - what the name of a public function says about it. */
#include <string.h>

#include "base/stats_job.h"

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* "PutS" of "ARMCI_NbPutS". */
static const char *essence(const char *function)
{
    const char *after = strchr(function, '_');
    const char *name = after ? after + 1 : function;
    return begins(name, "Nb") ? name + 2 : name;
}

bool armcii_stats_is_nonblocking(const char *function)
{
    const char *after = strchr(function, '_');
    return after && begins(after + 1, "Nb");
}

/* The first that fits. */
static const struct {
    const char *begin;
    enum stats_family family;
} families[] = {
    {"PutValue", FAMILY_VALUE},
    {"GetValue", FAMILY_VALUE},
    {"Put", FAMILY_PUT},
    {"Get", FAMILY_GET},
    {"Access", FAMILY_MEMORY},
    {"Acc", FAMILY_ACC},
    {"Rmw", FAMILY_RMW},
    {"Wait", FAMILY_WAIT},
    {"Test", FAMILY_WAIT},
    {"Fence", FAMILY_FENCE},
    {"AllFence", FAMILY_FENCE},
    {"GroupFence", FAMILY_FENCE},
    {"Barrier", FAMILY_BARRIER},
    {"msg_barrier", FAMILY_BARRIER},
    {"msg_group_barrier", FAMILY_BARRIER},
    {"msg_", FAMILY_MESSAGE},
    {"exchange", FAMILY_MESSAGE},
    {"Lock", FAMILY_LOCK},
    {"Unlock", FAMILY_LOCK},
    {"Trylock", FAMILY_LOCK},
    {"notify", FAMILY_NOTIFY},
    {"Malloc", FAMILY_MEMORY},
    {"Free", FAMILY_MEMORY},
    {"Mem", FAMILY_MEMORY},
};

enum stats_family armcii_stats_family(const char *function)
{
    const char *name = essence(function);
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++)
        if (begins(name, families[i].begin)) return families[i].family;
    return FAMILY_OTHER;
}

const char *armcii_stats_family_name(enum stats_family family)
{
    static const char *const names[FAMILIES] = {"put",     "get",  "acc",    "value",   "rmw",    "wait", "fence",
                                                "barrier", "lock", "notify", "message", "memory", "other"};
    return names[family];
}

const char *armcii_stats_form(const char *function)
{
    switch (armcii_stats_family(function)) {
    case FAMILY_VALUE: return "contiguous";
    case FAMILY_PUT:
    case FAMILY_GET:
    case FAMILY_ACC: break;
    default: return "";
    }
    char form = essence(function)[3]; /* after the three letters of put, get, acc */
    return form == 'S' ? "strided" : form == 'V' ? "vector" : "contiguous";
}
