/* test_stats.c - the time of quick calls, some of which are timed: an interruption counts as itself, slowness of all counts for all. */

#include "base/stats.h"
#include "unit.h"
#include "../lib/clock.h"

enum { CALLS = 3000 };

static void pass(double seconds)
{
    for (double begun = now(); now() - begun < seconds;) {}
}

/* One quick call that takes so long. */
static void call(double seconds)
{
    armcii_stats_enter("ARMCI_Put");
    armcii_stats_at_once(STATS_PUT, 0, 8);
    if (seconds > 0) pass(seconds);
    armcii_stats_leave();
}

static bool next_is_timed(void)
{
    return armcii_stats.rows[0].untimed == 0;
}

static double estimate(void)
{
    return armcii_stats_seconds(&armcii_stats.rows[0].by[STATS_DIRECT]);
}

START_TEST(one_interruption_is_not_many)
{
    armcii_stats_start(1);
    call(0);
    for (int i = 0; i < CALLS || !next_is_timed(); i++) call(0);
    double before = estimate();
    call(0.05);
    for (int i = 0; i < CALLS; i++) call(0);
    double more = estimate() - before;
    armcii_stats_stop();
    ck_assert_msg(more > 0.049 && more < 0.2, "an interruption of 0.05 s counts %g s", more);
    armcii_stats_end();
}
END_TEST

/* Also where all of them take longer than an interruption does. */
START_TEST(the_timed_stand_for_all)
{
    double each = _i ? 30e-6 : 5e-6;
    armcii_stats_start(1);
    double begun = now();
    for (int i = 0; i < CALLS; i++) call(each);
    double took = now() - begun, seen = estimate();
    armcii_stats_stop();
    ck_assert_msg(seen > 0.5 * CALLS * each && seen < 2 * took, "%d calls of %g s are said to take %g s, took %g s", CALLS, each, seen,
                  took);
    armcii_stats_end();
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {one_interruption_is_not_many, NULL};
    TCase *all = unit_case(tests);
    tcase_add_loop_test(all, the_timed_stand_for_all, 0, 2);
    return unit_run("stats", all);
}
