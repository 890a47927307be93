! armci_fortran.f90 - a Fortran main program that calls ARMCI itself, through iso_c_binding. Global addresses are type(c_ptr).
module armci
    use iso_c_binding
    implicit none
    integer(c_int), parameter :: ARMCI_ACC_DBL = 3, ARMCI_FETCH_AND_ADD = 0
    interface
        integer(c_int) function armci_init() bind(c, name='ARMCI_Init')
            import
        end function
        integer(c_int) function armci_finalize() bind(c, name='ARMCI_Finalize')
            import
        end function
        integer(c_int) function armci_me() bind(c, name='armci_msg_me')
            import
        end function
        integer(c_int) function armci_nproc() bind(c, name='armci_msg_nproc')
            import
        end function
        integer(c_int) function armci_malloc(bases, bytes) bind(c, name='ARMCI_Malloc')
            import
            type(c_ptr), intent(out) :: bases(*)
            integer(c_long), value :: bytes
        end function
        integer(c_int) function armci_free(base) bind(c, name='ARMCI_Free')
            import
            type(c_ptr), value :: base
        end function
        integer(c_int) function armci_put(src, dst, bytes, proc) bind(c, name='ARMCI_Put')
            import
            type(c_ptr), value :: src, dst
            integer(c_int), value :: bytes, proc
        end function
        integer(c_int) function armci_get(src, dst, bytes, proc) bind(c, name='ARMCI_Get')
            import
            type(c_ptr), value :: src, dst
            integer(c_int), value :: bytes, proc
        end function
        integer(c_int) function armci_acc(datatype, scale, src, dst, bytes, proc) bind(c, name='ARMCI_Acc')
            import
            integer(c_int), value :: datatype, bytes, proc
            type(c_ptr), value :: scale, src, dst
        end function
        integer(c_int) function armci_rmw(op, ploc, prem, extra, proc) bind(c, name='ARMCI_Rmw')
            import
            integer(c_int), value :: op, extra, proc
            type(c_ptr), value :: ploc, prem
        end function
        subroutine armci_barrier() bind(c, name='ARMCI_Barrier')
        end subroutine
    end interface
end module

program armci_fortran
    use mpi
    use armci
    implicit none
    integer, parameter :: n = 10
    integer :: failed, wrong, all_wrong, me, ranks, right, left, i
    integer(c_int), target :: ticket
    real(c_double), target :: values(n), back(n), scale
    real(c_double), pointer :: mine(:)
    type(c_ptr), allocatable :: base(:), counter(:)

    call mpi_init(failed)
    wrong = armci_init()
    me = armci_me()
    ranks = armci_nproc()
    right = mod(me + 1, ranks)
    left = mod(me + ranks - 1, ranks)
    allocate(base(0:ranks - 1), counter(0:ranks - 1))
    wrong = wrong + armci_malloc(base, int(n * c_sizeof(scale), c_long))
    wrong = wrong + armci_malloc(counter, int(c_sizeof(ticket), c_long))
    call c_f_pointer(base(me), mine, [n])
    mine = 0
    if (me == 0) call zero(counter(0))
    call armci_barrier()

    ! Put, add twice the same, get: three times what was put.
    values = [(dble(100 * me + i), i = 1, n)]
    scale = 2
    wrong = wrong + armci_put(c_loc(values), base(right), int(n * c_sizeof(scale), c_int), right)
    wrong = wrong + armci_acc(ARMCI_ACC_DBL, c_loc(scale), c_loc(values), base(right), int(n * c_sizeof(scale), c_int), right)
    wrong = wrong + armci_get(base(right), c_loc(back), int(n * c_sizeof(scale), c_int), right)
    if (any(back /= 3 * values)) wrong = wrong + 1
    wrong = wrong + armci_rmw(ARMCI_FETCH_AND_ADD, c_loc(ticket), counter(0), 1_c_int, 0_c_int)
    call armci_barrier()
    if (any(mine /= [(3d0 * (100 * left + i), i = 1, n)])) wrong = wrong + 1

    ! Every rank drew another number, so they add up to 0 + 1 + ... + ranks - 1.
    call mpi_allreduce(ticket, i, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, failed)
    if (i /= ranks * (ranks - 1) / 2) wrong = wrong + 1
    call mpi_allreduce(wrong, all_wrong, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, failed)
    if (me == 0) print '(a, i0, 2a)', 'fortran: ', ranks, ' ranks: ', merge('right', 'WRONG', all_wrong == 0)
    wrong = armci_free(counter(me)) + armci_free(base(me)) + armci_finalize()
    call mpi_finalize(failed)
    if (all_wrong + wrong /= 0) error stop 1

contains

    subroutine zero(address)
        type(c_ptr), intent(in) :: address
        integer(c_int), pointer :: number
        call c_f_pointer(address, number)
        number = 0
    end subroutine
end program
