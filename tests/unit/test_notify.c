/* test_notify.c - who waits for a notification serves others meanwhile: the one that notifies may be waiting for this process's agent. */
#include <stdlib.h>

#include "base/wait.h"
#include "fake_job.h"
#include "lock/notify.h"
#include "unit.h"

static int served;

/* The other side notifies only when it was served. */
static bool serve(void)
{
    if (++served == 3) armcii_notify_send(0);
    return false;
}

START_TEST(who_waits_for_a_notification_serves)
{
    int waits = 0;
    job_start((struct job){.processes = 1});
    armcii_notify_start();
    armcii_wait_serve = serve;
    ck_assert_int_eq(armcii_notify_wait(0, &waits), 1);
    ck_assert_int_eq(waits, 1);
    ck_assert_int_eq(served, 3);
    armcii_notify_end();
    armcii_wait_serve = armcii_wait_serve_nobody;
    job_end();
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {who_waits_for_a_notification_serves, NULL};
    return unit_run("notify", unit_case(tests));
}
