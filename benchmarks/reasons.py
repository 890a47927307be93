"""Why another library is faster: the place, patterns of names of rows, and the reason. The first that fits holds; report.py check asks for one for each
row in which the difference is larger than the spread."""

THREADS = ("The others ask MPI for no threads: its own round trip takes less in their runs (the rows \"MPI round trip\": 4 to 19 % less on an Intel Xeon, "
           "family 6, model 167; with Open MPI on an AMD EPYC, family 25, model 1, down to a third, in runs of a machine whose speed varied). With threads (MPICH) ARMCI-MPI's get and put + fence take 1.1 "
           "times, accumulate and rmw 1.3 times as long as without, which is as long as here. ComEx MPI-TS's server is the target's own barrier: no other "
           "thread reads the sockets, and nothing completes while the target computes.")
SINGLE = ("Not the threads in MPI: with them ARMCI-MPI takes as long as without (131 and 133 ms, here 203; AMD EPYC, family 25, model 1). Cause not found; "
          "likely the servers' threads, which share the 2 processors with both ranks.")
FRAGMENTS = ("Up to 64 KiB accumulates are copied into messages of at most 32 KiB (16 KiB with MPICH) and out of them. Longer ones go by rendezvous in fragments of "
             "256 KiB, each with a request of this library and a handshake of MPI; the parts were not measured apart. MPI_Accumulate and ComEx send all at once.")
HANDSHAKE = ("More than one fragment is several messages, or waits until the receive is posted; MPI's one-sided calls and ComEx send data with their header. "
             "What threads cost MPI comes to it. The parts were not measured apart.")
LONG_SUMS = ("ComEx adds by OpenBLAS, with a thread on the waiting rank's processor; with one it took as long as this library (21.8 us for 1 MiB). ARMCI-MPI: cause not found; "
             "memory is the limit, and in another run (AMD EPYC, family 25, model 1) 4 MiB took at best 118 us here and 150 us there.")
SHORT_SUMS = ("Cause not found. ComEx adds by OpenBLAS; the best times differ less, and within a run this library's times are of two kinds, one twice the other "
              "(107 and 203 ns for 4 KiB).")
REASONS = [
    ("hosts", ["acc * KiB*", "acc * MiB", "accS*"], FRAGMENTS),
    ("hosts", ["put * KiB*", "put * MiB", "putS*", "get 32 KiB", "get [26]* KiB", "get * MiB", "getS*", "its gets"], HANDSHAKE),
    ("hosts", ["1000 gets*", "sparse: single gets"], SINGLE),
    ("hosts", ["get * B", "get * KiB", "put 8 B*", "acc 8 B*", "rmw*", "lock*", "barrier", "AllFence*", "getV*"], THREADS),
    ("hosts", ["MG*"], "Measured before one flag followed both faces (e7129e5); a face of 35 KB goes in three fragments, each copied."),
    ("node", ["acc * MiB"], LONG_SUMS),
    ("node", ["acc*", "one: acc*", "all: acc*"], SHORT_SUMS),
    ("node", ["fence*"], "armci-bench has asked for the address of the target's memory, to compare with memcpy, so a fence drains the program's own stores, too; "
     "otherwise it takes 2 ns, as between nodes."),
    ("node", ["sparse: product*"], "No call of any library: the same loop, in memory that lies elsewhere."),
    ("node", ["get 4 KiB", "its gets"], "Cause not found. Within a run this library's times are of two kinds (63 and 99 ns for 4 KiB)."),
]
