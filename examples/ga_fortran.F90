! ga_fortran.F90 - C = A * B over Global Arrays from Fortran: ranks draw pairs of tiles from a shared counter, get them, multiply them, and
! accumulate into C. Rank 0 compares C * x with A * (B * x), computed from the formula of the elements.
program ga_fortran
    implicit none
#include "mafdecls.fh"
#include "global.fh"
    integer, parameter :: n = 300, tile = 64, tiles = (n + tile - 1) / tile
    integer :: a, b, c, counter, wrong
    integer(4) :: failed

    call mpi_init(failed)
    call ga_initialize()
    if (.not. ma_init(MT_DBL, 100000, 100000)) call ga_error('no memory for MA', 1)
    a = new_matrix('A')
    b = new_matrix('B')
    c = new_matrix('C')
    if (.not. ga_create(MT_INT, 1, 1, 'counter', 1, 1, counter)) call ga_error('no counter', 1)
    call ga_zero(c)
    call ga_zero(counter)
    call fill(a, 1)
    call fill(b, 2)
    call ga_sync()
    call multiply()
    call ga_sync()
    wrong = 0
    if (ga_nodeid() == 0) wrong = verdict()
    call ga_igop(1, wrong, 1, '+')
    call ga_terminate()
    call mpi_finalize(failed)
    if (wrong /= 0) stop 1

contains

    integer function new_matrix(name)
        character(*), intent(in) :: name
        if (.not. ga_create(MT_DBL, n, n, name, 0, 0, new_matrix)) call ga_error('cannot create '//name, 1)
    end function

    ! Element (i, j) of matrix A (which = 1) or B (2).
    elemental double precision function element(which, i, j)
        integer, intent(in) :: which, i, j
        element = sin(dble(which * i)) + cos(dble(3 * j - which))
    end function

    ! Every rank stores its own rows of tiles.
    subroutine fill(matrix, which)
        integer, intent(in) :: matrix, which
        double precision :: rows(tile, n)
        integer :: t, lo, hi, i, j
        do t = ga_nodeid(), tiles - 1, ga_nnodes()
            lo = t * tile + 1
            hi = min(n, lo + tile - 1)
            rows(1:hi - lo + 1, :) = reshape([((element(which, i, j), i = lo, hi), j = 1, n)], [hi - lo + 1, n])
            call ga_put(matrix, lo, hi, 1, n, rows, tile)
        end do
    end subroutine

    ! Task t is the product of the tiles (i, k) of A and (k, j) of B.
    subroutine multiply()
        double precision :: left(tile, tile), right(tile, tile), product(tile, tile)
        integer :: t, i, j, k, ni, nj, nk
        do
            t = ga_read_inc(counter, 1, 1, 1)
            if (t >= tiles**3) return
            i = mod(t, tiles) * tile
            j = mod(t / tiles, tiles) * tile
            k = t / tiles**2 * tile
            ni = min(tile, n - i)
            nj = min(tile, n - j)
            nk = min(tile, n - k)
            call ga_get(a, i + 1, i + ni, k + 1, k + nk, left, tile)
            call ga_get(b, k + 1, k + nk, j + 1, j + nj, right, tile)
            product(:ni, :nj) = matmul(left(:ni, :nk), right(:nk, :nj))
            call ga_acc(c, i + 1, i + ni, j + 1, j + nj, product, tile, 1d0)
        end do
    end subroutine

    ! 0: C is right.
    integer function verdict()
        double precision :: whole(n, n), x(n), difference(n)
        integer :: i
        x = [(1d0 / i, i = 1, n)]
        call ga_get(c, 1, n, 1, n, whole, n)
        difference = abs(matmul(whole, x) - times(1, times(2, x)))
        verdict = merge(0, 1, all(difference < 1d-9))
        print '(a, i0, a, es8.1, 2a)', 'ga_fortran: ', ga_nnodes(), ' ranks, largest difference', maxval(difference), ': ', &
            merge('right', 'WRONG', verdict == 0)
    end function

    function times(which, x) result(y)
        integer, intent(in) :: which
        double precision, intent(in) :: x(n)
        double precision :: y(n)
        integer :: i, j
        y = [(sum([(element(which, i, j) * x(j), j = 1, n)]), i = 1, n)]
    end function
end program
