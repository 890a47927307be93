/* test_notify.c - a wait for a notification makes progress, since the sender may be waiting for
 * this process's server. */
#include <limits.h>

#include "base/lock.h"
#include "fake_job.h"
#include "core/notify.c" /* the test sets its counts, which would take minutes to reach their bounds */
#include "unit.h"

static int served;

/* Notifies in the third progress call. */
static bool serve(void)
{
    if (++served == 3) armcii_notify_send(0);
    return false;
}

TEST(a_wait_for_a_notification_makes_progress)
{
    int waits = 0;
    job_start((struct job){.processes = 1});
    armcii_notify_start();
    armcii_backoff.progress = serve;
    ck_assert_int_eq(armcii_notify_wait(0, &waits), 1);
    ck_assert_int_eq(waits, 1);
    ck_assert_int_eq(served, 3);
    armcii_notify_end();
    armcii_backoff.progress = armcii_progress_nothing;
}

/* Sends one notification to this process. */
static bool send_one(void)
{
    served++;
    armcii_notify_send(0);
    return false;
}

/* A wait returns after exactly one further notification, whatever the counts. */
TEST(counts_pass_the_bounds_of_int)
{
    const uint64_t starts[] = {INT_MAX - 1, UINT_MAX - 1};
    job_start((struct job){.processes = 1});
    armcii_backoff.progress = send_one;
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++) {
        int waits = 0;
        armcii_notify_start();
        counts[0] = (struct counts){starts[i], starts[i], starts[i]};
        for (int step = 1; step <= 4; step++) {
            served = 0;
            armcii_notify_wait(0, &waits);
            ck_assert_int_eq(waits, (int)((starts[i] + (unsigned)step) & INT_MAX));
            ck_assert_msg(served == 1, "wait %d after %ju: %d notifications sent meanwhile", step,
                          (uintmax_t)starts[i], served);
        }
        ck_assert_int_eq(armcii_notify_send(0), (int)((starts[i] + 5) & INT_MAX));
        armcii_notify_end();
    }
    armcii_backoff.progress = armcii_progress_nothing;
}

const struct unit unit = {.end = job_end};
