# How Global Arrays 5.7.1b0 is built on this library: read by gabuild.py, as the lines of doc/applications.md for other releases.
tar xf globalarrays-5.7.1b0.tar.gz
cd globalarrays-5.7.1b0/ga-master && autoreconf -if
mkdir build && cd build
../configure --with-armci=$HOME/armci-mpich \
    --without-blas --without-lapack --without-scalapack \
    CC=gcc CXX=g++ F77=gfortran \
    MPICC=mpicc.mpich MPICXX=mpicxx.mpich MPIF77=mpif90.mpich \
    CFLAGS="-std=gnu99 -O2 -fPIC -pthread" CPPFLAGS=-DPTHREADS \
    FFLAGS="-O2 -fPIC -fallow-argument-mismatch -fno-tree-slp-vectorize" \
    LIBS=-lpthread
make -j4
