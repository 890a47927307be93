/* armci-doctor - tests the MPI library and ARMCI on it, and measures the cost. See doc/doctor.md. */
#include <stdio.h>

#include "drive.h"
#include "options.h"
#include "supervise.h"

int main(int argc, char **argv)
{
    struct options o;
    int status = options_read(&o, argc, argv);
    if (status >= 0) return status;
    if (o.launch || !options_under_launcher()) return drive(&o, argv[0]);
    return supervise(&o);
}
