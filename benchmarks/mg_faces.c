/* mg_faces.c - the two ways in which MG's faces travel: puts with a flag behind each, straight into
 * the neighbour's halo; and MPI_Isend, MPI_Irecv. */
#include "mg.h"
#include "plain_mpi.h"

#include <armci.h>
#include <mpi.h>
#include <sched.h>
#include <string.h>

/* ---- ARMCI ---- */

/* At the beginning of each slice: for each halo the number of the exchange that filled it last, by
 * the neighbour. Each flag has its own cache line. */
struct flags {
    struct {
        volatile int filled;
        char rest[60];
    } of[MG_AXES][2];
};
_Static_assert(sizeof(struct flags) <= MG_FLAG_BYTES, "the arrays begin behind the flags");

static int exchanges[MG_AXES]; /* of the caller, along each axis, since mg_open */

static bool open_armci(struct mg *mg)
{
    memset(exchanges, 0, sizeof exchanges);
    memset(mg->slices[mg->me], 0, MG_FLAG_BYTES);
    ARMCI_Barrier();
    return true;
}

/* The same place in the slice of another rank. */
static void *at_rank(const struct mg *mg, int rank, void *mine)
{
    return (char *)mg->slices[rank] + ((char *)mine - (char *)mg->slices[mg->me]);
}

/* The points at one end go into the halo at the other end of the neighbour. */
static void put_face(struct mg *mg, const struct mg_face *face, double *array, int axis, int end)
{
    const int to = mg->neighbours[axis][end], bytes = (int)(face->length * (long)sizeof *array);
    struct flags *flags = mg->slices[to];
    double *from = array + face->first[end], *into = at_rank(mg, to, array + face->halo[1 - end]);
    int count[3] = {bytes, (int)face->count[0], (int)face->count[1]}, stride[2];
    int *flag = (int *)&flags->of[axis][1 - end].filled;
    for (int i = 0; i < 2; i++)
        stride[i] = (int)(face->distance[i] * (long)sizeof *array);
    if (axis == 0)
        ARMCI_Put_flag(from, into, bytes, flag, exchanges[axis], to);
    else
        ARMCI_PutS_flag(from, stride, into, stride, count, 2, flag, exchanges[axis], to);
}

/* An extension of this library and of ARMCI-MPI. */
extern void ARMCIX_Progress(void) __attribute__((weak));

/* With windows some MPI libraries make progress only when they are called. */
static void make_progress(void)
{
    MPI_Status status;
    int arrived;
    if (ARMCIX_Progress)
        ARMCIX_Progress();
    else
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, mpi_communicator(), &arrived, &status);
}

/* Now and then the processor goes to others, as ranks and servers may outnumber cores. */
static void wait_for(const volatile int *flag, int value)
{
    enum { SPINS = 200 };
    for (int spins = 0; *flag < value; spins++) {
        if (spins < SPINS) continue;
        sched_yield();
        make_progress();
        spins = 0;
    }
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
}

static void exchange_armci(struct mg *mg, const struct mg_level *level, double *array, int axis)
{
    const struct mg_face face = mg_face(level, axis);
    const struct flags *mine = mg->slices[mg->me];
    exchanges[axis]++;
    for (int end = 0; end < 2; end++)
        put_face(mg, &face, array, axis, end);
    for (int end = 0; end < 2; end++)
        wait_for(&mine->of[axis][end].filled, exchanges[axis]);
}

const struct mg_way mg_armci = {"ARMCI", open_armci, NULL, exchange_armci};

/* ---- MPI ---- */

static MPI_Datatype types[MG_MOST_LEVELS][MG_AXES];

static bool open_mpi(struct mg *mg)
{
    for (int k = 0; k < mg->levels; k++) {
        for (int axis = 0; axis < MG_AXES; axis++) {
            const struct mg_face face = mg_face(&mg->level[k], axis);
            MPI_Datatype inner;
            MPI_Type_vector((int)face.count[0], (int)face.length, (int)face.distance[0], MPI_DOUBLE,
                            &inner);
            MPI_Type_create_hvector((int)face.count[1], 1,
                                    face.distance[1] * (MPI_Aint)sizeof(double), inner,
                                    &types[k][axis]);
            MPI_Type_free(&inner);
            MPI_Type_commit(&types[k][axis]);
        }
    }
    return true;
}

static void close_mpi(struct mg *mg)
{
    for (int k = 0; k < mg->levels; k++) {
        for (int axis = 0; axis < MG_AXES; axis++)
            MPI_Type_free(&types[k][axis]);
    }
}

/* The tag is the end at which a face leaves: two neighbours may be one rank. */
static void exchange_mpi(struct mg *mg, const struct mg_level *level, double *array, int axis)
{
    const struct mg_face face = mg_face(level, axis);
    const MPI_Datatype type = types[level - mg->level][axis];
    const MPI_Comm comm = mpi_communicator();
    MPI_Request requests[4];
    MPI_Status statuses[4];
    for (int end = 0; end < 2; end++)
        MPI_Irecv(array + face.halo[end], 1, type, mg->neighbours[axis][end], 1 - end, comm,
                  &requests[end]);
    for (int end = 0; end < 2; end++)
        MPI_Isend(array + face.first[end], 1, type, mg->neighbours[axis][end], end, comm,
                  &requests[2 + end]);
    MPI_Waitall(4, requests, statuses);
}

const struct mg_way mg_mpi = {"MPI", open_mpi, close_mpi, exchange_mpi};
