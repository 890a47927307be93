/* reductions.c - reductions and selection of the armci_msg_* family, with ARMCI's names of
 * operators and types. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/entry.h"
#include "base/log.h"
#include "mpi/coll.h"

struct reduction {
    MPI_Op op;
    MPI_Datatype type;
    /* Makes the values what the operator of MPI is applied to; NULL: they are. */
    void (*convert)(int type, void *x, int n);
};

/* 0: invalid type. */
static size_t type_size(int type)
{
    switch (type) {
    case ARMCI_INT: return sizeof(int);
    case ARMCI_LONG: return sizeof(long);
    case ARMCI_LONG_LONG: return sizeof(long long);
    case ARMCI_FLOAT: return sizeof(float);
    case ARMCI_DOUBLE: return sizeof(double);
    default: return 0;
    }
}

static bool is_integer(int type)
{
    return type == ARMCI_INT || type == ARMCI_LONG || type == ARMCI_LONG_LONG;
}

static MPI_Datatype mpi_type(int type)
{
    switch (type) {
    case ARMCI_INT: return MPI_INT;
    case ARMCI_LONG: return MPI_LONG;
    case ARMCI_LONG_LONG: return MPI_LONG_LONG;
    case ARMCI_FLOAT: return MPI_FLOAT;
    default: return MPI_DOUBLE;
    }
}

static void make_absolute(int type, void *x, int n)
{
    for (int i = 0; i < n; i++)
        switch (type) {
        case ARMCI_INT: ((int *)x)[i] = abs(((int *)x)[i]); break;
        case ARMCI_LONG: ((long *)x)[i] = labs(((long *)x)[i]); break;
        case ARMCI_LONG_LONG: ((long long *)x)[i] = llabs(((long long *)x)[i]); break;
        case ARMCI_FLOAT: ((float *)x)[i] = __builtin_fabsf(((float *)x)[i]); break;
        default: ((double *)x)[i] = __builtin_fabs(((double *)x)[i]); break;
        }
}

/* As the logical operators of MPI give it; where a process is alone, MPI only copies. */
static void make_logical(int type, void *x, int n)
{
    for (int i = 0; i < n; i++)
        switch (type) {
        case ARMCI_INT: ((int *)x)[i] = ((int *)x)[i] != 0; break;
        case ARMCI_LONG: ((long *)x)[i] = ((long *)x)[i] != 0; break;
        default: ((long long *)x)[i] = ((long long *)x)[i] != 0; break;
        }
}

/* False: invalid operator or type. Only the beginning of a name is compared: Fortran callers pass
 * names that are padded or not terminated. */
static bool find_reduction(const char *op, int type, struct reduction *r)
{
    static const struct {
        const char *name;
        enum { SUM, PRODUCT, LARGEST, SMALLEST, BIT_OR, AND, OR } op;
        void (*convert)(int type, void *x, int n);
        bool integers_only;
    } operators[] = {
        {"+", SUM, NULL, false},
        {"*", PRODUCT, NULL, false},
        {"max", LARGEST, NULL, false},
        {"min", SMALLEST, NULL, false},
        {"absmax", LARGEST, make_absolute, false},
        {"absmin", SMALLEST, make_absolute, false},
        {"or", BIT_OR, NULL, true},
        {"&&", AND, make_logical, true},
        {"||", OR, make_logical, true},
        {"land", AND, make_logical, true},
        {"lor", OR, make_logical, true},
    };
    const MPI_Op mpi_op[] = {MPI_SUM, MPI_PROD, MPI_MAX, MPI_MIN, MPI_BOR, MPI_LAND, MPI_LOR};
    if (!op || type_size(type) == 0) return false;
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++) {
        if (strncmp(op, operators[i].name, strlen(operators[i].name)) != 0) continue;
        if (operators[i].integers_only && !is_integer(type)) return false;
        *r = (struct reduction){mpi_op[operators[i].op], mpi_type(type), operators[i].convert};
        return true;
    }
    return false;
}

/* True if the caller contributes the best key of all contributors. */
static bool is_best_integer(MPI_Comm comm, const void *x, bool largest, int type, bool contribute)
{
    long long key = largest ? LLONG_MIN : LLONG_MAX, best;
    if (contribute && type == ARMCI_INT) key = *(const int *)x;
    if (contribute && type == ARMCI_LONG) key = *(const long *)x;
    if (contribute && type == ARMCI_LONG_LONG) key = *(const long long *)x;
    armcii_coll_allreduce(&key, &best, 1, MPI_LONG_LONG, largest ? MPI_MAX : MPI_MIN, comm);
    return contribute && key == best;
}

static bool is_best_real(MPI_Comm comm, const void *x, bool largest, int type, bool contribute)
{
    double key = largest ? -INFINITY : INFINITY, best;
    if (contribute) key = type == ARMCI_FLOAT ? (double)*(const float *)x : *(const double *)x;
    armcii_coll_allreduce(&key, &best, 1, MPI_DOUBLE, largest ? MPI_MAX : MPI_MIN, comm);
    return contribute && !(key < best) && !(key > best);
}

/* Each x is a record of `bytes` bytes that begins with a key of `type`. The contributed record
 * with the largest (or smallest) key, of the lowest rank if keys are equal, replaces x on all
 * ranks. If no rank contributes, x is unchanged. */
static void select_best(MPI_Comm comm, void *x, int bytes, bool largest, int type, bool contribute)
{
    bool best = is_integer(type) ? is_best_integer(comm, x, largest, type, contribute)
                                 : is_best_real(comm, x, largest, type, contribute);
    int rank, candidate, winner;
    MPI_Comm_rank(comm, &rank);
    candidate = best ? rank : INT_MAX;
    armcii_coll_allreduce(&candidate, &winner, 1, MPI_INT, MPI_MIN, comm);
    if (winner != INT_MAX) armcii_coll_bcast(x, bytes, winner, comm);
}

/* ---- the functions ---- */

/* Find the reduction and the communicator; false if an argument is invalid (with a message) or the
 * caller is not a member. */
static bool prepare(const char *caller, struct team *team, int scope, const void *x, int n,
                    const char *op, int type, struct reduction *r, MPI_Comm *comm)
{
    if (!team || armcii_check_count(caller, "n", n) || armcii_check_pointer(caller, "op", op) ||
        armcii_check_scope(caller, scope))
        return false;
    if (type_size(type) == 0) {
        armcii_error(ARMCI_ERR_TYPE, caller, "type", "invalid type", "%d", type);
        return false;
    }
    if (!find_reduction(op, type, r)) {
        armcii_error(ARMCI_ERR_TYPE, caller, "op", "invalid operator for this type",
                     "\"%.20s\" (type %d)", op, type);
        return false;
    }
    *comm = armcii_team_scope_comm(team, (enum team_scope)scope);
    return *comm != MPI_COMM_NULL && (n == 0 || armcii_check_pointer(caller, "x", x) == 0);
}

static void reduce(const char *caller, struct team *team, int scope, void *x, int n, const char *op,
                   int type)
{
    struct reduction r;
    MPI_Comm comm;
    if (!prepare(caller, team, scope, x, n, op, type, &r, &comm)) return;
    if (r.convert) r.convert(type, x, n);
    armcii_coll_allreduce(MPI_IN_PLACE, x, n, r.type, r.op, comm);
}

/* The result is at the first process only; the others keep their values. */
static void reduce_first(const char *caller, int scope, void *x, int n, const char *op, int type)
{
    struct reduction r;
    MPI_Comm comm;
    if (!prepare(caller, armcii_world_team(caller), scope, x, n, op, type, &r, &comm)) return;
    int rank;
    MPI_Comm_rank(comm, &rank);
    void *copy = NULL;
    if (rank > 0 && n > 0 && r.convert) {
        const size_t size = type_size(type);
        copy = armcii_alloc((size_t)n, size, "a reduction of %d elements", n);
        x = memcpy(copy, x, (size_t)n * size);
    }
    if (r.convert) r.convert(type, x, n);
    armcii_coll_reduce(x, n, r.type, r.op, comm);
    free(copy);
}

void parmci_msg_gop_scope(int scope, void *x, int n, char *op, int type)
{
    reduce(CALLER, armcii_world_team(CALLER), scope, x, n, op, type);
}
ARMCII_ALIAS(armci_msg_gop_scope, parmci_msg_gop_scope);

void parmci_msg_group_gop_scope(int scope, void *x, int n, char *op, int type, ARMCI_Group *group)
{
    reduce(CALLER, armcii_group_team(CALLER, group), scope, x, n, op, type);
}
ARMCII_ALIAS(armci_msg_group_gop_scope, parmci_msg_group_gop_scope);

#define GOP_FUNCTIONS(prefix, type, code)                                                          \
    void parmci_msg_##prefix##gop(type *x, int n, char *op)                                        \
    {                                                                                              \
        reduce(CALLER, armcii_world_team(CALLER), SCOPE_ALL, x, n, op, code);                      \
    }                                                                                              \
    ARMCII_ALIAS(armci_msg_##prefix##gop, parmci_msg_##prefix##gop);                               \
    void parmci_msg_group_##prefix##gop(type *x, int n, char *op, ARMCI_Group *group)              \
    {                                                                                              \
        reduce(CALLER, armcii_group_team(CALLER, group), SCOPE_ALL, x, n, op, code);               \
    }                                                                                              \
    ARMCII_ALIAS(armci_msg_group_##prefix##gop, parmci_msg_group_##prefix##gop);                   \
    void parmci_msg_clus_##prefix##gop(type *x, int n, char *op)                                   \
    {                                                                                              \
        reduce(CALLER, armcii_world_team(CALLER), SCOPE_NODE, x, n, op, code);                     \
    }                                                                                              \
    ARMCII_ALIAS(armci_msg_clus_##prefix##gop, parmci_msg_clus_##prefix##gop)

GOP_FUNCTIONS(i, int, ARMCI_INT);
GOP_FUNCTIONS(l, long, ARMCI_LONG);
GOP_FUNCTIONS(ll, long long, ARMCI_LONG_LONG);
GOP_FUNCTIONS(f, float, ARMCI_FLOAT);
GOP_FUNCTIONS(d, double, ARMCI_DOUBLE);

void parmci_msg_reduce(void *x, int n, char *op, int type)
{
    reduce_first(CALLER, SCOPE_ALL, x, n, op, type);
}
ARMCII_ALIAS(armci_msg_reduce, parmci_msg_reduce);

void parmci_msg_reduce_scope(int scope, void *x, int n, char *op, int type)
{
    reduce_first(CALLER, scope, x, n, op, type);
}
ARMCII_ALIAS(armci_msg_reduce_scope, parmci_msg_reduce_scope);

static void select_record(const char *caller, int scope, void *x, int n, const char *op, int type,
                          int contribute)
{
    struct reduction r;
    MPI_Comm comm;
    if (!prepare(caller, armcii_world_team(caller), scope, x, n, op, type, &r, &comm)) return;
    if (r.convert || (r.op != MPI_MAX && r.op != MPI_MIN)) {
        armcii_error(ARMCI_ERR_TYPE, caller, "op", "must be \"max\" or \"min\"", "\"%.20s\"", op);
        return;
    }
    if ((size_t)n < type_size(type)) {
        armcii_error(ARMCI_ERR_COUNT, caller, "n", "the record must contain the element to compare",
                     "%d (type %d: %zu bytes)", n, type, type_size(type));
        return;
    }
    select_best(comm, x, n, r.op == MPI_MAX, type, contribute != 0);
}

void parmci_msg_sel(void *x, int n, char *op, int type, int contribute)
{
    select_record(CALLER, SCOPE_ALL, x, n, op, type, contribute);
}
ARMCII_ALIAS(armci_msg_sel, parmci_msg_sel);

void parmci_msg_sel_scope(int scope, void *x, int n, char *op, int type, int contribute)
{
    select_record(CALLER, scope, x, n, op, type, contribute);
}
ARMCII_ALIAS(armci_msg_sel_scope, parmci_msg_sel_scope);
