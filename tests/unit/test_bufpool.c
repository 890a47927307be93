/* test_bufpool.c - the buffer pool: sizes, reuse and the limit. */
#include "transport/am/proto.h"
#include "unit.h"

enum { KIB = 1 << 10, MANY = 64 };

TEST(a_buffer_has_the_requested_size)
{
    struct bufpool p = {.max_bytes = 4 << 20};
    const size_t bytes[] = {1, 4 * KIB, 4 * KIB + 1, 64 * KIB, 64 * KIB + 1, BUFPOOL_LARGEST};
    enum { N = sizeof bytes / sizeof *bytes };
    char *buffer[N];
    for (size_t i = 0; i < N; i++) {
        buffer[i] = armcii_bufpool_alloc(&p, bytes[i]);
        ck_assert_ptr_nonnull(buffer[i]);
        memset(buffer[i], (int)i, bytes[i]);
    }
    for (size_t i = 0; i < N; i++) {
        ck_assert_int_eq(buffer[i][0], (int)i);
        ck_assert_int_eq(buffer[i][bytes[i] - 1], (int)i);
        armcii_bufpool_free(&p, buffer[i], bytes[i]);
    }
    armcii_bufpool_drain(&p);
    ck_assert_uint_eq(p.bytes, 0);
}

TEST(a_freed_buffer_is_reused)
{
    struct bufpool p = {.max_bytes = 4 << 20};
    char *first = armcii_bufpool_alloc(&p, 70 * KIB);
    size_t bytes = p.bytes;
    armcii_bufpool_free(&p, first, 70 * KIB);
    ck_assert_ptr_eq(armcii_bufpool_alloc(&p, 120 * KIB), first);
    ck_assert_uint_eq(p.bytes, bytes);
    armcii_bufpool_free(&p, first, 120 * KIB);
    armcii_bufpool_drain(&p);
}

TEST(the_pool_keeps_its_limit)
{
    struct bufpool p = {.max_bytes = 4 << 20};
    char *buffer[MANY];
    int n = 0;
    while (n < MANY && (buffer[n] = armcii_bufpool_alloc(&p, BUFPOOL_LARGEST)))
        n++;
    ck_assert_int_eq(n, (4 << 20) / BUFPOOL_LARGEST);
    ck_assert(!armcii_bufpool_can_alloc(&p, 1));
    ck_assert_uint_le(p.bytes, p.max_bytes);
    armcii_bufpool_free(&p, buffer[0], BUFPOOL_LARGEST);
    ck_assert(armcii_bufpool_can_alloc(&p, BUFPOOL_LARGEST));
    buffer[0] = armcii_bufpool_alloc(&p, BUFPOOL_LARGEST);
    ck_assert_ptr_nonnull(buffer[0]);
    for (int i = 0; i < n; i++)
        armcii_bufpool_free(&p, buffer[i], BUFPOOL_LARGEST);
    armcii_bufpool_drain(&p);
}

TEST(buffers_over_the_limit_are_released)
{
    struct bufpool p = {.max_bytes = BUFPOOL_LARGEST};
    char *buffer[MANY];
    for (int n = 0; n < 4; n++)
        buffer[n] = armcii_bufpool_alloc_over_limit(&p, BUFPOOL_LARGEST);
    ck_assert_uint_eq(p.bytes, 4 * BUFPOOL_LARGEST);
    ck_assert_ptr_null(armcii_bufpool_alloc(&p, 1));
    for (int n = 0; n < 4; n++)
        armcii_bufpool_free(&p, buffer[n], BUFPOOL_LARGEST);
    ck_assert_uint_eq(p.bytes, p.max_bytes);
    ck_assert_uint_eq(p.in_use, 0);
    armcii_bufpool_drain(&p);
}

TEST(free_buffers_make_room_for_other_sizes)
{
    struct bufpool p = {.max_bytes = BUFPOOL_LARGEST};
    char *buffer[MANY];
    int n = 0;
    while (n < MANY && (buffer[n] = armcii_bufpool_alloc(&p, 64 * KIB)))
        n++;
    ck_assert_int_eq(n, BUFPOOL_LARGEST / (64 * KIB));
    ck_assert_ptr_null(armcii_bufpool_alloc(&p, 1));
    for (int i = 0; i < n; i++)
        armcii_bufpool_free(&p, buffer[i], 64 * KIB);
    char *large = armcii_bufpool_alloc(&p, BUFPOOL_LARGEST);
    ck_assert_ptr_nonnull(large);
    ck_assert_uint_le(p.bytes, p.max_bytes);
    memset(large, 1, BUFPOOL_LARGEST);
    armcii_bufpool_free(&p, large, BUFPOOL_LARGEST);
    armcii_bufpool_drain(&p);
    ck_assert_uint_eq(p.bytes, 0);
}

TEST(a_failed_allocation_releases_nothing)
{
    struct bufpool p = {.max_bytes = BUFPOOL_LARGEST};
    char *in_use = armcii_bufpool_alloc(&p, 64 * KIB), *freed = armcii_bufpool_alloc(&p, 4 * KIB);
    armcii_bufpool_free(&p, freed, 4 * KIB);
    ck_assert_ptr_null(armcii_bufpool_alloc(&p, BUFPOOL_LARGEST));
    ck_assert_uint_eq(p.bytes, 68 * KIB);
    ck_assert_ptr_eq(armcii_bufpool_alloc(&p, 4 * KIB), freed);
    armcii_bufpool_free(&p, freed, 4 * KIB);
    armcii_bufpool_free(&p, in_use, 64 * KIB);
    armcii_bufpool_drain(&p);
}
