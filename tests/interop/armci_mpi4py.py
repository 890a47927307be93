"""armci_mpi4py.py LIBARMCI: ARMCI beside mpi4py in one process: started on mpi4py's communicators, while mpi4py sends messages.

mpi4py sets MPI_ERRORS_RETURN on MPI_COMM_WORLD, from which communicators inherit it: not so those of ARMCI, whose errors nobody would
read. Exit status 0 when all is right; mpi4py starts MPI and ends it."""
import ctypes
import os
import sys

from mpi4py import MPI

os.environ["ARMCI_ERRORS"] = "return"  # a group that is refused would end the job
armci = ctypes.CDLL(sys.argv[1])
ACC_LNG, FETCH_AND_ADD_LONG, SLOTS = 1, 1, 4
wrong = 0


def check(good, what):
    global wrong
    if not good:
        wrong += 1
        print("rank %d: WRONG: %s" % (MPI.COMM_WORLD.rank, what), flush=True)


def handle_of(comm):
    """The MPI_Comm as C has it: an int or a pointer."""
    c_type = ctypes.c_int if MPI._sizeof(comm) == ctypes.sizeof(ctypes.c_int) else ctypes.c_void_p
    return c_type.from_address(MPI._addressof(comm))


def allocate(me, n):
    """Addresses of SLOTS longs at each process, and the own ones as an array."""
    bases = (ctypes.c_void_p * n)()
    check(armci.ARMCI_Malloc(bases, ctypes.c_long(SLOTS * ctypes.sizeof(ctypes.c_long))) == 0, "ARMCI_Malloc")
    mine = (ctypes.c_long * SLOTS).from_address(bases[me])
    mine[:] = [0] * SLOTS
    armci.ARMCI_Barrier()
    return bases, mine


def slot(bases, process, number):
    return ctypes.c_void_p(bases[process] + number * ctypes.sizeof(ctypes.c_long))


def communicate(comm, bases, mine):
    me, n = comm.rank, comm.size
    right, left, size = (me + 1) % n, (me - 1) % n, ctypes.sizeof(ctypes.c_long)
    value, one, ticket, back = ctypes.c_long(100 + me), ctypes.c_long(1), ctypes.c_long(-1), ctypes.c_long(-1)
    request = comm.isend(("from", me), dest=right, tag=7)  # of mpi4py, incomplete meanwhile
    armci.ARMCI_Put(ctypes.byref(value), slot(bases, right, 0), size, right)
    for process in range(n):
        armci.ARMCI_Acc(ACC_LNG, ctypes.byref(one), ctypes.byref(one), slot(bases, process, 1), size, process)
    armci.ARMCI_Rmw(FETCH_AND_ADD_LONG, ctypes.byref(ticket), slot(bases, 0, 2), 1, 0)
    check(comm.recv(source=left, tag=7) == ("from", left), "a message of mpi4py")
    request.wait()
    armci.ARMCI_Barrier()
    armci.ARMCI_Get(slot(bases, right, 0), ctypes.byref(back), size, right)
    check(mine[0] == 100 + left, "put: %d" % mine[0])
    check(mine[1] == n, "accumulates: %d" % mine[1])
    check(back.value == 100 + me, "get: %d" % back.value)
    check(sorted(comm.allgather(ticket.value)) == list(range(n)), "the counter")


class Group(ctypes.Structure):
    """ARMCI_Group of armci.h."""
    _fields_ = [("comm", type(handle_of(MPI.COMM_WORLD))), ("reserved", type(handle_of(MPI.COMM_WORLD))), ("grp_to_abs", ctypes.c_void_p),
                ("abs_to_grp", ctypes.c_void_p), ("rank", ctypes.c_int), ("size", ctypes.c_int)]


def group_of(comm):
    """A new group of all processes of that communicator; its rank is -1 where it was refused."""
    group, members = Group(rank=77), (ctypes.c_int * comm.size)(*range(comm.size))
    armci.ARMCI_Group_create(comm.size, members, ctypes.byref(group))
    return group


def check_group(comm, group, what):
    """It is made, and an error on its communicator ends the job."""
    own = MPI.Intracomm()
    handle_of(own).value = group.comm
    check((group.rank, group.size) == (comm.rank, comm.size), "%s: rank %d of %d" % (what, group.rank, group.size))
    check(own != MPI.COMM_NULL and own.Get_errhandler() == MPI.ERRORS_ARE_FATAL, "%s: its errors are not fatal" % what)


def refuse(comm):
    """MPICH has some 2,000 communicators: when none is left, every member hears that there is no group.

    Other libraries have more. Not with more ranks than processors: MPICH spins in each copy."""
    if not MPI.Get_library_version().startswith("MPICH") or comm.size > 2:
        return
    copies = []
    try:
        while len(copies) < 3000:
            copies.append(comm.Dup())
    except MPI.Exception:
        pass
    group = group_of(comm)
    check((group.rank, group.comm) == (-1, handle_of(MPI.COMM_NULL).value), "a group beside %d communicators: rank %d" % (len(copies), group.rank))
    for copy in copies:
        copy.Free()


def check_errors(comm):
    check(comm.Get_errhandler() == MPI.ERRORS_RETURN, "this mpi4py sets no MPI_ERRORS_RETURN: the test shows nothing")
    refuse(comm)
    group, world = group_of(comm), Group()
    armci.ARMCI_Group_get_world(ctypes.byref(world))
    check_group(comm, world, "the world")
    check_group(comm, group, "a group")
    armci.ARMCI_Group_free(ctypes.byref(group))


def use(comm):
    """Start ARMCI on a communicator, work, end it; MPI goes on."""
    check(armci.ARMCI_Init_mpi_comm(handle_of(comm)) == 1, "ARMCI_Init_mpi_comm")
    check((armci.armci_msg_me(), armci.armci_msg_nproc()) == (comm.rank, comm.size), "process numbers are ranks of the communicator")
    bases, mine = allocate(comm.rank, comm.size)
    communicate(comm, bases, mine)
    check_errors(comm)
    armci.ARMCI_Barrier()
    check(armci.ARMCI_Free(ctypes.c_void_p(bases[comm.rank])) == 0, "ARMCI_Free")
    check(armci.ARMCI_Finalize() == 0, "ARMCI_Finalize")


def main():
    world = MPI.COMM_WORLD
    backwards = world.Split(0, -world.rank)
    for comm in (world, backwards):
        use(comm)
    total = world.allreduce(wrong)
    if world.rank == 0:
        library = MPI.Get_library_version().split("\n")[0].split(",")[0]
        print("mpi4py: %d ranks, thread level %d, %s: %s" % (world.size, MPI.Query_thread(), library, "WRONG" if total else "right"))
    return total != 0


sys.exit(main())
