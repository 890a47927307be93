/* mpi.h - as much of MPI as teams need, for threads.c, which runs in one process without MPI: every
 * communicator has that one member. */
#ifndef MPI_WITHOUT_MPI_H
#define MPI_WITHOUT_MPI_H

typedef int MPI_Comm, MPI_Group, MPI_Request, MPI_Win, MPI_Datatype, MPI_Op, MPI_Status,
    MPI_Errhandler;
typedef long MPI_Aint;
enum { MPI_SUCCESS = 0, MPI_COMM_NULL = 0, MPI_TAG_UB };

int MPI_Comm_get_attr(MPI_Comm comm, int key, void *value, int *found);
int MPI_Comm_rank(MPI_Comm comm, int *rank);
int MPI_Comm_size(MPI_Comm comm, int *size);
int MPI_Comm_group(MPI_Comm comm, MPI_Group *group);
int MPI_Comm_free(MPI_Comm *comm);
int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *made);
int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *made);
int MPI_Group_incl(MPI_Group group, int n, const int ranks[], MPI_Group *made);
int MPI_Group_translate_ranks(MPI_Group group, int n, const int ranks[], MPI_Group other,
                              int translated[]);
int MPI_Group_free(MPI_Group *group);

#endif
