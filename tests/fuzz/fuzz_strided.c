/* fuzz_strided.c - strided shapes against nested loops. */
#include "sample_input.h"
#include "shape_checks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = {data, size};
    struct sample m;
    size_t limit = (size_t)input_between(&in, 0, 4000);
    sample_strided(&m, &in);
    check_walk(&m);
    check_simplest(m.text, &m.shape);
    check_hull(&m);
    check_disjoint(&m);
    check_nests(&m);
    check_aligned(&m);
    check_parts(&m, limit);
    check_packing(&m);
    check_copy(&m);
    check_packed_side(&m, limit);
    sample_free(&m);
    return 0;
}
