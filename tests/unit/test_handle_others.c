/* test_handle_others.c - handles while other threads enter the library in the middle of a wait or a fence. */
#include <string.h>

#include "handle_steps.h"
#include "unit.h"

static armci_hdl_t theirs[100];
static int got;
static size_t flushed;

static void get_with_implicit_handle(void)
{
    start(NULL, job_get(THIRD, &got, there(THIRD, 0), sizeof got));
}

TEST(operations_started_during_a_wait_stay_for_the_next_wait)
{
    steps_begin();
    got = -1;
    memcpy(there(THIRD, 0), &(int){77}, sizeof(int));
    start(NULL, put_int(0, THEM, 0));
    fake_meanwhile = get_with_implicit_handle;
    wait_for(NULL);
    fake_forget();
    wait_for(NULL);
    fake_expect("the second wait", "flush 0/2");
    ck_assert_int_eq(got, 77);
    job_end();
}

static void wait_for_implicit_handle(void)
{
    wait_for(NULL);
    flushed = fake_count(FAKE_FLUSH_LOCAL);
}

TEST(a_wait_during_another_threads_wait_completes_everything)
{
    steps_begin();
    start(NULL, put_int(0, THEM, 0));
    start(NULL, put_int(1, THIRD, 0));
    fake_forget();
    flushed = 0;
    fake_meanwhile = wait_for_implicit_handle;
    wait_for(NULL);
    ck_assert_msg(flushed >= 2, "operations complete when the second one returns: expected 2, seen %zu", flushed);
    wait_for(NULL);
    job_end();
}

static void use_many_handles(void)
{
    for (size_t i = 0; i < sizeof theirs / sizeof *theirs; i++)
        start(&theirs[i], put_int((int)i, THIRD, 4 * i));
}

TEST(slots_made_during_a_wait_leave_the_others_alone)
{
    steps_begin();
    armci_hdl_t mine = fresh();
    for (size_t i = 0; i < sizeof theirs / sizeof *theirs; i++)
        theirs[i] = fresh();
    start(&mine, put_int(0, THEM, 0));
    fake_meanwhile = use_many_handles;
    wait_for(&mine);
    for (size_t i = 0; i < sizeof theirs / sizeof *theirs; i++)
        wait_for(&theirs[i]);
    armcii_fence(THIRD);
    for (size_t i = 0; i < sizeof theirs / sizeof *theirs; i++)
        ck_assert_int_eq(int_there(THIRD, 4 * i), 1000 + (int)i);
    job_end();
}

static void queue_more(void)
{
    for (size_t i = 10; i < 60; i++)
        start(&theirs[0], put_int((int)i, THEM, 8 * i));
}

TEST(requests_queued_during_a_flush_are_issued_later)
{
    steps_begin();
    theirs[0] = aggregate();
    for (size_t i = 0; i < 10; i++)
        start(&theirs[0], put_int((int)i, THEM, 8 * i));
    fake_meanwhile = queue_more;
    ck_assert_int_eq(armcii_handles_issue(THEM), 0);
    fake_expect("the fence", "shape-put 0/1 0+40 in 10");
    wait_for(&theirs[0]);
    fake_expect("the wait", "shape-put 0/1 80+200 in 50; flush-local 0/1");
    armcii_fence(THEM);
    for (size_t i = 0; i < 60; i++)
        ck_assert_int_eq(int_there(THEM, 8 * i), 1000 + (int)i);
    job_end();
}

TEST(a_wait_for_all_leaves_a_waiting_thread_its_handle)
{
    steps_begin();
    armci_hdl_t mine = fresh(), next = fresh();
    start(&mine, put_int(0, THEM, 0));
    fake_meanwhile = wait_all;
    wait_for(&mine);
    start(&mine, put_int(1, THEM, 4));
    start(&next, put_int(2, THEM, 8));
    ck_assert_msg(mine.slot != next.slot, "two handles, one slot: %u", mine.slot);
    wait_for(&mine);
    wait_for(&next);
    job_end();
}
