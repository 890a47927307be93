/* mg_faces.c - the two ways in which MG's faces travel: puts with a flag behind them, straight into
 * the neighbour's halo; and MPI_Isend, MPI_Irecv. */
#include "mg.h"
#include "plain_mpi.h"

#include <armci.h>
#include <mpi.h>
#include <sched.h>
#include <string.h>

/* ---- ARMCI ---- */

/* At the beginning of each slice: for each axis the number of the exchange whose faces the
 * neighbour has put into the halo. Each flag has its own cache line. */
struct flags {
    struct {
        volatile int filled;
        char rest[60];
    } of[MG_AXES];
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

/* A put, strided where the face is. */
struct face_put {
    int to, bytes, count[3], stride[2];
    double *from, *into;
};

/* Of the points at one end into the halo at the other end of the neighbour. */
static struct face_put face_put(const struct mg *mg, const struct mg_face *face, double *array,
                                int axis, int end)
{
    const int to = mg->neighbours[axis][end], bytes = (int)(face->length * (long)sizeof *array);
    struct face_put put = {.to = to,
                           .bytes = bytes,
                           .count = {bytes, (int)face->count[0], (int)face->count[1]},
                           .from = array + face->first[end],
                           .into = at_rank(mg, to, array + face->halo[1 - end])};
    for (int i = 0; i < 2; i++)
        put.stride[i] = (int)(face->distance[i] * (long)sizeof *array);
    return put;
}

/* Both neighbours along an axis are one rank, so one flag follows both faces. */
static void put_faces(struct mg *mg, const struct mg_face *face, double *array, int axis,
                      armci_hdl_t *handle)
{
    struct face_put first = face_put(mg, face, array, axis, 0),
                    second = face_put(mg, face, array, axis, 1);
    struct flags *flags = mg->slices[second.to];
    int *flag = (int *)&flags->of[axis].filled;
    if (axis == 0) {
        ARMCI_NbPut(first.from, first.into, first.bytes, first.to, handle);
        ARMCI_Put_flag(second.from, second.into, second.bytes, flag, exchanges[axis], second.to);
    } else {
        ARMCI_NbPutS(first.from, first.stride, first.into, first.stride, first.count, 2, first.to,
                     handle);
        ARMCI_PutS_flag(second.from, second.stride, second.into, second.stride, second.count, 2,
                        flag, exchanges[axis], second.to);
    }
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
    enum { SPINS = 200, YIELD_EVERY = 16 };
    for (int spins = 0, turns = 0; *flag < value; spins++) {
        if (spins < SPINS) continue;
        make_progress();
        if (++turns % YIELD_EVERY == 0) sched_yield();
        spins = 0;
    }
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
}

static void exchange_armci(struct mg *mg, const struct mg_level *level, double *array, int axis)
{
    const struct mg_face face = mg_face(level, axis);
    const struct flags *mine = mg->slices[mg->me];
    armci_hdl_t handle;
    ARMCI_INIT_HANDLE(&handle);
    ARMCI_SET_AGGREGATE_HANDLE(&handle);
    exchanges[axis]++;
    put_faces(mg, &face, array, axis, &handle);
    wait_for(&mine->of[axis].filled, exchanges[axis]);
    ARMCI_Wait(&handle);
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
