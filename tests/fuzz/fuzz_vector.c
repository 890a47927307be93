/* fuzz_vector.c - vector shapes against the list of their segments. */
#include "sample_input.h"
#include "shape_checks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = {data, size};
    struct sample m;
    sample_vector(&m, &in);
    check_walk(&m);
    check_simplest(m.text, &m.shape);
    check_hull(&m);
    check_disjoint(&m);
    check_nests(&m);
    check_aligned(&m);
    check_packing(&m);
    check_copy(&m);
    check_packed_side(&m, 0);
    sample_free(&m);
    return 0;
}
