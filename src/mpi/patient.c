/* patient.c - collectives and messages that are waited for politely. */
#include "mpi/patient.h"

#include "base/wait.h"

static bool patient;

void armcii_patient_decide(bool wanted, MPI_Comm comm)
{
    int mine = wanted, any;
    MPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, comm);
    patient = any;
}

void armcii_patient_end(void)
{
    patient = false;
}

static void take_turn(struct patience *p)
{
    if (armcii_wait_serve())
        p->turns = 0;
    else
        armcii_wait_turn(p);
}

static void finish(MPI_Request *request)
{
    struct patience p = {0};
    for (;;) {
        int done;
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (done) return;
        take_turn(&p);
    }
}

void armcii_patient_barrier(MPI_Comm comm)
{
    MPI_Request request;
    if (!patient) {
        MPI_Barrier(comm);
        return;
    }
    MPI_Ibarrier(comm, &request);
    finish(&request);
}

void armcii_patient_bcast(void *buffer, int bytes, int root, MPI_Comm comm)
{
    MPI_Request request;
    if (!patient) {
        MPI_Bcast(buffer, bytes, MPI_BYTE, root, comm);
        return;
    }
    MPI_Ibcast(buffer, bytes, MPI_BYTE, root, comm, &request);
    finish(&request);
}

void armcii_patient_allreduce(const void *from, void *to, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    MPI_Request request;
    if (!patient) {
        MPI_Allreduce(from, to, n, type, op, comm);
        return;
    }
    MPI_Iallreduce(from, to, n, type, op, comm, &request);
    finish(&request);
}

void armcii_patient_reduce(const void *from, void *to, int n, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm)
{
    MPI_Request request;
    if (!patient) {
        MPI_Reduce(from, to, n, type, op, root, comm);
        return;
    }
    MPI_Ireduce(from, to, n, type, op, root, comm, &request);
    finish(&request);
}

void armcii_patient_allgather(const void *from, void *to, int bytes, MPI_Comm comm)
{
    MPI_Request request;
    int mine = from == MPI_IN_PLACE ? 0 : bytes;
    MPI_Datatype type = from == MPI_IN_PLACE ? MPI_DATATYPE_NULL : MPI_BYTE;
    if (!patient) {
        MPI_Allgather(from, mine, type, to, bytes, MPI_BYTE, comm);
        return;
    }
    MPI_Iallgather(from, mine, type, to, bytes, MPI_BYTE, comm, &request);
    finish(&request);
}

void armcii_patient_send(const void *buffer, int bytes, int to, int tag, MPI_Comm comm)
{
    MPI_Request request;
    if (!patient) {
        MPI_Send(buffer, bytes, MPI_BYTE, to, tag, comm);
        return;
    }
    MPI_Isend(buffer, bytes, MPI_BYTE, to, tag, comm, &request);
    finish(&request);
}

void armcii_patient_probe(int from, int tag, MPI_Comm comm, MPI_Status *status)
{
    struct patience p = {0};
    int arrived = 0;
    if (!patient) {
        MPI_Probe(from, tag, comm, status);
        return;
    }
    for (;;) {
        MPI_Iprobe(from, tag, comm, &arrived, status);
        if (arrived) return;
        take_turn(&p);
    }
}
