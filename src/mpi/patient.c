/* patient.c - collectives and messages that are waited for politely. */
#include "mpi/patient.h"

#include "base/guard.h"
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
    unsigned entries = armcii_guard_release();
    if (patient) {
        MPI_Ibarrier(comm, &request);
        finish(&request);
    } else {
        MPI_Barrier(comm);
    }
    armcii_guard_retake(entries);
}

void armcii_patient_bcast(void *buffer, int bytes, int root, MPI_Comm comm)
{
    MPI_Request request;
    unsigned entries = armcii_guard_release();
    if (patient) {
        MPI_Ibcast(buffer, bytes, MPI_BYTE, root, comm, &request);
        finish(&request);
    } else {
        MPI_Bcast(buffer, bytes, MPI_BYTE, root, comm);
    }
    armcii_guard_retake(entries);
}

void armcii_patient_allreduce(const void *from, void *to, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    MPI_Request request;
    unsigned entries = armcii_guard_release();
    if (patient) {
        MPI_Iallreduce(from, to, n, type, op, comm, &request);
        finish(&request);
    } else {
        MPI_Allreduce(from, to, n, type, op, comm);
    }
    armcii_guard_retake(entries);
}

void armcii_patient_reduce(const void *from, void *to, int n, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm)
{
    MPI_Request request;
    unsigned entries = armcii_guard_release();
    if (patient) {
        MPI_Ireduce(from, to, n, type, op, root, comm, &request);
        finish(&request);
    } else {
        MPI_Reduce(from, to, n, type, op, root, comm);
    }
    armcii_guard_retake(entries);
}

void armcii_patient_allgather(const void *from, void *to, int bytes, MPI_Comm comm)
{
    MPI_Request request;
    int mine = from == MPI_IN_PLACE ? 0 : bytes;
    MPI_Datatype type = from == MPI_IN_PLACE ? MPI_DATATYPE_NULL : MPI_BYTE;
    unsigned entries = armcii_guard_release();
    if (patient) {
        MPI_Iallgather(from, mine, type, to, bytes, MPI_BYTE, comm, &request);
        finish(&request);
    } else {
        MPI_Allgather(from, mine, type, to, bytes, MPI_BYTE, comm);
    }
    armcii_guard_retake(entries);
}

void armcii_patient_send(const void *buffer, int bytes, int to, int tag, MPI_Comm comm)
{
    MPI_Request request;
    unsigned entries = armcii_guard_release();
    if (patient) {
        MPI_Isend(buffer, bytes, MPI_BYTE, to, tag, comm, &request);
        finish(&request);
    } else {
        MPI_Send(buffer, bytes, MPI_BYTE, to, tag, comm);
    }
    armcii_guard_retake(entries);
}

static void wait_for_message(int from, int tag, MPI_Comm comm, MPI_Status *status)
{
    struct patience p = {0};
    int arrived = 0;
    for (;;) {
        MPI_Iprobe(from, tag, comm, &arrived, status);
        if (arrived) return;
        take_turn(&p);
    }
}

void armcii_patient_probe(int from, int tag, MPI_Comm comm, MPI_Status *status)
{
    unsigned entries = armcii_guard_release();
    if (patient)
        wait_for_message(from, tag, comm, status);
    else
        MPI_Probe(from, tag, comm, status);
    armcii_guard_retake(entries);
}
