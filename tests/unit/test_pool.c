/* test_pool.c - buffers for data on their way: as large as asked for, lent again, and never more than was agreed. */
#include <string.h>

#include "server/pool.h"
#include "unit.h"

enum { KIB = 1 << 10, MANY = 64 };

START_TEST(a_buffer_holds_what_it_was_asked_for)
{
    struct pool p = {.most = 4 << 20};
    const size_t bytes[] = {1, 4 * KIB, 4 * KIB + 1, 64 * KIB, 64 * KIB + 1, POOL_LARGEST};
    enum { N = sizeof bytes / sizeof *bytes };
    char *buffer[N];
    for (size_t i = 0; i < N; i++) {
        buffer[i] = armcii_pool_take(&p, bytes[i]);
        ck_assert_ptr_nonnull(buffer[i]);
        memset(buffer[i], (int)i, bytes[i]);
    }
    for (size_t i = 0; i < N; i++) {
        ck_assert_int_eq(buffer[i][0], (int)i);
        ck_assert_int_eq(buffer[i][bytes[i] - 1], (int)i);
        armcii_pool_leave(&p, buffer[i], bytes[i]);
    }
    armcii_pool_empty(&p);
    ck_assert_uint_eq(p.bytes, 0);
}
END_TEST

START_TEST(a_buffer_that_came_back_is_lent_again)
{
    struct pool p = {.most = 4 << 20};
    char *first = armcii_pool_take(&p, 70 * KIB);
    size_t bytes = p.bytes;
    armcii_pool_leave(&p, first, 70 * KIB);
    ck_assert_ptr_eq(armcii_pool_take(&p, 120 * KIB), first);
    ck_assert_uint_eq(p.bytes, bytes);
    armcii_pool_leave(&p, first, 120 * KIB);
    armcii_pool_empty(&p);
}
END_TEST

START_TEST(no_more_is_lent_than_was_agreed)
{
    struct pool p = {.most = 4 << 20};
    char *buffer[MANY];
    int n = 0;
    while (n < MANY && (buffer[n] = armcii_pool_take(&p, POOL_LARGEST))) n++;
    ck_assert_int_eq(n, (4 << 20) / POOL_LARGEST);
    ck_assert(!armcii_pool_has(&p, 1));
    ck_assert_uint_le(p.bytes, p.most);
    armcii_pool_leave(&p, buffer[0], POOL_LARGEST);
    ck_assert(armcii_pool_has(&p, POOL_LARGEST));
    buffer[0] = armcii_pool_take(&p, POOL_LARGEST);
    ck_assert_ptr_nonnull(buffer[0]);
    for (int i = 0; i < n; i++) armcii_pool_leave(&p, buffer[i], POOL_LARGEST);
    armcii_pool_empty(&p);
}
END_TEST

START_TEST(what_was_lent_beyond_the_limit_is_not_kept)
{
    struct pool p = {.most = POOL_LARGEST};
    char *buffer[MANY];
    for (int n = 0; n < 4; n++) buffer[n] = armcii_pool_take_beyond(&p, POOL_LARGEST);
    ck_assert_uint_eq(p.bytes, 4 * POOL_LARGEST);
    ck_assert_ptr_null(armcii_pool_take(&p, 1));
    for (int n = 0; n < 4; n++) armcii_pool_leave(&p, buffer[n], POOL_LARGEST);
    ck_assert_uint_eq(p.bytes, p.most);
    ck_assert_uint_eq(p.lent, 0);
    armcii_pool_empty(&p);
}
END_TEST

START_TEST(buffers_nobody_uses_make_room_for_others)
{
    struct pool p = {.most = POOL_LARGEST};
    char *buffer[MANY];
    int n = 0;
    while (n < MANY && (buffer[n] = armcii_pool_take(&p, 64 * KIB))) n++;
    ck_assert_int_eq(n, POOL_LARGEST / (64 * KIB));
    ck_assert_ptr_null(armcii_pool_take(&p, 1));
    for (int i = 0; i < n; i++) armcii_pool_leave(&p, buffer[i], 64 * KIB);
    char *large = armcii_pool_take(&p, POOL_LARGEST);
    ck_assert_ptr_nonnull(large);
    ck_assert_uint_le(p.bytes, p.most);
    memset(large, 1, POOL_LARGEST);
    armcii_pool_leave(&p, large, POOL_LARGEST);
    armcii_pool_empty(&p);
    ck_assert_uint_eq(p.bytes, 0);
}
END_TEST

START_TEST(what_cannot_be_lent_costs_no_buffer)
{
    struct pool p = {.most = POOL_LARGEST};
    char *lent = armcii_pool_take(&p, 64 * KIB), *spare = armcii_pool_take(&p, 4 * KIB);
    armcii_pool_leave(&p, spare, 4 * KIB);
    ck_assert_ptr_null(armcii_pool_take(&p, POOL_LARGEST));
    ck_assert_uint_eq(p.bytes, 68 * KIB);
    ck_assert_ptr_eq(armcii_pool_take(&p, 4 * KIB), spare);
    armcii_pool_leave(&p, spare, 4 * KIB);
    armcii_pool_leave(&p, lent, 64 * KIB);
    armcii_pool_empty(&p);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {a_buffer_holds_what_it_was_asked_for, a_buffer_that_came_back_is_lent_again,
                                  no_more_is_lent_than_was_agreed, what_was_lent_beyond_the_limit_is_not_kept, buffers_nobody_uses_make_room_for_others,
                                  what_cannot_be_lent_costs_no_buffer, NULL};
    return unit_run("pool", unit_case(tests));
}
